"""Notebook 06: every number and every claim of its prose, computed again and looked up in the prose.

That its cells still print what is stored is nbval's business; here the words around them are held to the mathematics.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from stored import Stored, short

import attention_lab as al
from attention_lab import wording

ROOT = Path(__file__).resolve().parents[1]
NAME = "06_multi_head.ipynb"
STORED = Stored(NAME)
CELLS, prose, output = STORED.cells, STORED.prose, STORED.output

tokens, H, *W = al.examples.lesson(d_k=6)
W_O = al.examples.output_weights(6, 6)
Q, K, V = (H @ w for w in W)
CAUSAL = al.causal_mask(4)
COLUMNS = (slice(0, 3), slice(3, 6))


def heads(H, n_heads, mask=None, W=W, W_O=W_O):
    return al.multi_head_attention(H, *W, W_O, n_heads, mask)


def row_of(cell, label):
    """The numbers of the printed row with this label."""
    line = next(line for line in output(cell).splitlines() if line.strip().startswith(label))
    return [float(x) for x in re.findall(r"-?\d\.\d{3}", line)]


# ── Intuition ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("d_v", [1, 2, 7])
def test_equal_weights_cannot_tell_two_tokens_apart_and_two_heads_can(d_v):
    values = np.random.default_rng(d_v).normal(size=(2, d_v))
    swapped = values[::-1]
    assert [0.5, 0.5] @ values == pytest.approx([0.5, 0.5] @ swapped)
    assert not np.allclose(np.concatenate(values), np.concatenate(swapped))
    assert [0.9, 0.1] @ values != pytest.approx([0.9, 0.1] @ swapped)  # so "equal" is needed
    assert prose("intuition-prose").count("(3, .5)") == 2 and (
        [0.5, 0.5] @ np.array([[1, 2], [5, -1]])
    ).tolist() == [3, 0.5]


def test_what_the_two_heads_prefer():
    first, second = heads(H, 2, CAUSAL).weights
    assert first[3].argmax() == 1 and second[3].argmax() == 3
    assert (
        f"gives most weight to *raises* ({short(first[3, 1])}) and next to nothing to itself ({short(first[3, 3])})"
        in prose("intuition-prose")
    )
    assert f"gives itself the most ({short(second[3, 3])})" in prose("intuition-prose")


def test_the_two_labs_are_the_two_heads():
    for h, c in enumerate(COLUMNS):
        lab = al.mechanism_lab("5a", arrays=al.examples.Example(tokens, H, *(w[:, c] for w in W)))
        assert lab.settings() == {"d_k": 3, "mask": "causal", "n": 4, "query": 3}
        lab.query.value = 4
        row = heads(H, 2, CAUSAL).weights[h, 3]
        assert f"“jobs” gives most weight to “{tokens[row.argmax()]}” ({row.max():.3f})" in lab.picture().alt
        lab.close()
    assert output("lab").count("at step 5 of 5") == 2


# ── Derivation ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_row_by_hand():
    for h, c in enumerate(COLUMNS):
        e = np.exp(K[:, c] @ Q[3, c] / np.sqrt(3))
        assert e / e.sum() == pytest.approx(heads(H, 2, CAUSAL).weights[h, 3])
    said = " + ".join(short(x) if x < 1 else f"{x:.3f}" for x in e)
    assert f"{said} = {e.sum():.3f}, and {e[3]:.3f} / {e.sum():.3f} = {short(e[3] / e.sum())}." in prose(
        "matrix-prose"
    )


def test_concatenating_is_adding_up():
    Z = [al.self_attention(H, *(w[:, c] for w in W), CAUSAL).context for c in COLUMNS]
    terms = [z @ W_O[c] for z, c in zip(Z, COLUMNS, strict=True)]
    assert sum(terms) == pytest.approx(np.hstack(Z) @ W_O)
    assert sum(terms) == pytest.approx(heads(H, 2, CAUSAL).context)
    first, second = (term[3, 0] for term in terms)
    assert f"{short(first)} + {short(second)} = {short(first + second)}." in prose("matrix-prose")
    assert row_of("one-row", "z W_O") == pytest.approx(sum(terms)[3], abs=5e-4)
    assert row_of("matrix", "jobs") == row_of("one-row", "z W_O")
    # W_O lets a head write to every coordinate; without it head 1 would keep to its own three.
    assert (np.abs(terms[0]).max(axis=0) > 0.01).all()


def test_shapes_on_every_line():
    A = heads(H, 2, CAUSAL)
    split = al.split_heads(Q, 2)
    assert split.shape == (2, 4, 3) and A.weights.shape == A.scores.shape == (2, 4, 4)
    assert A.context.shape == H.shape and al.merge_heads(split).shape == (4, 6)
    assert output("matrix").splitlines()[0] == "(2, 4, 3) (2, 4, 4) (2, 4, 3) (4, 6)"


def test_a_mask_with_the_heads_axis_gives_each_head_its_own():
    both = np.stack([CAUSAL, al.window_mask(4, 2)])
    weights = heads(H, 2, both).weights
    for h, mask in enumerate(both):
        assert np.array_equal(weights[h] > 0, mask)
        assert weights[h] == pytest.approx(heads(H, 2, mask).weights[h])


def test_einsum_agrees():
    A = heads(H, 2, CAUSAL)
    V_h = al.split_heads(V, 2)
    summed = np.einsum("hij,hjd,hdo->io", A.weights, V_h, W_O.reshape(2, 3, 6))
    assert summed == pytest.approx(A.context)


@pytest.mark.parametrize("h", [0, 1])
def test_one_head_alone_equals_its_slice(h):
    c = COLUMNS[h]
    alone = al.self_attention(H, *(w[:, c] for w in W), CAUSAL)
    joined = heads(H, 2, CAUSAL, W_O=np.eye(6)).context
    assert alone.weights == pytest.approx(heads(H, 2, CAUSAL).weights[h])
    assert alone.context == pytest.approx(joined[:, c])
    assert output("same").count("= True") == 2


def test_a_wide_head_adds_scores_and_multiplies_weights():
    S = al.attention_scores(*(al.split_heads(X, 2) for X in (Q, K)))
    assert S.sum(axis=0) == pytest.approx(Q @ K.T)
    wide, A = al.self_attention(H, *W, CAUSAL).weights, heads(H, 2, CAUSAL).weights
    product = np.prod(A, axis=0) ** (1 / np.sqrt(2))
    assert wide == pytest.approx(product / product.sum(axis=1, keepdims=True))
    assert (
        f"*jobs* gives itself {short(wide[3, 3])}: head 1 is against ({short(A[0, 3, 3])}), "
        f"head 2 in favour ({short(A[1, 3, 3])})"
    ) in prose("cost-table-prose")
    assert output("wide").count("= True") == output("wide-weights").count("= True") == 1
    assert not np.allclose(wide, A.mean(axis=0), atol=0.01)


def test_what_splitting_costs():
    _, H8, *W8 = al.examples.lesson(n=8, d_k=6)
    lines = [[int(x) for x in line.split()] for line in output("cost").splitlines()[1:]]
    for (m, *said), n_heads in zip(lines, (1, 2, 3, 6), strict=True):
        d_k = 6 // n_heads
        Q_h, K_h = (al.split_heads(H8 @ w, n_heads) for w in W8[:2])
        parameters = sum(block.size for w in (*W8, W_O.T) for block in np.split(w, n_heads, axis=1))
        A = heads(H8, n_heads).weights
        ranks = {int(np.linalg.matrix_rank(q @ k.T)) for q, k in zip(Q_h, K_h, strict=True)}
        assert ranks == {d_k}
        assert (m, said) == (n_heads, [d_k, parameters, A.size * d_k, A.size, d_k])
    assert [line[2] for line in lines] == [144] * 4 and [line[3] for line in lines] == [384] * 4
    assert 4 * 6**2 == 4 * 3 * 6 * 2 == 144 and "4 · 3 · 6 · 2 = 144" in prose("panel-prose")


# ── Reshapes ─────────────────────────────────────────────────────────────────────────────────────────────────

six, H6, *W6 = al.examples.lesson(n=6, d_k=6)
WAYS = {
    "right": (lambda X: al.split_heads(X, 2), al.merge_heads),
    "no_merge_transpose": (lambda X: al.split_heads(X, 2), lambda Z: Z.reshape(6, 6)),
    "no_transpose": (lambda X: X.reshape(2, 6, 3), lambda Z: Z.reshape(6, 6)),
}


def influence(way, mask=None):
    split, merge = WAYS[way]

    def layer(X):
        return merge(al.scaled_dot_product_attention(*(split(X @ w) for w in W6), mask).context) @ W_O

    return al.influence_map(layer, H6)


def test_where_the_numbers_go():
    X = 10 * np.arange(1, 5)[:, None] + np.arange(1, 7)
    assert al.split_heads(X, 2)[0].tolist() == X[:, :3].tolist()  # its columns of all tokens
    assert X.reshape(2, 4, 3)[0].ravel().tolist() == X[:2].ravel().tolist()  # all columns of two tokens
    assert X.reshape(2, 4, 3)[1].ravel().tolist() == X[2:].ravel().tolist()
    assert X[1, 2] == 23 and "23 is column 3 of token 2" in prose("labels-prose")


def test_a_round_trip_passes_two_faults_that_cancel():
    X = np.arange(24).reshape(4, 6)
    assert np.array_equal(al.merge_heads(al.split_heads(X, 2)), X)
    assert not np.array_equal(al.split_heads(X, 2).reshape(4, 6), X)
    assert np.array_equal(X.reshape(2, 4, 3).reshape(4, 6), X)
    assert output("labels").endswith("]]\n(4, 6) True\n(4, 6) False\n(4, 6) True\n")


@pytest.mark.parametrize(
    "way, leaks, dead", [("right", 0, 0), ("no_merge_transpose", 6, 3), ("no_transpose", 0, 9)]
)
def test_leaks_and_dead_cells_under_a_causal_mask(way, leaks, dead):
    mask = al.causal_mask(6)
    found = influence(way, mask)
    assert ((found[~mask] > 0).sum(), (found[mask] == 0).sum()) == (leaks, dead)
    assert found[found > 0].min() > 0.05  # nothing hangs on a threshold
    line = next(line for line in output("maps").splitlines() if line.startswith(f"influence_{way} "))
    assert line.split()[1:] == [str(leaks), "/", "15", str(dead), "/", "21"]


def test_which_tokens_stand_in_which_row():
    mask = al.causal_mask(6)
    merged = al.split_heads(H6, 2).reshape(6, 6)
    assert merged[0].tolist() == [*H6[0, :3], *H6[1, :3]]  # row 1: head 1 of tokens 1 and 2
    assert merged[2].tolist() == [*H6[4, :3], *H6[5, :3]]  # row 3: head 1 of tokens 5 and 6
    assert merged[3].tolist() == [*H6[0, 3:], *H6[1, 3:]]  # row 4: head 2 of tokens 1 and 2
    assert (influence("no_merge_transpose", mask)[2] > 0).all()
    assert (influence("no_transpose", mask)[3] > 0).tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize("n, n_heads", [(5, 2), (6, 2), (7, 3), (4, 6)])
def test_bare_reshapes_at_both_ends_never_leak(n, n_heads):
    """Memory order is token order: for any length and number of heads, whether or not tokens are cut in two."""
    _, X, *W = al.examples.lesson(n=n, d_k=6)

    def layer(X):
        Q, K, V = ((X @ w).reshape(n_heads, n, 6 // n_heads) for w in W)
        return al.scaled_dot_product_attention(Q, K, V, al.causal_mask(n)).context.reshape(n, 6)

    found, mask = al.influence_map(layer, X), al.causal_mask(n)
    assert not found[~mask].any() and (found[mask] == 0).any()


@pytest.mark.parametrize("way, zeros", [("right", 0), ("no_merge_transpose", 0), ("no_transpose", 18)])
def test_without_a_mask_the_merge_fault_is_invisible(way, zeros):
    assert (influence(way) == 0).sum() == zeros
    assert dict(zip(WAYS, output("unmasked").split(), strict=True))[way] == str(zeros)


# ── Explore ──────────────────────────────────────────────────────────────────────────────────────────────────


def shown(d_k, n_heads, n=4, mask=CAUSAL):
    """The weights of panel 6: heads of width d_k on the first columns of the widest example."""
    _, H, *W = al.examples.lesson(n=n, d_k=64)
    W = [w[:, : d_k * n_heads] for w in W]
    return heads(H, n_heads, mask, W, al.examples.output_weights(d_k * n_heads, 6))


def test_what_the_panel_is_said_to_show():
    for one, more in ((1, 2), (2, 3)):  # heads appear beside the others
        assert shown(3, more).weights[:one] == pytest.approx(shown(3, one).weights)
        assert (np.abs(shown(3, more).context - shown(3, one).context).max(axis=1) > 0.01).all()
    assert shown(3, 2).weights == pytest.approx(heads(H, 2, CAUSAL).weights)
    assert shown(3, 2).context == pytest.approx(heads(H, 2, CAUSAL).context)
    one, two, three = (shown(6 // m, m).weights[:, 3, 3] for m in (1, 2, 3))
    assert (
        f"is {short(one[0])} with one head, {short(two[0])} and {short(two[1])} with two, "
        f"{short(three[0])}, {short(three[1])} and {short(three[2])} with three."
    ) in prose("reshapes-prose")
    assert shown(4, 2).weights[0] == pytest.approx(
        al.self_attention(*al.examples.lesson()[1:], CAUSAL).weights
    )
    assert shown(3, 2, 8, al.causal_mask(8)).weights[:, :4, :4] == pytest.approx(shown(3, 2).weights)


def test_the_panel_starts_where_the_prose_says_and_draws_these_weights():
    panel = al.panel(6)
    assert panel.settings() == {"d_k": 4, "mask": "causal", "n": 4, "query": 3, "own": 2}
    panel.d_k.value, panel.own.value = 3, 2
    assert f"“jobs” gives most weight to “jobs” ({shown(3, 2).weights[1, 3, 3]:.3f})" in panel.picture().alt
    panel.close()


# ── A real trained head ──────────────────────────────────────────────────────────────────────────────────────


def attend(head):
    """What the notebook's function computes."""
    return al.scaled_dot_product_attention(*head.project())


