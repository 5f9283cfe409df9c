"""Notebook 02: every number and every claim of its prose, computed again and looked up in the prose.

That its cells still print what is stored is nbval's business; here the words around them are held to the mathematics.
"""

import re
from decimal import Decimal, localcontext
from itertools import permutations

import numpy as np
import pytest
from stored import Stored, short

import attention_lab as al
from attention_lab.mechanism import STOPS

NAME = "02_similarity_scores.ipynb"
STORED = Stored(NAME)
CELLS, prose, output = STORED.cells, STORED.prose, STORED.output
ORDER = [2, 0, 3, 1]

tokens, H, *W = al.examples.lesson()
Q, K = (H @ w for w in W[:2])
S = Q @ K.T


def attend(H, mask=None):
    return al.self_attention(H, *W, mask)


def rows(cell):
    """The numbers of each line that a code cell shows."""
    return [[float(x) for x in re.findall(r"-?\d+\.?\d*", line)] for line in output(cell).splitlines()]


def farthest(a, b):
    return np.abs(a - b).max()


def test_the_lab_opens_at_this_notebooks_step():
    lab = al.mechanism_lab("3a")
    assert "".join(CELLS["lab"]["source"]) == 'al.mechanism_lab("3a")' and "at step 3," in prose("lab-prose")
    assert STOPS[int(lab.stage.stop) - 1] == "3a"
    lab.close()


# ── Scores ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_table_of_scores():
    words = prose("score-prose")
    assert f"Read the row of *wages*: {short(*S[2], digits=2)}." in words
    assert (S[2].argmax(), S[2].argmin()) == (1, 3)  # best raises, worst jobs
    assert np.unravel_index(S.argmax(), S.shape) == (1, 3)
    assert f"is {S.max():.2f}:" in words and f"only {short(S[3, 1], digits=2)}," in words
    assert (S < 0).any() and len({round(total, 3) for total in S.sum(axis=1)}) == 4


def test_one_score_by_hand_and_what_makes_it():
    products = Q[1] * K[3]
    first, second, third, last = (short(abs(p)) for p in products)
    words = prose("two-columns-prose")
    assert f"{first} + {second} + {third} − {last} = {S[1, 3]:.3f}." in words
    assert (products > 0).tolist() == [True, True, True, False]
    assert products.max() / S[1, 3] == pytest.approx(0.75, abs=0.01) and products.argmax() == 2
    assert f"{Q[1, 2]:.3f} and {K[3, 2]:.3f}".replace("-", "−") in words
    assert rows("one-score")[-1] == pytest.approx(products, abs=5e-4)


def test_length_times_length_times_cosine():
    a, b = np.linalg.norm(Q[1]), np.linalg.norm(K[3])
    cosine = Q[1] @ K[3] / (a * b)
    assert output("one-score").startswith(f"{S[1, 3]:.3f} = {a:.3f} · {b:.3f} · {cosine:.3f}\n")
    assert np.prod([a, b, cosine]) == pytest.approx(S[1, 3])
    assert Q @ (3 * K).T == pytest.approx(3 * S)  # a longer key, larger scores with every query


def test_at_two_columns_neither_the_angle_nor_the_length_alone_decides():
    q, k = Q[:, :2], K[:, :2]
    scores, of_q, of_k = q @ k.T, np.linalg.norm(q, axis=1), np.linalg.norm(k, axis=1)
    cosines = scores / np.outer(of_q, of_k)
    assert np.unravel_index(cosines.argmax(), (4, 4)) == (0, 1)
    assert np.unravel_index(scores.argmax(), (4, 4)) == (1, 3)
    assert np.sort(scores, axis=None)[-2] == scores[3, 0]  # "the second largest"
    assert of_q.argmax() == of_k.argmax() == 3 and cosines[3, 3] < 0
    words = prose("matrix-prose")
    assert f"cosine, {short(cosines[0, 1])}, and a score of {short(scores[0, 1])}:" in words
    assert f"a cosine of {short(cosines[1, 3])} and the largest score, {short(scores[1, 3])}," in words
    assert f"*jobs* is {of_k[3]:.3f} long" in words and f"score {short(scores[3, 3])}." in words


