"""Notebook 05: every number and every claim of its prose, computed again and looked up in the prose.

That its cells still print what is stored is nbval's business; here the words around them are held to the mathematics.
"""

import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from stored import Stored, short

import attention_lab as al

ROOT = Path(__file__).resolve().parents[1]
NAME = "05_masked_weighted_sum.ipynb"
STORED = Stored(NAME)
CELLS, prose, output = STORED.cells, STORED.prose, STORED.output
TABLE = """\
        policy  raises  wages   jobs
policy   1.000   0.000  0.000  0.000
raises   0.604   0.396  0.000  0.000
wages    0.316   0.406  0.278  0.000
jobs     0.419   0.431  0.126  0.024
row sums: [1. 1. 1. 1.]
context shape: (4, 4)
"""

tokens, H, *W = al.examples.lesson()
Q, K, V = (H @ w for w in W)
CAUSAL = al.causal_mask(4)


def attend(H, mask=None):
    return al.self_attention(H, *W, mask)


# ── The program ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_complete_program_prints_the_lessons_table_exactly():
    assert output("program") == TABLE


def test_the_program_needs_nothing_but_numpy_and_pandas(capsys):
    """In a plain Python, without al.setup and its table format, it prints the same."""
    source = "import numpy as np\nimport pandas as pd\n" + "".join(CELLS["program"]["source"])
    assert not re.search(r"\bal\.", source)
    import pandas

    kept = pandas.get_option("display.float_format")
    try:
        pandas.reset_option("display.float_format")
        exec(compile(source, "program", "exec"), {})
    finally:
        pandas.set_option("display.float_format", kept)
    assert capsys.readouterr().out == TABLE


def test_minus_1e9_in_the_lessons_place_gives_the_same_weights():
    scores = Q @ K.T / 2
    finite, infinite = (al.softmax(np.where(CAUSAL, scores, fill)) for fill in (-1e9, -np.inf))
    assert np.array_equal(finite, infinite)
    assert output("program-check").split() == [
        *"np.array_equal(finite, al.softmax(scores)) = True".split(),
        *"np.allclose(context, package.context) = True".split(),
    ]


# ── Intuition and derivation ─────────────────────────────────────────────────────────────────────────────────


def test_a_hidden_tokens_weight_goes_to_the_visible_ones_in_proportion():
    free, masked = attend(H).weights, attend(H, CAUSAL).weights
    words = prose("one-row-prose")
    assert f"Without a mask it is {short(*free[2])}." in words
    assert f"the other three become {short(*masked[2, :3])}." in words
    assert f"divided by {short(free[2, :3].sum())}," in words
    assert masked[2, :3] == pytest.approx(free[2, :3] / free[2, :3].sum())
    assert masked[2, 3] == 0 and masked[0, 0] == 1 and masked[3] == pytest.approx(free[3])
    assert attend(H, CAUSAL).context[0] == pytest.approx(V[0])


def test_the_row_by_hand():
    e = np.exp(Q[2] @ K.T / 2) * [1, 1, 1, 0]
    a = e / e.sum()
    words = prose("matrix-prose")
    assert f"exponentials are {short(*e[:3]).replace(' ', ' + ')} = {e.sum():.3f} before rounding" in words
    assert f"{short(e[0])} / {e.sum():.3f} = {short(a[0])}." in words
    assert a == pytest.approx(attend(H, CAUSAL).weights[2])
    terms = a * V[:, 3]
    assert (
        f"{short(terms[0])} + {short(terms[1])} − {short(-terms[2])} + {short(abs(terms[3]))} = {short(terms.sum())}."
        in words
    )
    assert attend(H, CAUSAL).context[2] == pytest.approx(a @ V)
    row = next(line.split() for line in output("one-row").splitlines() if line.startswith("a "))
    assert row[:5] == ["a", *(f"{w:.3f}" for w in a)]  # the next table follows without a line break


