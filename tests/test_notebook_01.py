"""Notebook 01: every number and every claim of its prose, computed again and looked up in the prose.

That its cells still print what is stored is nbval's business; here the words around them are held to the mathematics.
"""

import re

import numpy as np
import pytest
from stored import Stored, short

import attention_lab as al

NAME = "01_linear_projections.ipynb"
STORED = Stored(NAME)
CELLS, prose, output = STORED.cells, STORED.prose, STORED.output

tokens, H, W_Q, W_K, W_V = al.examples.lesson()
Q, K, V = H @ W_Q, H @ W_K, H @ W_V
S, B = Q @ K.T, W_Q @ W_K.T
PLAIN = al.scaled_dot_product_attention(H, H, H)
POLICY, RAISES, WAGES, JOBS = range(4)


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.\d+", text)]


# ── Where H comes from ───────────────────────────────────────────────────────────────────────────────────────


def test_a_look_up_is_a_product_and_a_word_that_occurs_twice_has_one_row():
    words, E, *_ = al.examples.lesson(n=16)
    ids = [3, 9, 5, 9, 7]
    assert [words[i] for i in ids] == ["jobs", "or", "firms", "or", "hours"]
    X = np.zeros((5, 16))
    X[range(5), ids] = 1
    assert np.array_equal(X @ E, E[ids])
    assert "= True" in output("embedding")
    lines = [line.split() for line in output("embedding").splitlines() if line.startswith("or ")]
    assert len(lines) == 2 and lines[0] == lines[1]


# ── Without matrices ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_row_of_wages_without_matrices():
    scores = np.array([sum(H[WAGES, c] * H[j, c] for c in range(6)) for j in range(4)])
    e = np.exp(scores / np.sqrt(6))
    a = e / e.sum()
    assert output("weightless").count("= True") == 2
    assert PLAIN.weights[WAGES] == pytest.approx(a)
    assert PLAIN.context[WAGES] == pytest.approx(a @ H)
    assert f"most at itself ({short(a[WAGES])}) and next at *jobs* ({short(a[JOBS])})" in prose("adds-prose")
    assert np.argsort(a)[::-1][:2].tolist() == [WAGES, JOBS]


def test_without_matrices_scores_are_symmetric_and_weights_are_not():
    scores = H @ H.T
    words = prose("adds-prose")
    assert f"*jobs* is to *raises*: {scores[RAISES, JOBS]:.3f}.".replace("-", "−") in words
    assert scores[JOBS, RAISES] == pytest.approx(scores[RAISES, JOBS])
    gives, gets = PLAIN.weights[RAISES, JOBS], PLAIN.weights[JOBS, RAISES]
    assert f"*raises* gives *jobs* {short(gives)} and gets {short(gets)}." in words and gives > 10 * gets


def test_without_matrices_no_shorter_token_beats_a_tokens_own_score():
    scores, length = H @ H.T, np.linalg.norm(H, axis=1)
    assert scores.diagonal() == pytest.approx(length**2)
    shorter = length[None] <= length[:, None]
    assert (scores <= scores.diagonal()[:, None] + 1e-12)[shorter].all()
    long = np.vstack([H, 3 * H])  # three times as long, in the same direction: it does beat it
    assert (long @ long.T)[0, 4] > (long @ long.T)[0, 0]
    assert PLAIN.weights.argmax(axis=1).tolist() == [0, 1, 2, 3] and length.argmax() == JOBS
    assert f"keeps {short(PLAIN.weights[JOBS, JOBS])} for itself" in prose("adds-prose")


def test_with_the_random_matrices_no_token_gives_the_most_to_itself():
    weights = al.self_attention(H, W_Q, W_K, W_V).weights
    assert (weights.argmax(axis=1) != np.arange(4)).all()
    assert numbers(output("adds")) == pytest.approx(
        [*PLAIN.weights.diagonal(), *weights.diagonal()], abs=5e-4
    )
    assert f"falls from {short(PLAIN.weights[3, 3])} to {short(weights[3, 3])}" in prose("by-hand-prose")


# ── Projections ──────────────────────────────────────────────────────────────────────────────────────────────


def test_one_query_by_hand():
    products = H[WAGES][:, None] * W_Q
    shown = np.array(numbers(output("by-hand"))).reshape(7, 4)
    assert shown == pytest.approx(np.vstack([products, Q[WAGES]]), abs=5e-4)
    total = " + ".join(short(x) for x in products[:, 3]).replace("+ −", "− ")
    assert f"{total} = {short(Q[WAGES, 3])}." in prose("matrix-prose")
    assert sum(np.round(products[:, 3], 3)) == pytest.approx(np.round(Q[WAGES, 3], 3))