def real(name, sentence=0, positions="own"):
    return al.examples.real_head(name, sentence, positions)


def test_the_formula_gives_the_published_model_s_weights():
    names = ("previous", "next", "pronoun", "related", "separator", "sink", "flat", "late")
    differences = [
        np.abs(attend(real(n, s)).weights - real(n, s).weights).max() for n in names for s in range(4)
    ]
    assert max(differences) < 1e-3
    assert f"heads and four sentences is {short(max(differences), digits=4)}" in prose("case-prose")
    assert output("real").split()[:4] == ["True", "True", "True", "0.89"]


def test_what_three_real_heads_do_in_the_picture():
    tokens = real("pronoun", 2).tokens
    previous, pronoun, sink = (attend(real(name, 2)).weights for name in ("previous", "pronoun", "sink"))
    assert (np.diag(previous, -1) > 0.99).all()
    their, kept = tokens.index("their"), tokens.index("kept")
    assert (their, kept) == (7, 6) and tokens[1] == "workers"  # one row above
    assert f"*their* gives *workers* {short(pronoun[7, 1], digits=2)}" in prose("case-prose")
    assert tokens[pronoun[kept].argmax()] == "jobs"
    assert 6 < (pronoun.argmax(axis=1) == 0).sum() < 14  # "many other rows"
    assert (sink.argmax(axis=1) == 0).all() and tokens[0] == "[CLS]"