def test_row_matrix_loop_einsum_and_package_agree_and_the_package_scales_inside():
    assert K @ Q[1] == pytest.approx(S[1]) == np.einsum("c,jc->j", Q[1], K)
    assert np.einsum("ic,jc->ij", Q, K) == pytest.approx(S) == al.attention_scores(Q, K)
    assert al.scaled_dot_product_attention(Q, K, H).scores == pytest.approx(S / 2)
    assert np.array(rows("same")[1:]) == pytest.approx(S, abs=5e-4) and "2.883" in prose("rank-prose")


# ── Rank ─────────────────────────────────────────────────────────────────────────────────────────────────────


def scores_of(n, d_k):
    _, H, W_Q, W_K, _ = al.examples.lesson(n, d_k)
    return al.attention_scores(H @ W_Q, H @ W_K)


@pytest.mark.parametrize("n", [3, 4, 12])
@pytest.mark.parametrize("d_k", [1, 2, 4, 8])
def test_the_rank_of_the_scores_is_the_bound(n, d_k):
    assert np.linalg.matrix_rank(scores_of(n, d_k), tol=1e-9) == min(n, 6, d_k)


def test_the_table_of_ranks_is_the_same_on_every_machine():
    ranks = {}
    for d_k in (1, 2, 4, 8):
        scores = scores_of(12, d_k)
        ranks[d_k] = [np.linalg.matrix_rank(M, tol=1e-9) for M in (scores, al.softmax(scores / d_k**0.5))]
        for tolerance in (3e-10, 3e-9):  # rounding is far from the threshold
            assert np.linalg.matrix_rank(al.softmax(scores / d_k**0.5), tol=tolerance) == ranks[d_k][1]
    assert [r for r, _ in ranks.values()] == [1, 2, 4, 6] and "is 1, 2, 4 and then 6:" in prose("panel-prose")
    assert [r for _, r in ranks.values()] == [7, 12, 12, 12]
    assert rows("ranks")[-2:] == [[1, 2, 4, 6], [7, 12, 12, 12]]


def test_a_sum_of_outer_products_holds_48_numbers():
    assert "144 scores" in prose("outer-prose") and "= 48$ numbers" in prose("outer-prose")
    _, H, W_Q, W_K, _ = al.examples.lesson(12, 2)
    Q, K = H @ W_Q, H @ W_K
    assert Q.size + K.size == 48 and (Q @ K.T).size == 144
    assert sum(np.outer(Q[:, c], K[:, c]) for c in range(2)) == pytest.approx(Q @ K.T)


def test_dividing_rows_keeps_the_rank_and_in_exact_arithmetic_exp_gives_all_twelve():
    """Gaussian elimination with 80 digits on exp of the rank-1 scores: no pivot vanishes."""
    scores = scores_of(12, 1)
    powers = np.exp(scores)
    assert np.linalg.matrix_rank(powers / powers.sum(axis=1, keepdims=True), tol=1e-9) == 7
    _, H12, W_Q, W_K, _ = al.examples.lesson(12, 1)
    with localcontext() as context:
        context.prec = 80
        q, k = ([Decimal(float(x)) for x in (H12 @ w)[:, 0]] for w in (W_Q, W_K))
        M = [[(a * b).exp() for b in k] for a in q]
        for c in range(12):
            pivot = max(range(c, 12), key=lambda r: abs(M[r][c]))
            M[c], M[pivot] = M[pivot], M[c]
            assert abs(M[c][c]) > Decimal("1e-40")
            for r in range(c + 1, 12):
                share = M[r][c] / M[c][c]
                M[r] = [x - share * y for x, y in zip(M[r], M[c], strict=True)]


def test_without_softmax_no_square_matrix_is_needed():
    V = H @ W[2]
    assert (Q @ K.T) @ V == pytest.approx(Q @ (K.T @ V))


# ── Order ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_attention_is_equivariant_for_every_order_and_not_invariant():
    before = attend(H)
    for order in map(list, permutations(range(4))):
        P, after = np.eye(4)[order], attend(H[order])
        assert P @ H == pytest.approx(H[order])
        assert (P @ H) @ W[0] == pytest.approx(P @ Q)
        assert farthest(after.scores, P @ before.scores @ P.T) < 1e-12
        assert farthest(after.weights, P @ before.weights @ P.T) < 1e-12
        assert farthest(after.context, P @ before.context) < 1e-12
        assert after.context.mean(axis=0) == pytest.approx(before.context.mean(axis=0))
    assert farthest(attend(H[ORDER]).context, before.context) > 1
    assert re.findall("= (True|False)", output("equivariant")) == ["True", "True", "False", "True"]