def test_the_table_lists_queries_keys_and_values():
    assert numbers(output("matrix")) == pytest.approx(np.vstack([Q, K, V]).ravel(), abs=5e-4)
    assert np.einsum("ia,ac->ic", H, W_Q) == pytest.approx(Q)


def test_q_and_k_share_a_width_and_v_is_free():
    assert al.self_attention(H, W_Q, W_K, W_V[:, :3]).context.shape == (4, 3)
    with pytest.raises(ValueError, match="same last axis"):
        al.self_attention(H, W_Q, W_K[:, :3], W_V)


def test_a_projection_never_mixes_tokens_and_moves_each_alike():
    influence = al.influence_map(lambda X: X @ W_Q, H)
    assert np.array_equal(influence > 0, np.eye(4))
    assert influence.diagonal() == pytest.approx(np.linalg.norm(W_Q.sum(axis=0)))
    assert "= True" in output("rows")
    mixed = al.influence_map(lambda X: np.full((4, 4), 0.25) @ X, H)
    assert (mixed > 0).all()  # a matrix on the left does mix them


# ── Symmetry ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_scores_are_said_to_be():
    words = prose("symmetric-prose")
    assert f"*raises* asks *jobs* and scores {S[RAISES, JOBS]:.2f}" in words
    assert f"*jobs* asks *raises* and scores {short(S[JOBS, RAISES], digits=2)}" in words
    assert "three of the four diagonal scores are negative" in words and (S.diagonal() < 0).sum() == 3


def test_scores_depend_on_the_product_alone():
    assert H @ B @ H.T == pytest.approx(S)
    assert np.abs(H @ B.T @ H.T - S).max() > 0.1  # not on its transpose


def test_if_b_is_symmetric_so_is_s_for_every_h():
    rng = np.random.default_rng(0)
    for n, d_model, d_k in ((2, 5, 3), (7, 3, 4)):
        W, C = rng.normal(size=(d_model, d_k)), rng.normal(size=(d_k, d_k))
        for partner in (W, W @ (C + C.T)):
            X = rng.normal(size=(n, d_model))
            scores = X @ W @ (X @ partner).T
            assert scores == pytest.approx(scores.T)


@pytest.mark.parametrize("a", range(6))
@pytest.mark.parametrize("b", range(6))
def test_two_unit_rows_read_b_off_the_scores(a, b):
    """The other half of the proof: S_12 = B_ab and S_21 = B_ba, so symmetric scores make B symmetric."""
    X = np.eye(6)[[a, b]]
    scores = (X @ W_Q) @ (X @ W_K).T
    assert scores == pytest.approx(B[np.ix_([a, b], [a, b])])
    assert (a == b) == (scores[0, 1] == scores[1, 0])


def test_the_two_corners_in_the_prose():
    assert f"$B_{{13}}$ = {short(B[0, 2])} and $B_{{31}}$ = {short(B[2, 0])}" in prose("partner-prose")
    corners = numbers(output("b"))
    assert corners == pytest.approx([B[0, 0], B[0, 2], B[2, 0], B[2, 2], B[0, 2], B[2, 0]], abs=5e-4)


def test_equal_matrices_are_one_way_and_not_the_only_one():
    assert output("symmetric").splitlines() == ["True True", "True True", "False False"]
    other = W_Q @ np.diag([1, -1, 2, 0.5])
    assert np.abs(other - W_Q).max() > 0.1
    assert W_Q @ other.T == pytest.approx((W_Q @ other.T).T)
    one, zero = H[:1], np.zeros((4, 6))  # "for every H" matters: these are symmetric for any B
    for X in (one, zero):
        scores = X @ B @ X.T
        assert np.array_equal(scores, scores.T)


# ── Coordinates ──────────────────────────────────────────────────────────────────────────────────────────────


def test_an_orthogonal_r_changes_every_number_of_q_and_no_score():
    R, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))
    assert R @ R.T == pytest.approx(np.eye(4)) and np.abs(R - R.T).max() > 0.1
    turned = al.self_attention(H, W_Q @ R, W_K @ R, W_V)
    kept = al.self_attention(H, W_Q, W_K, W_V)
    assert np.abs(H @ W_Q @ R - Q).min() > 1e-2  # "every number of Q has changed"
    for old, new in zip(kept, turned, strict=True):
        assert new == pytest.approx(old, abs=1e-12)
    assert np.abs((Q @ R) @ K.T - S).max() > 0.1  # turning one of the two is another matter
    assert output("turn").count("= True") == 2