def test_the_mean_stays_inside_and_moves_along():
    a = attend(H, CAUSAL).weights
    z = a @ V
    for i in range(4):
        seen = V[: i + 1]
        assert (seen.min(axis=0) - 1e-15 <= z[i]).all() and (z[i] <= seen.max(axis=0) + 1e-15).all()
    assert a @ (V + 1) == pytest.approx(z + 1)
    assert "np.allclose(a @ (V + 1), z + 1) = True" in output("convex")


def test_matrix_loop_einsum_and_package_agree_and_scores_are_scaled_and_masked():
    result = al.scaled_dot_product_attention(Q, K, V, CAUSAL)
    assert np.einsum("ij,jv->iv", result.weights, V) == pytest.approx(result.context)
    assert al.attention_scores(Q, K) == pytest.approx(Q @ K.T)
    assert np.array_equal(result.scores == -np.inf, ~CAUSAL)
    assert result.scores[CAUSAL] == pytest.approx((Q @ K.T / 2)[CAUSAL])
    assert (result.weights >= 0).all() and result.weights.sum(axis=1) == pytest.approx(1)


# ── Masks ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_boolean_and_additive_are_one_mask_and_integers_are_refused():
    M = al.additive_mask(CAUSAL)
    assert np.array_equal(np.exp(M), CAUSAL) and np.array_equal(M == 0, CAUSAL)
    boolean, additive = attend(H, CAUSAL), attend(H, M)
    assert np.array_equal(boolean.weights, additive.weights)
    assert output("matrix").count("= True") == 3
    with pytest.raises(TypeError, match="booleans.*floats"):
        attend(H, CAUSAL.astype(int))


def test_numpy_masked_arrays_hide_where_true():
    assert np.ma.masked_array([1, 2], mask=[True, False]).sum() == 2


def test_an_upside_down_mask_raises_nothing_and_shows_on_the_diagonal():
    weights = attend(H, ~CAUSAL).weights
    assert weights[2].tolist() == [0, 0, 0, 1] and not weights[3].any() and not weights.diagonal().any()
    assert weights[:3].sum(axis=1) == pytest.approx(1)
    assert np.array_equal(weights != 0, ~CAUSAL)


@pytest.mark.parametrize("pads", [2, 5, 50])
def test_what_zero_pads_take_and_how_much_too_short_the_real_rows_come_out(pads):
    free = attend(np.vstack([H, np.zeros((pads, 6))]))
    shares = free.weights[:4, 4:].sum(axis=1)
    assert free.context[:4] == pytest.approx((1 - shares)[:, None] * attend(H).context)
    said = {2: "Two zero pads already take a third ({})", 5: "five take {}", 50: "fifty take {}"}[pads]
    assert said.format(short(shares.mean())) in prose("causal-padding-prose")


def test_padding_invariance():
    """The table: share of the pads, how far the real rows move without a padding mask and with it."""
    shown = [line.split() for line in output("pads").splitlines() if re.search(r"\d \d|\d  ", line)]
    for pads, size, line in zip((0, 2, 5, 50, 5), (0, 0, 0, 0, 1), shown, strict=True):
        rng = np.random.default_rng(5)
        padded = np.vstack([H, size * rng.normal(size=(pads, 6))])
        wrong, right = attend(padded), attend(padded, al.padding_mask(4, 4 + pads))
        assert right.context[:4] == pytest.approx(attend(H).context)
        moved = np.abs(wrong.context[:4] - attend(H).context).max()
        share = wrong.weights[:4, 4:].sum(axis=1).mean()
        assert pads == 0 or moved > 0.1
        assert line == [str(pads), str(size), f"{share:.3f}", f"{moved:.3f}", "0.000"]
    assert al.padding_mask(4, 9).shape == (1, 9) and al.padding_mask([4, 2, 3], 9).shape == (3, 1, 9)


def test_padding_is_never_hidden_on_queries():
    """With the mask on keys the pads' own rows are ordinary; on queries as well they would be empty."""
    six = al.examples.lesson(n=6).H
    keys = al.padding_mask(4, 6)
    assert attend(six, keys).weights[4:].sum(axis=1) == pytest.approx(1)
    assert not attend(six, keys & keys.T).weights[4:].any()