def test_the_previous_token_head_needs_positions_and_only_their_order():
    printed = dict(line.split() for line in output("positions").splitlines()[:3])
    for positions, said in printed.items():
        mass = []
        for s in range(4):
            A, words = attend(real("previous", s, positions)).weights, real("previous", s).words
            mass += [A[i, i - 1] for i in np.flatnonzero(words)]
        assert float(said) == pytest.approx(np.mean(mass), abs=0.006)
    assert list(printed.values()) == ["1.00", "1.00", "0.08"]
    words = prose("approximate-prose")
    assert "1.00, 1.00, .08." in words and "the sink head: .82 on [CLS]" in words
    assert "falls from 1.00 to .08" in prose("case-prose")
    assert output("positions").splitlines()[3] == "0.82"


# ── The case ─────────────────────────────────────────────────────────────────────────────────────────────────

training = al.training


@cache
def reader(seed):
    return training.learn(training.TABLES, seed)


def test_the_reader_reads_the_printed_table_and_its_notes():
    reading, mask = training.read(reader(0)), training.table_mask()[:12]
    assert (
        len(training.pieces()) == 20
        and (training.evaluate(reader(0), training.card_krueger()).accuracy == 1).all()
    )
    kind = {k: reading.weights[:, training.KINDS == k].sum(axis=1) for k in ("number", *training.QUESTIONS)}
    assert (kind["number"] < 0.1).all() and not reading.weights[~mask].any()
    assert kind["bracket"][1::2].min() > 2 * kind["bracket"][::2].max()
    task = training.TABLES
    assert (task.d_k, task.d_model, task.steps, task.positions) == (8, 24, 250, False)