def test_a_general_r_needs_its_transposed_inverse_and_changes_lengths():
    R = np.random.default_rng(1).normal(size=(4, 4))
    inverse = np.linalg.inv(R)
    same = [np.allclose(Q @ R @ (K @ P).T, S) for P in (np.eye(4), R, inverse, inverse.T)]
    assert output("partner").split() == [str(answer) for answer in same] == ["False"] * 3 + ["True"]
    assert W_Q @ R @ (W_K @ inverse.T).T == pytest.approx(B)
    old, new = (np.linalg.norm(X, axis=1) for X in (Q, Q @ R))
    assert np.abs(new - old).min() > 0.1
    cosines = [X[0] @ X[3] / np.linalg.norm(X[0]) / np.linalg.norm(X[3]) for X in (Q, Q @ R)]
    assert abs(cosines[0] - cosines[1]) > 0.1


def test_rotary_positions_leave_less_freedom():
    R, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))
    places = np.arange(4)
    kept, turned = (al.rotate(H @ W_Q @ T, places) @ al.rotate(H @ W_K @ T, places).T for T in (np.eye(4), R))
    assert np.abs(turned - kept).max() > 0.1


@pytest.mark.parametrize(("d_model", "d_k"), [(6, 4), (5, 2), (7, 3)])
def test_how_many_of_the_numbers_count(d_model, d_k):
    rng = np.random.default_rng(d_model)
    one, two = (W_Q, W_K) if (d_model, d_k) == (6, 4) else rng.normal(size=(2, d_model, d_k))
    moves = []
    for place in np.ndindex(d_model, d_k):
        D = np.zeros((d_model, d_k))
        D[place] = 1
        moves += [(D @ two.T).ravel(), (one @ D.T).ravel()]
    rank = np.linalg.matrix_rank(moves)
    assert rank == 2 * d_model * d_k - d_k**2
    if (d_model, d_k) == (6, 4):
        assert output("count-directions").split() == [str(len(moves)), str(rank)] == ["48", "32"]
        assert "48 numbers, 32 directions" in prose("wrong-axis-prose")


# ── Length and order ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_count_of_parameters():
    assert output("lengths").split("\n")[0] == "72"
    assert W_Q.size + W_K.size + W_V.size == 6 * (4 + 4 + 4) == 72
    assert W_Q.size + W_K.size + W_V[:, :3].size == 6 * (2 * 4 + 3) == 66
    assert "512 · 192 = 98,304" in prose("parameters-prose") and 512 * (64 + 64 + 64) == 98304


def test_what_grows_with_the_length_and_what_does_not():
    rows = [list(map(int, line.split())) for line in output("lengths").splitlines()[2:]]
    assert rows == [[n, 72, 3 * n * 4, n * n] for n in (4, 400)]
    X = np.random.default_rng(2).normal(size=(400, 6))
    assert al.self_attention(X, W_Q, W_K, W_V).weights.shape == (400, 400)


def test_rows_move_along_with_their_tokens_and_nothing_else_changes():
    order = [2, 0, 3, 1]
    P = np.eye(4)[order]
    assert [tokens[i] for i in order] == "wages policy jobs raises".split()
    assert "the order *wages policy jobs raises*" in prose("order-prose")
    for W in (W_Q, W_K, W_V):
        assert (P @ H) @ W == pytest.approx((H @ W)[order])
    moved = (P @ H @ W_Q) @ (P @ H @ W_K).T
    assert moved == pytest.approx(P @ S @ P.T) and moved == pytest.approx(S[np.ix_(order, order)])
    assert moved != pytest.approx(S)
    assert output("order").split("\n")[0] == "True True True True"
    assert numbers(output("order")) == pytest.approx(moved.ravel(), abs=5e-4)
    assert f"*raises* asking *jobs* in the table: {S[RAISES, JOBS]:.3f}, as before" in prose(
        "order-test-prose"
    )


