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
from attention_lab import wording

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
    words = prose("length-angle-prose")
    assert f"{first} + {second} + {third} − {last} = {S[1, 3]:.3f}." in words
    assert (products > 0).tolist() == [True, True, True, False]
    assert products.max() / S[1, 3] == pytest.approx(0.75, abs=0.01) and products.argmax() == 2
    assert f"{Q[1, 2]:.3f} and {K[3, 2]:.3f}".replace("-", "−") in words
    assert rows("one-score")[0] == [round(S[1, 3], 3)]


def test_length_times_length_times_cosine():
    a, b = np.linalg.norm(Q[1]), np.linalg.norm(K[3])
    cosine = Q[1] @ K[3] / (a * b)
    assert f"{S[1, 3]:.3f} is {a:.3f} · {b:.3f} · {short(cosine)}" in prose("two-columns-prose")
    assert output("length-angle").split() == [f"{x:.3f}" for x in (a, b, cosine, S[1, 3])]
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
    assert K @ Q[1] == pytest.approx(S[1])
    assert np.einsum("ic,jc->ij", Q, K) == pytest.approx(S) == al.attention_scores(Q, K)
    assert al.scaled_dot_product_attention(Q, K, H).scores == pytest.approx(S / 2)
    assert "np.allclose(row, S[1]) = True" in output("one-row")


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
    assert [r for r, _ in ranks.values()] == [1, 2, 4, 6] and "is 1, 2, 4 and then 6:" in prose("order-prose")
    assert [r for _, r in ranks.values()] == [7, 12, 12, 12]
    assert rows("ranks")[-2:] == [[1, 2, 4, 6], [7, 12, 12, 12]]


def test_a_sum_of_outer_products_holds_48_numbers():
    assert "= 48$ numbers" in prose("predict-rank-weights-prose") and 2 * 12 * 2 == 48
    assert output("outer").split("\n")[1] == "np.linalg.matrix_rank(S) = 2"


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
    assert output("equivariant").count("= True") == 2
    assert re.findall("= (True|False)", output("invariant")) == ["False", "True"]


def test_the_same_words_in_another_order_get_the_same_vectors():
    """policy raises wages, wages raises policy."""
    assert attend(H[[2, 1, 0]]).context == pytest.approx(attend(H[:3]).context[[2, 1, 0]])


def test_position_three_by_hand_and_the_encodings_speeds():
    theta = 3 / 10000 ** (2 * np.arange(3) / 6)
    row = np.stack([np.sin(theta), np.cos(theta)], axis=1).ravel()
    P = al.positional_encoding(8, 6)
    assert row == pytest.approx(P[3]) and np.round(rows("one-position")[1:], 3) == pytest.approx(
        np.round([theta, np.sin(theta), np.cos(theta)], 3)
    )
    said = short(*row[:5]) + f" {row[5]:.3f}."
    assert said in prose("encoding-picture-prose")
    assert np.hypot(*(P[1:, :2] - P[:-1, :2]).T) == pytest.approx(2 * np.sin(0.5))  # one radian a step
    assert farthest(P[:, 4:], P[0, 4:]) < 0.02  # the last pair hardly moves
    apart = np.linalg.norm(P[:, None] - P, axis=-1)
    assert apart[~np.eye(8, dtype=bool)].min() > 0.1  # no two rows are equal


def test_positions_break_equivariance_from_H_to_Z_and_attention_stays_equivariant_in_its_input():
    P = al.positional_encoding(4, 6)
    Z = attend(H + P).context
    change = np.abs(attend(H[ORDER] + P).context - Z[ORDER]).max(axis=1)
    assert (change > 0.05).all() and f"by up to {change.max():.2f}." in prose("cost-prose")
    assert rows("broken")[1] == pytest.approx(change, abs=5e-4)
    assert attend((H + P)[ORDER]).context == pytest.approx(Z[ORDER])


def test_rotary_scores_depend_on_positions_through_their_distance():
    places = np.arange(4)
    scores = al.rotate(Q, places) @ al.rotate(K, places).T
    shifted = al.rotate(Q, places + 11) @ al.rotate(K, places + 11).T
    assert shifted == pytest.approx(scores) and farthest(scores, S) > 0.1


# ── Cost ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_table_of_costs():
    lengths = [512, 4096, 32768, 262144]
    expected = [[n, n * n, 4 * n * n / 2**20, 4 * n * 64 / 2**20] for n in lengths]
    assert rows("cost")[-4:] == expected
    assert np.zeros((512, 512), np.float32).nbytes == 2**20 and expected[3][2] / 1024 == 256
    words = prose("cost-after")
    assert "At 512 tokens one $S$ is 1 MiB" in words and "262,144 MiB, which is 256 GiB" in words


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
    words = prose("long-inputs-after")
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
    assert f"add up to {size:.2f}, and what remains is {short(most, digits=2)}." in prose("panel-after")
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
    assert f"by up to {short(two)}:" in prose("two-layers-after")


# ── Predictions, words and links ─────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    wording.use("en")
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
    assert cells == {"words-prose", "summary"}


def test_links_lead_to_files_of_the_course_or_to_the_web():
    course = {"README.md", "01_linear_projections.ipynb", "03_scaling.ipynb"}
    links = [link for c in CELLS.values() for link in re.findall(r"\]\(([^)]+)\)", "".join(c["source"]))]
    assert all(link in course or link.startswith("https://arxiv.org/abs/") for link in links)
    assert course <= set(links)