def test_the_ablation_table():
    marks = [re.findall("[✓–]", line) for line in output("ablation").splitlines()[1:]]
    whose = ["–", "–", "✓", "✓", "✓"]
    own = [["–" if i == q else "✓" for i in range(5)] for q in range(5)]
    assert marks == [["✓"] * 5, whose, whose, ["–"] * 5, *own]


def test_every_seed_believes_the_note():
    for seed in range(3):
        for note in training.ANSWERS["bracket"]:
            said = {row[3] for row in training.read(reader(seed), bracket=note).answers[1::2]}
            assert said == {wording.text(f"training.bracket.{note}")}
    assert output("swap").split("\n")[:3] == ["{'standard error'}", "{'t statistic'}", "{'number of stores'}"]


def test_the_weights_do_not_show_the_swap():
    """Seed 0, which the notebook shows: same bars for one note, none at all for the other."""
    error, t, stores = (
        training.read(reader(0), bracket=note).weights[1::2] for note in training.ANSWERS["bracket"]
    )
    assert np.abs(t - error).max() < 0.05
    assert (
        stores[:, training.KINDS == "bracket"].max()
        < 0.05
        < 0.1
        < error[:, training.KINDS == "bracket"].min()
    )


def classes_about_brackets(seed, weights, values):
    """The answers about the six brackets with the weights of one note's table and the values of another's."""
    f = [
        training.forward(reader(seed).layer, training.card_krueger(bracket=b).ids, training.table_mask())
        for b in (weights, values)
    ]
    assert np.flatnonzero((f[0]["V"] != f[1]["V"]).any(axis=(0, 2))).tolist() in ([], [18])
    logits = f[0]["weights"] @ f[1]["V"] @ reader(seed).layer["W_out"]
    return logits.reshape(20, 5, 6).argmax(axis=2)[1:12:2, 3].tolist()