def test_the_same_words_in_another_order_get_the_same_vectors():
    """policy raises wages, wages raises policy."""
    assert attend(H[[2, 1, 0]]).context == pytest.approx(attend(H[:3]).context[[2, 1, 0]])


def test_position_three_by_hand_and_the_encodings_speeds():
    theta = 3 / 10000 ** (2 * np.arange(3) / 6)
    row = np.stack([np.sin(theta), np.cos(theta)], axis=1).ravel()
    P = al.positional_encoding(8, 6)
    assert row == pytest.approx(P[3])
    table = np.array(
        [line[:3] for line in rows("one-position")[1:4]]
    )  # the last runs on into the picture's words
    assert table == pytest.approx(np.array([theta, np.sin(theta), np.cos(theta)]), abs=6e-4)
    said = short(*row[:5]) + f" {row[5]:.3f}."
    assert said in prose("broken-prose")
    assert np.hypot(*(P[1:, :2] - P[:-1, :2]).T) == pytest.approx(2 * np.sin(0.5))  # one radian a step
    assert farthest(P[:, 4:], P[0, 4:]) < 0.02  # the last pair hardly moves
    apart = np.linalg.norm(P[:, None] - P, axis=-1)
    assert apart[~np.eye(8, dtype=bool)].min() > 0.1  # no two rows are equal


def test_positions_break_equivariance_from_H_to_Z_and_attention_stays_equivariant_in_its_input():
    P = al.positional_encoding(4, 6)
    Z = attend(H + P).context
    change = np.abs(attend(H[ORDER] + P).context - Z[ORDER]).max(axis=1)
    assert (change > 0.05).all() and f"by up to {change.max():.2f}." in prose("reverse-prose")
    assert rows("broken")[1:] == [[0, 0, 0, 0], pytest.approx(change, abs=5e-4)]
    assert farthest(attend(H[ORDER]).context, attend(H).context[ORDER]) < 1e-12
    assert attend((H + P)[ORDER]).context == pytest.approx(Z[ORDER])


def test_rotary_scores_depend_on_positions_through_their_distance():
    places = np.arange(4)
    scores = al.rotate(Q, places) @ al.rotate(K, places).T
    shifted = al.rotate(Q, places + 11) @ al.rotate(K, places + 11).T
    assert shifted == pytest.approx(scores) and farthest(scores, S) > 0.1


def test_reversal_needs_positions_and_the_lookup_none():
    """What training gives on many seeds is asserted in test_training; here, what the cells and the prose say of it."""
    printed = output("reverse")
    runs = [al.training.learn(al.training.REVERSE, positions=known) for known in (True, False)]
    right, wrong = map(al.training.evaluate, runs)
    bag = al.training.bag_guess(right.batch)
    assert f"bag = {bag:.3f}" in printed and "about .27," in prose("lookup-prose") and abs(bag - 0.27) < 0.005
    assert np.array_equal(right.batch.ids, wrong.batch.ids) and printed.count("= True") == 2
    assert np.trace(right.weights.mean(axis=0)[:, ::-1]) / 12 > 0.9  # from corner to corner
    mean, itself = wrong.weights.mean(axis=0), np.eye(12, dtype=bool)
    assert mean[itself].max() < 0.07 and 0.08 < mean[~itself].min() < mean[~itself].max() < 0.09
    assert output("lookup").count("= True") == 3


def test_shuffled_pairs_get_the_same_answers_exactly_because_the_layer_is_equivariant():
    run = al.training.learn(al.training.LOOKUP)
    test = al.training.evaluate(run)
    order = [5, 2, 7, 0, 4, 1, 6, 3, 8]
    assert sorted(order[:8]) == list(range(8)) and str(order) in "".join(CELLS["lookup"]["source"])
    moved = al.training.evaluate(run, al.training.Batch(test.batch.ids[:, order], test.batch.targets))
    assert "P" not in run.layer and np.array_equal(moved.classes, test.classes)
    assert moved.weights == pytest.approx(test.weights[..., order])