# ── Explore ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_panel_is_said_to_show():
    from attention_lab.panels import visibility

    small, wide, long = al.examples.lesson(4, 4), al.examples.lesson(4, 8), al.examples.lesson(8, 4)
    assert np.array_equal(small.H, wide.H) and np.array_equal(small.H, long.H[:4])
    for name in ("W_Q", "W_K", "W_V"):
        old, more, same = (getattr(example, name) for example in (small, wide, long))
        assert more.shape == (6, 8) and np.array_equal(more[:, :4], old) and np.array_equal(same, old)
    assert 3 * wide.W_Q.size == 144 and "from 72 learned numbers to 144" in prose("panel-prose")
    assert visibility("causal", 4).sum(axis=1).tolist() == [1, 2, 3, 4]
    assert visibility("padding", 4).tolist() == [[True, True, True, False]] * 4
    panel = al.panel(1)
    assert panel.settings() == {"d_k": 4, "mask": "causal", "n": 4, "query": 3}
    panel.close()


# ── Misconception ────────────────────────────────────────────────────────────────────────────────────────────


def knows_the_order(add, order=(2, 0, 3, 1)):
    """The notebook's test: shuffle the tokens, add the positions, project, compare token by token."""
    order = list(order)
    after, before = add(H[order]) @ W_Q, add(H) @ W_Q
    return not np.allclose(after, before[order])


def test_only_positions_make_the_order_known():
    places = al.positional_encoding(4, 6)
    assert not knows_the_order(lambda X: X) and knows_the_order(lambda X: X + places)
    assert output("order-test").split("\n")[:2] == ["True", "False"]
    order = [2, 0, 3, 1]
    moved = (H[order] + places) @ W_Q - ((H + places) @ W_Q)[order]
    assert (np.abs(moved).max(axis=1) > 0.1).all()  # "with them every row does"
    low, high = numbers(output("order-test"))[2:]
    assert (-low, high) == pytest.approx((moved.min(), moved.max()), abs=5e-3)  # said as "minus 1.17"
    assert moved == pytest.approx((places - places[order]) @ W_Q)


def test_positions_shuffled_along_make_the_test_blind():
    order, places = [2, 0, 3, 1], al.positional_encoding(4, 6)
    assert (H + places)[order] @ W_Q == pytest.approx(((H + places) @ W_Q)[order])
    assert "add the positions *after* shuffling" in prose("case-prose")


@pytest.mark.parametrize("seed", range(3))
def test_positions_along_the_texts_are_none(seed):
    order, texts = [2, 0, 3, 1], np.random.default_rng(seed).normal(size=(3, 4, 6))
    by_text, by_token = al.positional_encoding(3, 6)[:, None], al.positional_encoding(4, 6)
    assert (texts + by_text).shape == (texts + by_token).shape
    found = []
    for places in (by_text, by_token):
        before, after = ((X + places) @ W_Q for X in (texts, texts[:, order]))
        found.append(np.allclose(after, before[:, order]))
    assert found == [True, False]
    assert output("wrong-axis").split("\n")[:2] == ["(3, 4, 4) True", "(3, 4, 4) False"]


# ── Case ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_passages_are_thirteen_rows_of_length_one():
    found = al.examples.retrieval()
    pieces = np.vstack([found.query, found.keys])
    assert pieces.shape == (13, 384)
    assert np.linalg.norm(pieces, axis=1) == pytest.approx(np.ones(13), abs=1e-3)
    question, *shown, last = output("case-passages").splitlines()
    assert question == found.question and f"*{question}*" in prose("case-prose")
    assert shown == [f"- {snippet}" for snippet in found.texts[1:6]] and last == "(13, 384) True"


def test_four_numbers_of_the_table_share_a_row():
    names, ids = al.training.pieces(), al.training.card_krueger().ids[0, :, 0]
    assert output("case-table").split("\n")[0] == f"{len(names)} {len(set(ids))}" == "20 13"
    assert len({ids[names.index(name)] for name in ("23.33", "20.44", "21.17", "21.03")}) == 1
    assert (ids == ids[0]).sum() == 4
    assert "23.33, 20.44, 21.17 and 21.03 share one" in prose("case-citation-prose")
    kinds = [int((al.training.KINDS == kind).sum()) for kind in ("number", "column", "row", "unit")]
    assert kinds == [12, 2, 3, 1]
    assert (al.training.TABLES.n_ids, al.training.TABLES.d_model) == (37, 24)
    E = np.random.default_rng(0).normal(size=(37, 24))
    same = [i for i in range(20) if np.array_equal(E[ids[i]], E[ids[0]])]
    means, _, _ = al.examples.card_krueger()
    assert [names[i] for i in same] == [f"{x:.2f}" for x in means[:2, :2].ravel()]