def test_right_padding_under_a_causal_mask_never_reaches_a_real_row_but_left_padding_does():
    six = al.examples.lesson(n=6).H
    causal, right = al.causal_mask(6), al.padding_mask(4, 6)
    moved = np.abs(attend(six, causal & right).context - attend(six, causal).context).max(axis=1)
    assert (moved[:4] == 0).all() and (moved[4:] > 0.1).all()
    left = ~al.padding_mask(2, 6)
    moved = np.abs(attend(six, causal & left).context - attend(six, causal).context).max(axis=1)
    assert (moved[2:] > 1e-3).all()


def test_masks_combine_with_and():
    causal, keys, window = al.causal_mask(6), al.padding_mask(4, 6), al.window_mask(6, 3)
    counts = [int(np.broadcast_to(m, (6, 6)).sum()) for m in (keys, causal & keys, window)]
    assert "Of 36 cells {} are visible under the padding mask, {} under both, {} in the window.".format(
        *counts
    ) in prose("empty-prose")
    assert np.array_equal(al.additive_mask(causal) + al.additive_mask(keys), al.additive_mask(causal & keys))
    assert np.triu(causal | keys, 1).any() and not np.triu(causal & keys, 1).any()
    assert window.sum() == 6 * 3 - 3  # n w, less the corner before the first token


def test_cross_attention():
    asking = al.examples.lesson(n=6).H[4:]
    result = al.scaled_dot_product_attention(asking @ W[0], K, V, al.padding_mask(3, 4))
    assert result.weights.shape == result.context.shape == (2, 4) and not result.weights[:, 3].any()
    assert output("cross").startswith("(2, 4) (2, 4)")
    with pytest.raises(ValueError, match="offset"):
        al.causal_mask(2, 4)


def test_an_empty_row_is_zero_over_zero_and_becomes_zeros():
    mask = CAUSAL & [False, True, True, True]
    result = al.scaled_dot_product_attention(Q, K, V, mask)
    assert not result.weights[0].any() and not result.context[0].any()
    assert result.weights[1:].sum(axis=1) == pytest.approx(1)
    E = np.exp(Q @ K.T / 2 + al.additive_mask(mask))
    with np.errstate(invalid="ignore"):
        assert np.isnan(E[0] / E[0].sum()).all()
        assert np.isnan(np.array([0.0, 1.0]) @ [np.nan, 1.0])  # a weight of 0 does not keep NaN out
    assert output("empty").splitlines()[0] == "[0. 0. 0. 0.]"


def plain_softmax(s):
    e = np.exp(s - s.max())
    return e / e.sum()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("fill", ["-1e4", "-1e9", "-inf"])
def test_large_finite_numbers_by_type(dtype, fill):
    unmasked, third, nan = plain_softmax(np.array([0.3, -1.2, 2.0])), 1 / 3, np.nan
    with np.errstate(all="ignore"):
        s, m = (np.array(x, float).astype(dtype) for x in ([0.3, -1.2, 2.0], [fill] * 3))
        added, replaced = plain_softmax(s + m), plain_softmax(m)
    finite = np.isfinite(m).all()
    kept_apart = (dtype, fill) in {("float64", "-1e4"), ("float64", "-1e9"), ("float32", "-1e4")}
    assert added == pytest.approx(unmasked if kept_apart else third if finite else nan, abs=5e-4, nan_ok=True)
    assert replaced == pytest.approx(third if finite else nan, abs=5e-4, nan_ok=True)
    assert short(*unmasked) in prose("finite-after")
    line = next(line for line in _filled(output("finite")) if line[:2] == [dtype, fill])
    assert [float(x) for x in line[2:]] == pytest.approx([*added, *replaced], abs=6e-4, nan_ok=True)


def _filled(table):
    """The lines of a table whose outer index is printed once, with that index on every line."""
    outer = None
    for line in table.splitlines()[1:]:
        words = line.split()
        outer = outer if line.startswith(" ") else words.pop(0)
        yield [outer, *words]