def test_swapping_only_the_value_changes_the_answers_and_no_weight():
    assert output("value").splitlines() == ["[18]", "[0 0 0 0 0 0]", "[1 1 1 1 1 1]"]
    swapped = [classes_about_brackets(seed, "standard_error", "t_statistic") for seed in range(5)]
    for seed in range(5):
        assert classes_about_brackets(seed, "standard_error", "standard_error") == [0] * 6
    assert sum(answers == [1] * 6 for answers in swapped) >= 3 and swapped[0] == [1] * 6
    for seed, answers in enumerate(swapped):  # otherwise the note is not looked at
        note = training.read(reader(seed)).weights[1::2, training.KINDS == "bracket"]
        assert answers == [1] * 6 or note.max() < 0.06


def test_what_of_the_difference_in_differences_can_be_recomputed():
    means, errors, _ = al.examples.card_krueger()
    words, shown = prose("did-after"), output("did")
    assert (means[1] - means[0])[:2] == pytest.approx([-2.16, 0.59])
    assert means[2, :2].tolist() == [-2.16, 0.59]
    assert (means[:2, 1] - means[:2, 0]) == pytest.approx([-2.89, -0.14])
    assert means[:2, 2].tolist() == [-2.89, -0.14]
    assert means[2, 1] - means[2, 0] == pytest.approx(2.75) and means[2, 2] == 2.76
    across_states = np.hypot(errors[:, 0], errors[:, 1])
    assert across_states.round(2).tolist() == errors[:, 2].tolist() == [1.44, 1.07, 1.36]
    across_time = np.hypot(errors[0, :2], errors[1, :2])
    assert across_time.round(2).tolist() == [1.65, 0.73] != errors[2, :2].tolist()
    assert round(float(np.hypot(*across_time)), 2) == 1.80
    assert round(2.76 / 1.36, 2) == 2.03 and round(2.76 / 1.80, 2) == 1.53 < 1.96
    assert "2.03 [0.09, 5.43]  1.53" in shown and "[1.65 0.73] 1.8" in shown
    for said in (
        "−2.89, −0.14, −2.16, 0.59",
        "1.44, 1.07, 1.36",
        "1.65 and .73",
        "2.03 standard errors",
        ".09 to 5.43",
    ):
        assert said in words
    # rounding: each printed cell is within .005, so two changes can be off by .02 at most, and 2.754 prints as 2.75
    assert "2.754" in words and f"{2.754:.2f}" == "2.75"