def test_the_two_sentences_that_a_bag_cannot_tell_apart():
    first, second = re.search(r"cannot tell \*(.+?)\* from \*(.+?)\*", prose("cost-prose")).groups()
    assert first != second and sorted(first.split()) == sorted(second.split())


# ── Cost ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_wrong_estimate_of_the_cost_the_right_one_and_the_measured():
    lengths = [512, 1024, 2048, 4096, 32768, 262144]
    table = rows("cost")[-6:]
    for n, row in zip(lengths, table, strict=True):
        assert row[:4] == [n, n * n, n / 512, 4 * n * n / 2**20]
    assert [row[3] for row in table[:4]] == [row[4] for row in table[:4]] == [1, 4, 16, 64]
    assert output("cost").count("NaN") == 2
    for n in (512, 1024):
        Q, K = np.ones((2, n, 64), np.float32)
        assert al.attention_scores(Q, K).nbytes == 4 * n * n
        assert Q.nbytes / n == 4 * 64  # one row per token
    words = prose("case-prose")
    assert "takes 64 times the memory, not 8;" in words and table[3][2:4] == [8, 64]
    assert "262,144 MiB, which is 256 GiB, and not 512 MiB" in words and table[5][2:4] == [512, 256 * 1024]


def test_the_stored_measurement_has_a_slope_of_about_2():
    assert 1.7 < rows("measured")[0][0] < 2.2


def test_flops_counted_by_hand_meet_at_twice_the_width():
    def product(a, b, c):
        """Two operations for each multiply-add of (a, b) (b, c)."""
        return 2 * sum(b for _ in range(a) for _ in range(c))

    for n, d in ((3, 5), (14, 7), (6, 2)):
        projections, attention = 4 * product(n, d, d), product(n, d, n) + product(n, n, d)
        assert (projections, attention) == (8 * n * d**2, 4 * n**2 * d)
        assert attention / projections == n / (2 * d)
    table = rows("flops")[-5:]
    assert [row[0] for row in table] == [128, 512, 1024, 2048, 8192]
    for n, projections, attention, ratio in table:
        assert (projections, attention) == pytest.approx(
            (8 * n * 512**2 / 1e9, 4 * n**2 * 512 / 1e9), abs=6e-4
        )
        assert ratio == n / 1024
    assert "one eighth at 128 tokens, 1 at 1024, eight at 8192" in prose("flops-after")