def test_float16_ends_at_65504_and_a_float64_mask_promotes():
    assert np.finfo("float16").max == 65504
    summed = np.float32([0.3, -1.2, 2.0]) + np.full(3, -1e9)
    assert summed.dtype == "float64"
    assert plain_softmax(summed) == pytest.approx(plain_softmax(np.array([0.3, -1.2, 2.0])), abs=1e-6)
    assert [short(float(x)) for x in output("promoted").split()] == short(*plain_softmax(summed)).split()
    for dtype in ("float64", "float32", "float16"):  # with one visible key every fill does its work
        for fill in (-1e4, -1e9):
            with np.errstate(all="ignore"):
                assert plain_softmax(np.array([0.3, fill, 2.0]).astype(dtype))[1] == 0


def test_windows_in_layers():
    _, H9, *wide = al.examples.lesson(n=9, d_k=6)

    def stack(layers):
        def fn(X):
            for _ in range(layers):
                X = al.self_attention(X, *wide, al.window_mask(9, 3)).context
            return X

        return (al.influence_map(fn, H9) > 0).sum(axis=1)

    assert [stack(layers)[-1] for layers in (1, 2, 3)] == [1 + layers * (3 - 1) for layers in (1, 2, 3)]
    assert output("two-layers") == f"{stack(1)}\n{stack(2)}\n"


# ── Explore ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_panel_is_said_to_show():
    four, eight = al.examples.lesson(n=4).H, al.examples.lesson(n=8).H
    causal = attend(eight, al.causal_mask(8))
    assert causal.weights[:4, :4] == pytest.approx(attend(four, CAUSAL).weights)
    assert causal.context[:4] == pytest.approx(attend(four, CAUSAL).context)
    free = np.abs(attend(eight).context[:4] - attend(four).context).max(axis=1)
    assert (free > 0.01).all()
    both = attend(eight, al.causal_mask(8) & al.padding_mask(6, 8))
    assert both.context[:6] == pytest.approx(causal.context[:6])
    from attention_lab.panels import visibility

    assert np.array_equal(visibility("padding", 8), np.broadcast_to(al.padding_mask(6, 8), (8, 8)))


# ── Misconceptions ───────────────────────────────────────────────────────────────────────────────────────────


def notebook(*cells):
    """The names that these cells define, run in order after the set-up; pictures are not drawn."""
    names = {"np": np, "al": al, "H": H, "Q": Q, "K": K, "V": V, "tokens": tokens}
    names |= dict(zip(("W_Q", "W_K", "W_V"), W, strict=True))
    for cell in cells:
        source = "".join(CELLS[cell]["source"])
        exec(compile(source.split("al.plots.heatmaps")[0], cell, "exec"), names)
    return names


def test_the_influence_map_equals_the_mask_and_a_pad_still_moves_itself():
    influence = al.influence_map(lambda X: attend(X, CAUSAL), H)
    assert np.array_equal(influence > 0, CAUSAL)
    assert output("influence").startswith("np.array_equal(whole > 0, causal) = True")
    keys = al.padding_mask(2, 4)
    influence = al.influence_map(lambda X: attend(X, keys), H)
    assert np.array_equal(influence > 0, keys | np.eye(4, dtype=bool))


def test_through_the_values_the_map_is_the_mask_and_through_the_keys_nothing_hidden_comes_in():
    names = notebook("influence")
    assert names["right"](Q @ K.T / 2) == pytest.approx(attend(H, CAUSAL).weights)
    keys, values = names["through"](names["right"])
    assert np.array_equal(values > 0, CAUSAL)
    seen = CAUSAL.copy()
    seen[0] = False  # its one weight is 1 whatever the score
    assert np.array_equal(keys > 0, seen)