@pytest.mark.parametrize("seed", range(5))
def test_who_contests_whom_is_lost_without_positions(seed):
    E = np.random.default_rng(seed).normal(size=(3, 6))
    found = []
    for places in (0, al.positional_encoding(3, 6)):
        pair = [
            al.self_attention(E[ids] + places, W_Q, W_K, W_V).context[1] for ids in ([0, 1, 2], [2, 1, 0])
        ]
        found.append(np.allclose(*pair))
    assert found == [True, False]
    assert output("case-citation").split() == ["True", "False"]


# ── Exercises ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_worked_expectations_of_the_exercises():
    H, W = np.array([[1, 2], [0, -1]]), np.array([[1, 0, 3], [0, 1, -1]])
    for said in (f"For $H$ = `{H.tolist()}` and $W$ = `{W.tolist()}`", f"returns `{(H @ W).tolist()}`"):
        assert said in prose("project-prose")
    assert np.array_equal(1 * W[0] + 2 * W[1], (H @ W)[0])
    assert "the first row is 1 · (1, 0, 3) + 2 · (0, 1, −1)" in prose("project-prose")
    assert f"the count is {2 * 1 + 2 * 1 + 2 * 3}." in prose("count-prose")


def test_the_code_of_count_parameters_stands_in_its_solution_alone():
    code = re.compile(r"\* ?\((2 ?\*|d_k ?\+)")
    assert [name for name, cell in CELLS.items() if code.search("".join(cell["source"]))] == ["count-prose"]


def test_a_token_in_two_texts_has_one_query_in_the_first_layer_only():
    short_text, places = H, al.positional_encoding(400, 6)
    long_text = np.random.default_rng(3).normal(size=(400, 6))
    long_text[WAGES] = H[WAGES]
    for added in (0 * places, places):
        one, two = (X + added[: len(X)] for X in (short_text, long_text))
        assert (one @ W_Q)[WAGES] == pytest.approx((two @ W_Q)[WAGES])
        deeper = [X + al.self_attention(X, W_Q, W_K, np.eye(6)).context for X in (one, two)]
        assert np.abs((deeper[0] @ W_Q)[WAGES] - (deeper[1] @ W_Q)[WAGES]).max() > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_what_one_matrix_for_queries_and_keys_costs(seed):
    rng = np.random.default_rng(seed)
    X, W = rng.normal(size=(5, 6)), rng.normal(size=(6, 4))
    scores, weights = X @ W @ (X @ W).T, al.self_attention(X, W, W, W_V).weights
    assert scores == pytest.approx(scores.T) and np.abs(weights - weights.T).max() > 0.1
    assert scores.diagonal() == pytest.approx(np.linalg.norm(X @ W, axis=1) ** 2)
    longest = np.linalg.norm(X @ W, axis=1).argmax()
    assert scores[longest].argmax() == longest
    assert "24 of the 72 numbers" in prose("concepts") and (W_K.size, 3 * W_K.size) == (24, 72)


def test_wider_values_change_values_and_context_only():
    wide = np.hstack([W_V, np.random.default_rng(4).normal(size=(6, 4))])
    old, new = (al.self_attention(H, W_Q, W_K, W) for W in (W_V, wide))
    assert np.array_equal(new.scores, old.scores) and np.array_equal(new.weights, old.weights)
    assert new.context.shape == (4, 8) and new.context[:, :4] == pytest.approx(old.context)


def test_progress_lists_fifteen_exercises():
    exercises = [name for name in dir(al.check) if name != "progress"]
    assert len(exercises) == 15 and "the fifteen exercises of the course" in prose("concepts")


# ── Mechanism Lab ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_lab_opens_at_step_one_and_is_the_whole_run():
    assert "".join(CELLS["lab"]["source"]) == "al.mechanism_lab()"
    lab = al.mechanism_lab()
    assert (lab.stage.view, lab.stage.stop) == ("lab", 1)
    lab.close()


# ── Predictions ──────────────────────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    for cell, name in {
        "predict-turn": "turned_scores",
        "predict-partner": "partner",
        "predict-parameters": "parameters",
    }.items():
        assert "".join(CELLS[cell]["source"]) == f'guess = None\nal.predict("{name}", guess)'
        assert output(cell) == repr(al.predict(name))