def test_heads_together_cost_what_one_wide_head_costs():
    n, d, heads = 10, 12, 3
    assert heads * 2 * (n * (d // heads) * n) == 2 * n * d * n


def test_long_inputs():
    lengths = [131072, 2000 * 50, int(6.5 * 3600), 252 * int(6.5 * 3600)]
    for n in lengths:
        assert f"| {n:,} |" in "".join(CELLS["flops-after"]["source"])
    expected = [[n, 4 * n**2 / 2**30, 4 * n**2 * 1024 / 1e12, 4 * n * 512 / 2**20] for n in lengths]
    assert np.array(rows("long-inputs")[-4:]) == pytest.approx(np.array(expected), abs=0.5)
    memory = [f"{round(row[1]):,}" for row in expected]
    said = (
        "The document asks for {} GiB per head and layer, the table for {}, the day for {}, the year for {}."
    )
    words = prose("encoders-prose")
    assert said.format(*memory) in words and f"{expected[0][3]:.0f} MiB for the document" in words


def test_blocks_give_the_same_result():
    V = H @ W[2]
    assert al.blockwise_attention(Q, K, V, block_size=2) == pytest.approx(attend(H).context)


# ── Explore ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_panel_is_said_to_show():
    _, H16, W_Q, W_K, _ = al.examples.lesson(16, 64)

    def products(query, key, d_k):
        return ((H16 @ W_Q)[query - 1] * (H16 @ W_K)[key - 1])[:d_k]

    words = prose("panel-prose")
    assert (products(2, 4, 4) > 0).tolist() == [True, True, True, False]
    assert f"to {products(2, 4, 4).sum():.2f}." in words
    assert f"to −{-products(3, 4, 4).sum():.2f}." in words and (products(3, 4, 4)[1:3] < -1).all()
    four, eight, most = (products(3, 2, d_k).sum() for d_k in (4, 8, 64))
    assert f"from {short(four, digits=2)} to {short(eight, digits=2)}." in words
    assert f"At $d_k$ = 64 it is {short(most, digits=2)}." in words
    size = np.abs(products(3, 2, 64)).sum()
    assert f"add up to {size:.2f}, and what remains is {short(most, digits=2)}." in prose("order-prose")
    assert scores_of(8, 4)[:4, :4] == pytest.approx(S)


def test_the_panels_sliders_have_the_settings_the_prose_names():
    panel = al.panel(2)
    assert (panel.mask.value, panel.n.value, panel.d_k.value) == ("causal", 4, 4)
    for slider, values in ((panel.query, (2, 3)), (panel.own, (4, 2)), (panel.n, (8,)), (panel.d_k, (8, 64))):
        for value in values:
            slider.value = value
            assert slider.value == value
    panel.mask.value = "none"
    assert "8 by 8" in panel.picture().alt
    panel.close()


# ── A causal mask and order ──────────────────────────────────────────────────────────────────────────────────


def test_a_causal_mask_alone_breaks_equivariance():
    causal = al.causal_mask(4)
    change = np.abs(attend(H[ORDER], causal).context - attend(H, causal).context[ORDER]).max(axis=1)
    assert (change > 0.5).all() and rows("causal")[1] == pytest.approx(change, abs=5e-4)


def test_uniform_causal_attention_to_the_first_token_is_exactly_one_over_i():
    for n in (1, 8, 100):
        uniform = al.scaled_dot_product_attention(
            np.zeros((n, 2)), np.ones((n, 2)), np.eye(n)[:, :1], al.causal_mask(n)
        )
        assert np.array_equal(uniform.context[:, 0], 1 / np.arange(1, n + 1))
    assert "= True" in output("first-token")


def test_one_causal_layer_cannot_tell_the_order_of_the_past_and_two_can():
    _, H6, *wide = al.examples.lesson(n=6, d_k=6)

    def moved(order, layers):
        last = []
        for X in (H6, H6[[*order, 5]]):
            for _ in range(layers):
                X = al.self_attention(X, *wide, al.causal_mask(6)).context
            last.append(X[-1])
        return farthest(*last)

    for order in permutations(range(5)):
        assert moved(order, 1) < 1e-12
        assert order == (0, 1, 2, 3, 4) or moved(order, 2) > 1e-3
    two = moved([4, 3, 2, 1, 0], 2)
    assert output("two-layers").split() == ["0.000", f"{two:.3f}"]
    assert f"by up to {short(two)}:" in prose("measured-prose")


# ── Case ─────────────────────────────────────────────────────────────────────────────────────────────────────

PAPER, DEFINITION, TABLE, CONTROL, TRAP, RATES = 0, 1, 2, 3, 10, 11


def cosines(model="minilm"):
    found = al.examples.retrieval(model)
    return found.keys @ found.query, found.kinds, found


def test_similar_is_not_relevant():
    s, kinds, found = cosines()
    assert (kinds == "R").sum() == 7 and (kinds == "I").sum() == 3 and "".join(kinds[[TRAP, RATES]]) == "HH"
    assert s[kinds == "R"].min() > s[kinds == "I"].max() and np.abs(s[kinds == "I"]).max() < 0.11
    wrong_order = [
        kinds[other] for other in np.flatnonzero(kinds != "R") for r in s[kinds == "R"] if r < s[other]
    ]
    assert set(wrong_order) == {"H"}
    assert (s[kinds == "R"] < s[TRAP]).sum() == 4 and s[CONTROL] < s[TRAP]
    assert s[DEFINITION] < s[TRAP] / 2 and s[DEFINITION] < s[RATES]
    words = prose("case-after")
    assert found.texts[TRAP].rstrip(".") in words
    for place in (TRAP, CONTROL, DEFINITION, RATES):
        assert short(s[place]) in words
    for word in ("minimum", "wage", "rais"):
        assert word in words and word in found.texts[TRAP] and word in found.question
    for place, word in {
        PAPER: "minimum wage",
        DEFINITION: "employment",
        TABLE: "Table 3",
        CONTROL: "control",
    }.items():
        assert word in found.texts[place]


def test_the_printed_search_is_sorted_and_a_score_is_a_cosine():
    s, _, found = cosines()
    printed = rows("case")[2:14]
    assert [row[0] for row in printed] == pytest.approx(sorted(s, reverse=True), abs=6e-4)
    assert np.linalg.norm(found.keys, axis=1) == pytest.approx(1, abs=1e-4)
    assert found.keys.shape == (12, 384) and "384 numbers each" in prose("case-prose")
    assert np.abs(s * 1000 - np.floor(s * 1000) - 0.5).min() > 0.001  # no third decimal rests on rounding


def test_only_the_hard_pieces_tell_encoders_apart():
    shown = []
    for model in ("minilm", "e5"):
        s, kinds, _ = cosines(model)
        shares = [(s[kinds == "R"][:, None] > s[kinds == kind]).mean() for kind in "IH"]
        shown.append(pytest.approx(shares, abs=5e-4))
    assert [row[-2:] for row in rows("encoders")[1:]] == shown
    assert shares[1] == 11 / 14 and s.min() > 0.69 and "11 of 14 pairs" in prose("encoders-after")


# ── Predictions, words and links ─────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    for cell, name in {
        "predict-largest": "largest_cell",
        "predict-rank-scores": "rank_of_scores",
        "predict-rank-weights": "rank_of_weights",
    }.items():
        assert "".join(CELLS[cell]["source"]) == f'guess = None\nal.predict("{name}", guess)'
        assert output(cell) == repr(al.predict(name))


def test_invariant_is_only_said_of_what_is_invariant():
    """The word stands where it is defined, tested and warned of, and nowhere else."""
    cells = {id for id, c in CELLS.items() if re.search("invarian", "".join(c["source"]), re.I)}
    assert cells == {"positions-prose", "summary"}


# ── Exercises ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_worked_expectations_of_the_exercises():
    pairs = re.search(
        r"one query (.+?) and the three keys (.+?) give one row: (.+?)\.", prose("attention-scores-task")
    )
    query, keys, row = (
        [int(x) for x in re.findall(r"-?\d+", part.replace("−", "-"))] for part in pairs.groups()
    )
    assert al.attention_scores(np.array([query]), np.reshape(keys, (3, 2))).tolist() == [row]

    first, second = al.positional_encoding(2, 4)
    said = f"the rows {short(*first, digits=0)} and, rounded, {short(*second[:3])} {second[3]:.3f}."
    assert said in prose("positional-encoding-task")


def test_no_code_before_the_exercises_gives_their_solutions_away():
    before = list(CELLS)[: list(CELLS).index("attention-scores-task")]
    words = "\n".join("".join(CELLS[cell]["source"]) for cell in before)
    for code in (r"Q\w* ?@ ?K\w*\.T", r"q ?@ ?k\.T", r"ic,jc->ij", r"0::2", r"arange\(0, d_model"):
        assert not re.search(code, words), code
        assert re.search(code, "Q @ K.T, q @ k.T, ic,jc->ij, P[:, 0::2], np.arange(0, d_model, 2)"), code


def test_a_longer_key_changes_its_column_and_speaks_for_or_against():
    longer = K * np.array([1, 1, 1, 3])[:, None]
    scores = al.attention_scores(Q, longer)
    assert scores[:, :3] == pytest.approx(S[:, :3]) and scores[:, 3] == pytest.approx(3 * S[:, 3])
    gains = al.softmax(scores / 2)[:, 3] > al.softmax(S / 2)[:, 3]
    assert gains.tolist() == (S[:, 3] > 0).tolist() == [False, True, False, False]  # raises alone


def test_one_more_token_adds_2n_plus_1_scores_of_which_a_causal_mask_lets_the_new_row_through():
    for n in (1, 4, 9):
        assert scores_of(n + 1, 4).size - scores_of(n, 4).size == 2 * n + 1
        new = np.ones((n + 1, n + 1), bool)
        new[:n, :n] = False
        allowed = al.causal_mask(n + 1)
        assert (new & allowed).sum() == n + 1 == allowed[n].sum()
        assert al.causal_mask(n).sum() == n * (n + 1) / 2


def test_one_vector_for_all_positions_leaves_the_layer_equivariant():
    same = np.broadcast_to(al.positional_encoding(1, 6, offset=3), (4, 6))
    Z = attend(H + same).context
    assert farthest(attend(H[ORDER] + same).context, Z[ORDER]) < 1e-12
    assert farthest(Z, attend(H).context) > 0.01  # the vector does arrive