def test_three_wrong_ways_to_mask_and_the_test_that_finds_each():
    names = notebook("influence", "leaks")
    hidden, scores = ~CAUSAL, Q @ K.T / 2
    loud = np.where(np.indices((4, 4)).sum(axis=0) == 5, 800, scores)  # cells (2, 3) and (3, 2)
    leaks, moved = {}, {}
    for name, weights in names["versions"].items():
        leaks[name] = [influence[hidden].max() for influence in names["through"](weights)]
        with np.errstate(invalid="ignore"):
            moved[name] = np.abs((weights(loud) - weights(scores))[2] @ V).max()
    assert leaks["right"] == [0, 0] and moved["right"] == 0
    assert leaks["before_softmax"] == pytest.approx([0, 0.365], abs=1e-3) and moved["before_softmax"] == 0
    assert leaks["after_softmax"] == pytest.approx([0.081, 0], abs=1e-3)
    assert moved["after_softmax"] == pytest.approx(0.156, abs=1e-3)
    assert max(leaks["renormalised"]) < 1e-9 and np.isnan(moved["renormalised"])
    words = prose("training-prose")
    assert f"through values (up to {short(leaks['before_softmax'][1])})" in words
    assert f"through keys (up to {short(leaks['after_softmax'][0])})" in words
    table = [line.split()[-3:] for line in output("leaks-table").splitlines()[1:]]
    for line, name in zip(table, leaks, strict=True):
        assert line == [f"{x:.3f}".replace("nan", "NaN") for x in (*leaks[name], moved[name])]


def test_only_zeroing_after_softmax_shows_in_the_row_sums():
    versions, scores = notebook("influence", "leaks")["versions"], Q @ K.T / 2
    for name, weights in versions.items():
        sums = weights(scores).sum(axis=1)
        if name == "after_softmax":
            assert (sums[:3] < 0.99).all()
        else:
            assert sums == pytest.approx(1)
    hidden = {name for name, weights in versions.items() if not weights(scores)[~CAUSAL].any()}
    assert hidden == {"right", "after_softmax", "renormalised"}  # their pictures look properly masked


def test_minus_infinity_before_softmax_survives_a_hidden_score_of_any_size():
    right = notebook("influence")["right"]
    for hidden in (800, -800, 1e300):
        scores = np.where(CAUSAL, Q @ K.T / 2, hidden)
        assert np.array_equal(right(scores), right(Q @ K.T / 2))


def test_the_entropy_that_no_honest_model_beats():
    entropy = -0.82 * np.log(0.82) - 9 * 0.02 * np.log(0.02)
    assert al.training.COUNT.bound == pytest.approx(entropy)
    assert output("training").startswith(f"{entropy:.3f}\n")
    assert f"{np.log(10):.3f}" == "2.303" and "$\\ln 10 = 2.303$" in prose("generation-prose")


def test_the_layer_without_a_mask_looks_excellent_and_has_learned_to_copy():
    """Several seeds: tests/test_training.py. Here the run of the notebook, and what its prose says."""
    honest, leaky = al.training.learn(al.training.COUNT), al.training.learn(al.training.COUNT, mask=None)
    bound = al.training.COUNT.bound
    assert abs(al.training.final_loss(honest.losses) - bound) < 0.1  # "settles around the entropy"
    assert honest.losses[100:].min() < bound  # "a single step may dip below"
    assert honest.losses[100:].mean() > bound
    assert abs(al.training.final_loss(leaky.losses) - 0.2) < 0.08  # "to about .2"
    test = al.training.evaluate(leaky)
    assert al.training.mass_on(test.weights, np.eye(8, k=1) > 0) > 0.9
    said = [line.split()[-2:] for line in output("generation").splitlines()[1:]]
    assert said == [["False", "True"]] * 2 + [["True", "False"]] * 2


def test_the_coin_test_says_leak_for_the_last_three_masks():
    assert output("coins") == "[False, True, True, True]\n"