# ── Exercises and the fault hunt (starters, solutions: test_notebook_exercises.py) ────────────────────────────────


def test_worked_examples_of_the_exercises():
    X = 10 * np.arange(1, 3)[:, None] + np.arange(1, 7)
    split = al.split_heads(X, 3)
    assert split[0].tolist() == [[11, 12], [21, 22]] and split[1].tolist() == [[13, 14], [23, 24]]
    assert split[2].tolist() == [[15, 16], [25, 26]]
    assert al.merge_heads(np.arange(1, 7).reshape(2, 3, 1)).tolist() == [[1, 4], [2, 5], [3, 6]]
    H2, W_K = np.array([[1, 2], [3, 8]]), np.array([[1, -2], [0.5, 3]])
    W = np.zeros((2, 2)), W_K, np.eye(2)
    assert heads(H2, 2, None, W, np.array([[1, 0, 1], [0, 1, 1]])).context.tolist() == [[2, 5, 7], [2, 5, 7]]


def test_answers_to_the_questions():
    words = prose("questions")
    q, k = np.random.default_rng(0).normal(size=(2, 20000, 32))
    assert ((q * k).sum(axis=1) / np.sqrt(384)).var() == pytest.approx(
        32 / 384, rel=0.05
    ) and "32/384 = 1/12" in words
    assert f"{np.sqrt(384 / 32):.2f} times too small, as at temperature 3.46" in words
    assert (
        f"{384 * 384:,} numbers" in words
        and f"2 · 384 · 32 = {2 * 384 * 32:,}: six" in words
        and 384 / 64 == 6
    )
    W_V, W_O = np.random.default_rng(1).normal(size=(2, 6, 3)) / 2
    whole = W_V @ W_O.T
    assert np.linalg.matrix_rank(whole) == 3
    A = heads(H, 2).weights[0]
    assert A @ (H @ whole) == pytest.approx((A @ (H @ W_V)) @ W_O.T)


def test_the_usual_probe_passes_every_layer_and_the_published_ones_expose_every_fault():
    assert re.findall(r"\| (\d) \| .*?\| `(\w+)` \|", "".join(CELLS["hunt-prose"]["source"])) == [
        (str(k), fault) for k, fault in enumerate(al.hunt.FAULTS, 1)
    ]
    session = {"np": np, "al": al}
    exec("".join(CELLS["hunt-usual"]["source"]).split("faulty,")[0], session)
    for fault in al.hunt.FAULTS:
        assert session["usual"](al.hunt.layer(fault)) and session["usual"](al.hunt.sound())
    assert output("hunt-usual").startswith("True True\n[")
    (probes,) = re.findall(r"```python\n(.+?)```", "".join(CELLS["hunt-probes-prose"]["source"]), re.S)
    call = "".join(CELLS["hunt"]["source"]).partition("al.hunt.score")
    exec(probes, session)
    sheet = eval("".join(call[1:]), session)
    assert {fault: verdict.passed for fault, verdict in sheet.verdicts.items()} == dict.fromkeys(
        al.hunt.FAULTS, True
    )
    exec(call[0], session)
    starters = eval("".join(call[1:]), session)
    assert not any(verdict.attempted for verdict in starters.verdicts.values())
    assert output("hunt") == repr(starters)


def test_the_largest_weight_names_another_token_in_about_one_row_of_three():
    wrong = []
    for seed in range(10):
        sound, H = al.hunt.sound(seed), np.random.default_rng(seed).normal(size=(8, 8))
        moved = [np.linalg.norm(sound.attend(H, without=j) - sound.attend(H), axis=1) for j in range(8)]
        named = sound.weights(H).mean(axis=0).argmax(axis=1)
        assert [sound.explain(H, i) for i in range(8)] == np.argmax(moved, axis=0).tolist()
        wrong.append(named != np.argmax(moved, axis=0))
    assert 0.25 < np.mean(wrong) < 0.45
    assert "in about one row of three" in prose("hunt-probes-prose")


# ── Going further ────────────────────────────────────────────────────────────────────────────────────────────


