"""Notebook 06: every number and every claim of its prose, computed again and looked up in the prose.

That its cells still print what is stored is nbval's business; here the words around them are held to the mathematics.
"""

import re
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
    assert "The mean is [3. 0.5] both times" in prose("two-heads-prose")
    assert re.sub(r" +", " ", output("one-or-two")).count("[3. 0.5]") == 2


def test_what_the_two_heads_prefer():
    first, second = heads(H, 2, CAUSAL).weights
    assert first[3].argmax() == 1 and second[3].argmax() == 3
    assert (
        f"gives most weight to *raises* ({short(first[3, 1])}) and next to nothing to itself ({short(first[3, 3])})"
        in prose("one-row-prose")
    )
    assert f"gives itself the most ({short(second[3, 3])})" in prose("one-row-prose")


# ── Derivation ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_row_by_hand():
    for h, c in enumerate(COLUMNS):
        e = np.exp(K[:, c] @ Q[3, c] / np.sqrt(3))
        assert e / e.sum() == pytest.approx(heads(H, 2, CAUSAL).weights[h, 3])
    said = " + ".join(short(x) if x < 1 else f"{x:.3f}" for x in e)
    assert f"{said} = {e.sum():.3f}, and {e[3]:.3f} / {e.sum():.3f} = {short(e[3] / e.sum())}." in prose(
        "sum-prose"
    )


def test_concatenating_is_adding_up():
    Z = [al.self_attention(H, *(w[:, c] for w in W), CAUSAL).context for c in COLUMNS]
    terms = [z @ W_O[c] for z, c in zip(Z, COLUMNS, strict=True)]
    assert sum(terms) == pytest.approx(np.hstack(Z) @ W_O)
    assert sum(terms) == pytest.approx(heads(H, 2, CAUSAL).context)
    first, second = (term[3, 0] for term in terms)
    assert f"{short(first)} + {short(second)} = {short(first + second)}." in prose("matrix-prose")
    assert row_of("sum", "z W_O") == pytest.approx(sum(terms)[3], abs=5e-4)
    assert row_of("matrix", "jobs") == row_of("sum", "z W_O")
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
    assert output("slice").count("= True") == 2


def test_a_wide_head_adds_scores_and_multiplies_weights():
    S = al.attention_scores(*(al.split_heads(X, 2) for X in (Q, K)))
    assert S.sum(axis=0) == pytest.approx(Q @ K.T)
    wide, A = al.self_attention(H, *W, CAUSAL).weights, heads(H, 2, CAUSAL).weights
    product = np.prod(A, axis=0) ** (1 / np.sqrt(2))
    assert wide == pytest.approx(product / product.sum(axis=1, keepdims=True))
    assert (
        f"*jobs* gives itself {short(wide[3, 3])}: head 1 is against ({short(A[0, 3, 3])}), "
        f"head 2 in favour ({short(A[1, 3, 3])})"
    ) in prose("cost-prose")
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
    assert X[1, 2] == 23 and "23 is column 3 of token 2" in prose("round-trip-prose") + prose(
        "reshapes-prose"
    )


def test_a_round_trip_passes_two_faults_that_cancel():
    X = np.arange(24).reshape(4, 6)
    assert np.array_equal(al.merge_heads(al.split_heads(X, 2)), X)
    assert not np.array_equal(al.split_heads(X, 2).reshape(4, 6), X)
    assert np.array_equal(X.reshape(2, 4, 3).reshape(4, 6), X)
    assert output("round-trip") == "(4, 6) True\n(4, 6) False\n(4, 6) True\n"


@pytest.mark.parametrize(
    "way, leaks, dead", [("right", 0, 0), ("no_merge_transpose", 6, 3), ("no_transpose", 0, 9)]
)
def test_leaks_and_dead_cells_under_a_causal_mask(way, leaks, dead):
    mask = al.causal_mask(6)
    found = influence(way, mask)
    assert ((found[~mask] > 0).sum(), (found[mask] == 0).sum()) == (leaks, dead)
    assert found[found > 0].min() > 0.05  # nothing hangs on a threshold
    line = next(line for line in output("count").splitlines() if line.startswith(f"influence_{way} "))
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
    line = next(line for line in output("unmasked").splitlines() if line.startswith(f"{way} "))
    assert line.split()[1:] == [str(zeros), "/", "36"]


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
    ) in prose("panel-after")
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


# ── Going further ────────────────────────────────────────────────────────────────────────────────────────────


def test_ablation_is_the_size_of_one_term_and_diversity_runs_from_0_to_1():
    _, H8, *W8 = al.examples.lesson(n=8, d_k=6)
    whole = heads(H8, 3).context
    sizes = []
    for h in range(3):
        without = W_O.copy()
        without[2 * h : 2 * h + 2] = 0  # head h is cut off
        sizes.append(np.linalg.norm(whole - heads(H8, 3, W_O=without).context) / np.linalg.norm(whole))
    assert output("measure").splitlines()[0] == str(np.round(sizes, 3))
    words = prose("measure-after")
    assert f"Head 3 has the largest term ({short(max(sizes))})" in words and np.argmax(sizes) == 2
    assert f"head 1 the smallest ({short(min(sizes))})" in words and np.argmin(sizes) == 0
    assert sum(sizes) > 1.1
    A = heads(H8, 3).weights
    D = np.array([[np.abs(g - h).sum(axis=1).mean() / 2 for h in A] for g in A])
    apart = D[~np.eye(3, dtype=bool)]
    assert f"{short(apart.min())} to {short(apart.max())} apart" in words and not D.diagonal().any()
    assert row_of("measure", "head 2 ") == pytest.approx(D[1], abs=5e-4)


def test_heads_have_no_order():
    swap = [3, 4, 5, 0, 1, 2]
    before = heads(H, 2, CAUSAL)
    after = heads(H, 2, CAUSAL, [w[:, swap] for w in W], W_O[swap])
    assert after.context == pytest.approx(before.context)
    assert after.weights == pytest.approx(before.weights[::-1])
    assert output("order").count("= True") == 2


# ── Predictions and links ────────────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    wording.use("en")
    for cell, name in {
        "predict-parameters": "heads_parameters",
        "predict-leak": "no_transposes",
        "predict-unmasked": "merge_unmasked",
    }.items():
        assert "".join(CELLS[cell]["source"]) == f'guess = None\nal.predict("{name}", guess)'
        assert output(cell) == repr(al.predict(name))


def test_links_lead_to_files_that_exist_or_to_the_web():
    for cell in CELLS.values():
        if cell["cell_type"] == "markdown":
            for link in re.findall(r"\]\(([^)]+)\)", "".join(cell["source"])):
                assert (
                    link.startswith("https://") or (ROOT / "notebooks" / "en" / link.split("#")[0]).exists()
                ), link