# ── Case ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_sentence_gathers_under_three_masks():
    found = al.examples.retrieval()
    q = found.query + found.keys[3] / 2
    scores = found.keys @ (q / np.linalg.norm(q)) / 0.1
    effect, design, measurement = ([0, 2, 5], [0, 3], [1, 2, 4])
    words = prose("case-after")
    free, without, approved = (
        al.softmax(np.where(visible, scores, -np.inf))
        for visible in (np.ones(12, bool), np.arange(12) != 3, found.kinds == "R")
    )
    table = [line.split()[-4:] for line in output("case").splitlines()[-3:]]
    for line, a in zip(table, (free, without, approved), strict=True):
        gathered = [a[effect].sum(), a[design].sum(), a[measurement].sum(), a[6:].sum()]
        assert line == [f"{x:.3f}" for x in gathered]
    assert f"rests on the design: {short(free[design].sum())}," in words
    assert f"on another topic holds {short(free[10])}." in words and found.kinds[10] == "H"
    assert f"its {short(free[3])} goes to the others" in words
    assert f"multiplied by 1/{short(1 - free[3])}." in words
    assert without == pytest.approx(np.where(np.arange(12) == 3, 0, free) / (1 - free[3]), abs=1e-6)
    assert f"the design, {short(without[design].sum())}, now comes" in words
    assert f"has grown to {short(without[10])}." in words
    assert (
        f"other topics keep {short(approved[6:].sum())}, and the design {short(approved[design].sum())}."
        in words
    )
    assert np.linalg.norm(found.keys, axis=1) == pytest.approx(1, abs=1e-3)


# ── Blocks ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_blocks_are_exact_and_take_less_memory():
    assert 8192**2 * 4 == 256 * 2**20 and "256 MiB" in prose("blocks-prose")
    peaks = {}
    for n in (512, 2048):
        q, k, v = np.random.default_rng(n).normal(size=(3, n, 64)).astype(np.float32)
        results = []
        for way in (al.scaled_dot_product_attention, al.blockwise_attention):
            tracemalloc.start()
            results.append(way(q, k, v))
            peaks[way.__name__, n] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert results[1] == pytest.approx(results[0].context, abs=1e-5)
    grown = [
        peaks[way, 2048] / peaks[way, 512] for way in ("scaled_dot_product_attention", "blockwise_attention")
    ]
    assert 14 < grown[0] < 17 and 3 < grown[1] < 5  # "about sixteen times", "about four times"
    assert "= True" in output("blockwise") and "= True" in output("running")


# ── Exercises ────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_exercises_say_they_worked_by_hand():
    assert al.causal_mask(3)[1].tolist() == [True, True, False]
    assert "True, True, False." in prose("exercise-causal-mask-prose")
    masks = al.padding_mask([2, 3], 4)
    assert masks.tolist() == [[[True, True, False, False]], [[True, True, True, False]]]
    mask = np.array([[True, True, False], [False, False, False]])
    Q = np.random.default_rng(0).normal(size=(2, 5))
    result = al.scaled_dot_product_attention(Q, np.zeros((3, 5)), np.array([[1.0], [3.0], [9.0]]), mask)
    assert result.context.tolist() == [[2], [0]]
    keeps_two = al.influence_map(lambda X: X[:2], np.random.default_rng(1).normal(size=(3, 4)))
    assert keeps_two == pytest.approx(np.array([[2, 0, 0], [0, 2, 0]]))


def test_joining_masks_with_or_lets_in_what_exactly_one_of_them_allows():
    causal, padding = al.causal_mask(6), np.broadcast_to(al.padding_mask(4, 6), (6, 6))
    extra = (causal | padding) & ~(causal & padding)
    assert np.array_equal(extra, causal ^ padding)
    assert [bool(row.any()) for row in extra] == [True, True, True, False, True, True]
    assert not extra[:4, 4:].any() and not np.triu(extra, 1)[4:].any() and extra[4:, 4:].any()
    six = al.examples.lesson(n=6).H
    for mask, leaks in ((causal & padding, False), (causal | padding, True)):
        influence = al.influence_map(lambda X, mask=mask: attend(X, mask).context, six)
        assert np.triu(influence, 1).any() == leaks


def test_a_mask_keeps_the_ratio_of_two_visible_weights():
    for mask in (None, CAUSAL):
        a = attend(H, mask).weights[2]
        assert f"*policy* has {short(a[0] / a[1], digits=2)} times the weight of *raises*" in prose(
            "questions"
        )


# ── Predictions and links ────────────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    for cell, name in {
        "predict-zero-pads": "zero_pads",
        "predict-causal-padding": "padding_under_causal",
        "predict-empty-row": "empty_row",
    }.items():
        assert "".join(CELLS[cell]["source"]) == f'guess = None\nal.predict("{name}", guess)'
        assert output(cell) == repr(al.predict(name))