def test_ablation_is_the_size_of_one_term_and_diversity_runs_from_0_to_1():
    _, H8, *W8 = al.examples.lesson(n=8, d_k=6)
    whole = heads(H8, 3).context
    sizes = []
    for h in range(3):
        without = W_O.copy()
        without[2 * h : 2 * h + 2] = 0  # head h is cut off
        sizes.append(np.linalg.norm(whole - heads(H8, 3, W_O=without).context) / np.linalg.norm(whole))
    assert output("measure").strip() == str(np.round(sizes, 3))
    words = prose("measure-real-prose")
    assert f"Head 3 has the largest term ({short(max(sizes))})" in words and np.argmax(sizes) == 2
    assert f"head 1 the smallest ({short(min(sizes))})" in words and np.argmin(sizes) == 0
    assert sum(sizes) > 1.1
    A = heads(H8, 3).weights
    D = np.array([[np.abs(g - h).sum(axis=1).mean() / 2 for h in A] for g in A])
    apart = D[~np.eye(3, dtype=bool)]
    assert f"{short(apart.min())} to {short(apart.max())} apart" in words and not D.diagonal().any()
    assert row_of("diversity", "head 2 ") == pytest.approx(D[1], abs=5e-4)


def test_two_trained_heads_of_one_layer_look_elsewhere():
    for pair, said in zip(
        (("previous", "flat"), ("next", "sink")), output("measure-real").split(), strict=True
    ):
        first, second = (real(name).weights for name in pair)
        assert f"{np.abs(first - second).sum(axis=1).mean() / 2:.2f}" == said
    assert ".92 and .66" in prose("measure-after")
    assert output("measure-real").split() == ["0.92", "0.66"]


def test_an_approximation_suits_a_head_or_does_not():
    printed = np.array([line.split()[-3:] for line in output("approximate").splitlines()[1:]], dtype=float)
    top, window, first = printed.T  # previous, next, sink, related, flat
    assert window[0] == first[0] == top[0] == 0
    assert (window[2:4] > 3).all() and window[2] == 3.13 and first[2] == 0.25
    assert top[:4].max() < 0.12 and top[4] == 0.61
    assert "from 3.13 to .25" in prose("approximate-after") and "(.61)" in prose("approximate-after")


@pytest.mark.parametrize("sentence", range(4))
def test_the_error_is_the_dropped_weight_times_a_distance(sentence):
    head = real("sink", sentence)
    A, n = attend(head).weights, len(head.tokens)
    near = al.window_mask(n, 2) | al.window_mask(n, 2).T
    V = head.project()[2]
    dropped = np.where(near, 0, A).sum(axis=1, keepdims=True)
    kept_z, dropped_z = (
        np.where(m, A, 0) @ V / np.where(m, A, 0).sum(axis=1, keepdims=True) for m in (near, ~near)
    )
    assert A @ V - kept_z == pytest.approx(dropped * (dropped_z - kept_z), abs=1e-4)
    size = np.linalg.norm(V, axis=1)
    assert size[0] < 0.5 * size[head.words].min()  # [CLS] has a short value vector


def test_what_the_lookup_and_the_sink_have_learned():
    assert output("lookup") == "1.00 True\n" and output("sink").startswith("True True\n")
    for seed in range(2):
        test = training.evaluate(training.learn(training.SINK, seed))
        symbols = np.hstack([test.batch.ids[..., 0], test.batch.targets[:, -1:]])
        assert (
            symbols[:, 6:] == symbols[:, 1:-5]
        ).all()  # row p predicts the symbol at p + 1, seen at p − 4, p − 9
        same_place = [[(p - j) % 5 == 4 and j >= 1 and p >= 5 for j in range(16)] for p in range(16)]
        assert training.mass_on(test.weights, np.array(same_place)) > 0.9
        assert test.weights[:, 1:5, 0].mean() > 0.95


def test_heads_have_no_order():
    swap = [3, 4, 5, 0, 1, 2]
    before = heads(H, 2, CAUSAL)
    after = heads(H, 2, CAUSAL, [w[:, swap] for w in W], W_O[swap])
    assert after.context == pytest.approx(before.context)
    assert after.weights == pytest.approx(before.weights[::-1])
    assert output("order") == "True True\n"


# ── Predictions and links ────────────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    for cell, name in {
        "predict-parameters": "heads_parameters",
        "predict-leak": "no_transposes",
        "predict-note": "hidden_note",
        "predict-unmasked": "merge_unmasked",
        "predict-window": "window_on_sink",
    }.items():
        assert "".join(CELLS[cell]["source"]) == f'guess = None\nal.predict("{name}", guess)'
        assert output(cell) == repr(al.predict(name))
