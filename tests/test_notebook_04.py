"""Notebook 04: every number and every claim of its prose, computed again and looked up in the prose.

That its cells still print what is stored is nbval's business; here the words around them are held to the mathematics.
"""

import re
from functools import cache

import numpy as np
import pytest
from stored import Stored, short

import attention_lab as al
from attention_lab.panels import visibility
from attention_lab.plots import _corners, _inside

NAME = "04_softmax.ipynb"
STORED = Stored(NAME)
CELLS, prose, output = STORED.cells, STORED.prose, STORED.output

tokens, H, *W = al.examples.lesson()
Q, K, V = (H @ w for w in W)
S = Q @ K.T / 2
A, C = al.softmax(S), al.softmax(S, axis=0)
CORNERS = np.array([[1, 1], [3, 1], [3, 2], [1, 3]])


def plain(s):
    """The formula as written, without subtracting the maximum."""
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(np.asarray(s, float))
        return e / e.sum(axis=-1, keepdims=True)


def jacobian(a):
    return np.diag(a) - np.outer(a, a)


# ── Softmax by hand ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_row_of_jobs_keeps_its_order_and_has_no_zero():
    words = prose("one-row-prose")
    assert f"from {short(S[3].min(), S[3].max(), digits=2).replace(' ', ' to ')}" in words
    assert f"from {short(A[3].min())} to {short(A[3].max())}." in words
    assert np.array_equal(np.argsort(S[3]), np.argsort(A[3])) and (A > 0).all()


def test_the_row_of_wages_by_hand():
    e = np.exp(S[2])
    words = prose("matrix-prose")
    assert f"= {e[1]:.3f} / {e.sum():.3f} = {short(e[1] / e.sum())}." in words
    assert e[1] / e.sum() == pytest.approx(A[2, 1])
    gap = S[2, 1] - S[2, 0]
    said = f"*raises* is {short(gap)} above *policy* (from unrounded scores), and $e^{{{short(gap)}}}$"
    assert f"{said} = {np.exp(gap):.3f}" in words
    assert A[2, 1] / A[2, 0] == pytest.approx(np.exp(gap))
    shown = [float(x) for x in re.findall(r"-?\d\.\d+", output("one-row"))]
    assert shown == pytest.approx(np.r_[S[2], S[2].sum(), e, e.sum(), A[2], 1], abs=6e-4)


def test_all_rows_at_once_and_shift_invariance():
    E = np.exp(S)
    assert E / (E @ np.ones(4))[:, None] == pytest.approx(A)
    shift = np.array([[5], [-3], [100], [0.5]])
    assert plain(S + shift) == pytest.approx(A) and al.softmax(S + shift) == pytest.approx(A)
    assert "= True" in output("matrix")


def test_why_subtract_the_maximum():
    with np.errstate(over="ignore", under="ignore"):
        assert np.isfinite(np.exp(709.0)) and np.isinf(np.exp(710.0)) and np.exp(-1000.0) == 0
    weights = al.softmax([2, 1, 0])
    assert plain([7, 6, 5]) == pytest.approx(weights) and plain([2, 1, 0]) == pytest.approx(weights)
    for s in ([1002, 1001, 1000], [-998, -999, -1000]):
        assert np.isnan(plain(s)).all() and al.softmax(s) == pytest.approx(weights)
    assert plain([1000, 1, 0]) == pytest.approx([np.nan, 0, 0], nan_ok=True)
    assert al.softmax([1000, 1, 0]).tolist() == [1, 0, 0]
    assert f"{short(*weights)} all four times" in prose("columns-prose")
    assert output("overflow").count("NaN") == 7
    for dtype in ("float64", "float32", "float16"):
        limit = np.log(float(np.finfo(dtype).max))
        assert f"{limit:.2f} in {dtype}" in prose("columns-prose")
        with np.errstate(over="ignore"):
            assert np.isfinite(np.exp(np.array(limit - 0.02, dtype)))
            assert np.isinf(np.exp(np.array(limit + 0.02, dtype)))


def test_the_maximum_of_the_whole_matrix_is_not_enough():
    scores = np.array([[1.0, 0.0], [1000.0, 999.0]])
    whole = plain(scores - scores.max())
    assert np.isnan(whole[0]).all()
    assert f"read {short(*whole[1])}." in prose("predict-temperature-prose")
    assert al.softmax(scores) == pytest.approx(np.array([whole[1]] * 2))


# ── Rows and columns ─────────────────────────────────────────────────────────────────────────────────────────


def test_rows_sum_to_one_and_columns_do_not():
    words = prose("temperature-prose")
    assert f"*raises* sums to {C[1].sum():.3f} and the row of *jobs* to {short(C[3].sum())}." in words
    assert (A >= 0).all() and pytest.approx(1) == A @ np.ones(4) and C.shape == A.shape
    assert pytest.approx(4) == C.sum() == A.sum()
    sums = " + ".join(f"{x:.3f}".lstrip("0") for x in A.sum(axis=0))
    assert f"{sums} = 4 up to rounding" in words
    assert output("columns").split("\n")[0] == "[1. 1. 1. 1.] [0.883 1.784 0.681 0.651]"


def test_softmax_down_the_columns_keeps_any_shape():
    scores = np.random.default_rng(0).normal(size=(2, 5))
    assert al.softmax(scores, axis=0).shape == (2, 5)
    assert abs(al.softmax(scores, axis=0).sum(axis=1) - 1).min() > 0.1


# ── Temperature ──────────────────────────────────────────────────────────────────────────────────────────────


def test_temperature_keeps_the_ranking_and_decides_how_sharp():
    sharp, flat = al.softmax(S[2] / 0.1), al.softmax(S[2] / 10)
    words = prose("hull-prose")
    assert f"At .1 *raises* takes {short(sharp[1])}." in words
    assert abs(flat - 0.25).max() < 0.025  # "no weight is far from a quarter"
    assert [tokens[j] for j in np.argsort(-S[2])] == ["raises", "policy", "wages", "jobs"]
    for t in (0.1, 0.5, 1, 2, 10, 100):
        assert np.array_equal(np.argsort(-al.softmax(S / t), axis=1), np.argsort(-S, axis=1))
    assert output("temperature").count("True") == 6
    assert al.softmax(S[2] / 1e-3) == pytest.approx([0, 1, 0, 0]) and al.softmax(S[2] / 1e6) == pytest.approx(
        0.25
    )
    assert al.softmax(Q @ K.T / np.sqrt(4)) == pytest.approx(A)


def test_entropy_never_falls_as_the_temperature_grows():
    def entropy(t):
        a = al.softmax(S[2] / t)
        return -(a * np.log(a)).sum()

    for t in (0.2, 2, 7):
        a = al.softmax(S[2] / t)
        slope = (entropy(t + 1e-5) - entropy(t - 1e-5)) / 2e-5
        assert slope == pytest.approx((a @ S[2] ** 2 - (a @ S[2]) ** 2) / t**3, rel=1e-5) and slope > 0
    first, second = output("entropy").split()[:2]
    assert first == second and f"Both slopes are {short(float(first), digits=4)}." in prose("path-prose")
    assert entropy(1e4) == pytest.approx(np.log(4))


# ── The hull ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_rows_stay_in_the_hull_and_columns_can_leave():
    hull = _corners(CORNERS)
    assert [_inside(z, hull) for z in A @ CORNERS] == [True] * 4
    assert [_inside(z, hull) for z in C @ CORNERS] == [True, False, False, False]
    words = prose("jacobian-prose")
    inside, outside = (A @ CORNERS)[1], (C @ CORNERS)[1]
    assert "By rows $z$ = ({:.2f}, {:.2f}), inside.".format(*inside) in words
    assert "By columns $z$ = ({:.2f}, {:.2f}), far outside".format(*outside) in words
    r = C.sum(axis=1, keepdims=True)
    assert all(_inside(z, hull) for z in C @ CORNERS / r)
    assert f"*policy*, with $r$ = {short(r[0, 0])}, happens to stay in" in prose("log-loss-prose")
    assert output("hull").endswith("row by row lies inside. z, column by column lies outside.")


def test_in_every_direction_the_outermost_value_is_the_limit():
    for u in np.random.default_rng(1).normal(size=(50, 2)):
        assert (A @ CORNERS @ u <= (CORNERS @ u).max()).all()


def test_temperature_moves_z_from_the_mean_towards_a_corner():
    near, far = (al.softmax(S[2] / t) @ CORNERS for t in (0.1, 10))
    assert np.linalg.norm(near - CORNERS[1]) < 0.2 and np.linalg.norm(far - CORNERS.mean(axis=0)) < 0.1
    assert CORNERS.mean(axis=0).tolist() == [2, 1.75] and "(2, 1.75)" in prose("factor-prose")
    assert (al.softmax(S[2] / 0.1) > 0).all()


# ── The Jacobian ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_jacobian_by_hand_by_formula_and_by_trial():
    a, h = A[2], 1e-5
    J = jacobian(a)
    words = prose("jacobian-prose")
    assert f"$a_1(1 - a_1)$ = {short(a[1])} · {short(1 - a[1])} = {short(J[1, 1])}." in words
    assert f"*policy* by {short(a[0])} · {short(a[1])} = {short(-J[0, 1])}." in words
    tried = np.column_stack([(al.softmax(a0 + d) - al.softmax(a0 - d)) / (2 * h) for a0, d in _nudges(h)])
    assert np.allclose(J, tried, rtol=0, atol=1e-9)
    assert "= True" in output("jacobian") and output("jacobian").startswith(str(np.round(J[:, 1], 3)))


def _nudges(h):
    return [(S[2], h * row) for row in np.eye(4)]


def test_three_facts_about_the_jacobian():
    for a in (*A, al.softmax([3.0, -1, 0.5])):
        J, g = jacobian(a), np.arange(len(a)) ** 2 - 1.5
        assert (np.diag(J) > 0).all() and (J[~np.eye(len(a), dtype=bool)] < 0).all()
        assert np.diag(J).max() <= 0.25 and np.array_equal(J, J.T)
        assert J.sum(axis=0) == pytest.approx(0) and J.sum(axis=1) == pytest.approx(0)
        assert J @ g == pytest.approx(a * (g - a @ g))
    assert jacobian(np.array([0.5, 0.3, 0.2]))[0, 0] == 0.25


def test_saturation():
    """One weight near 1: no entry of J is larger than what the other weights have together."""
    for factor in (1, 4, 16, 64):
        a = al.softmax(factor * S[2])
        assert abs(jacobian(a)).max() <= 1 - a.max() + 1e-15
    assert al.softmax(64 * S[2]).max() > 0.9995


# ── Back to 03 ───────────────────────────────────────────────────────────────────────────────────────────────


@cache
def draws(d_k):
    """1000 draws: the length of ∂L/∂q with and without the scale, that of J g and the largest weight without it."""
    rng, found = np.random.default_rng(4), []
    for _ in range(1000):
        q, keys, g = rng.normal(size=d_k), rng.normal(size=(16, d_k)), rng.normal(size=16)
        one = []
        for c in (d_k**-0.5, 1):
            a = al.softmax(c * keys @ q)
            Jg = a * (g - a @ g)
            one.append(np.linalg.norm(c * keys.T @ Jg))
        found.append([*one, np.linalg.norm(Jg), a.max()])
    return np.array(found).T


def test_the_gradient_at_the_query_is_the_formula():
    rng, h = np.random.default_rng(11), 1e-6
    q, keys, g = rng.normal(size=5), rng.normal(size=(7, 5)), rng.normal(size=7)
    for c in (5**-0.5, 1):
        tried = [
            (g @ al.softmax(c * keys @ (q + d)) - g @ al.softmax(c * keys @ (q - d))) / (2 * h)
            for d in h * np.eye(5)
        ]
        assert c * keys.T @ jacobian(al.softmax(c * keys @ q)) @ g == pytest.approx(tried, abs=1e-8)


def test_the_typical_gradient_dies_and_the_average_does_not():
    words = prose("panel-prose")
    widths = (4, 16, 64, 256, 1024)
    scaled, plain_, small, largest = zip(*map(draws, widths), strict=True)
    medians, means = np.median(plain_, axis=1), np.mean(plain_, axis=1)
    both = np.r_[np.median(scaled, axis=1), np.mean(scaled, axis=1)]
    assert f"stay between {short(both.min(), both.max(), digits=2).replace(' ', ' and ')} for" in words
    assert (
        f"from {short(medians[0], digits=2)} at $d_k$ = 4, up to {short(medians[1], digits=2)} at 16, "
        f"and down to {short(medians[4], digits=4)} at 1024." in words
    )
    assert (
        f"from {short(means[0], digits=2)} to {means[2]:.2f} at $d_k$ = 64 and stays near there: "
        f"{means[4]:.2f} at 1024." in words
    )
    assert medians.argmax() == 1 and 1 < means[2:].min() < means[2:].max() < 1.3
    last = plain_[4]
    assert f"Only {(last > 0.1).mean():.0%}".replace("%", " %") in words
    assert f"the largest is {last.max():.1f}." in words
    assert np.median(largest[4]) > 0.9999  # "in most draws one key has all the weight"
    falls = np.mean(small[2]) / np.mean(small[4])
    assert 3.3 < falls < 5  # like √(1024 / 64) = 4
    assert output("draws").startswith(f"{(last > 0.1).mean():.2f} {last.max():.1f}\n")
    assert f"the gradient is {short(last[0])} instead of {short(scaled[4][0])}." in words
    assert np.mean(scaled[4] > 0.1) > 0.97 and f"{largest[4][0]:.3f}" == "1.000"
    shown = [float(x) for x in re.findall(r"\d\.\d+", output("one-draw"))]
    assert shown[2::3] == pytest.approx([scaled[4][0], last[0]], abs=6e-4)
    assert shown[3:5] == pytest.approx([largest[4][0], small[4][0]], abs=6e-4)


@pytest.mark.parametrize("seed", [5, 6])
def test_other_draws_say_the_same(seed):
    for d_k, median in ((4, 0.44), (1024, 0)):
        rng, found = np.random.default_rng(seed), []
        for _ in range(500):
            q, keys, g = rng.normal(size=d_k), rng.normal(size=(16, d_k)), rng.normal(size=16)
            a = al.softmax(keys @ q)
            found.append(np.linalg.norm(keys.T @ (a * (g - a @ g))))
        assert np.median(found) == pytest.approx(median, abs=0.05)
        assert np.mean(found) > (0.4 if d_k == 4 else 0.8)


def test_the_logarithm_undoes_the_saturation():
    s, h = np.array([20.0, 0, 0]), 1e-5
    a = al.softmax(s)
    assert np.linalg.norm(jacobian(a)[:, 1]) < 5e-4
    exact = a - [0, 1, 0]
    assert pytest.approx(exact) == -jacobian(a)[:, 1] / a[1]
    tried = [(np.log(al.softmax(s - d)[1]) - np.log(al.softmax(s + d)[1])) / (2 * h) for d in h * np.eye(3)]
    assert tried == pytest.approx(exact, abs=1e-6) and exact == pytest.approx([1, -1, 0], abs=1e-6)
    assert output("log-loss") == "0.000\n[ 1. -1.  0.]\n" and "= True" in output("log-loss-check")


# ── Explore ──────────────────────────────────────────────────────────────────────────────────────────────────


def panel_row(n, d_k, mask, query, temperature=1):
    _, H, W_Q, W_K, W_V = al.examples.lesson(n=n, d_k=d_k)
    result = al.self_attention(H, W_Q / temperature, W_K, W_V, visibility(mask, n))
    return result.weights[query - 1], result.context[query - 1], H @ W_V


def test_what_the_panel_is_said_to_show():
    words = prose("panel-prose")
    (warm, _, _), (cold, z, values) = (panel_row(4, 4, "causal", 3, t) for t in (1, 0.1))
    assert f"*raises* goes from {short(warm[1])} to {short(cold[1])}" in words
    assert np.linalg.norm(z - values[1], axis=-1) < 0.2
    hot, z, values = panel_row(4, 4, "causal", 3, 10)
    assert np.ptp(hot[:3]) < 0.02 and np.linalg.norm(z - values[:3].mean(axis=0)) < 0.02
    assert np.array_equal(np.argsort(hot), np.argsort(cold)) and np.array_equal(
        np.argsort(hot), np.argsort(warm)
    )
    two = values[:, :2]
    assert [len(_corners(two[: i + 1])) for i in range(4)] == [1, 2, 3, 4]  # a point, a segment, a triangle
    few, many = (panel_row(n, 4, "none", 3)[0].max() for n in (4, 16))
    assert f"from {short(few)} to {short(many)}, for sixteen keys" in words
    for d_k, mask, query, t in ((4, "causal", 2, 0.1), (1, "window", 4, 1), (8, "padding", 3, 10)):
        weights, z, values = panel_row(8, d_k, mask, query, t)
        seen = np.pad(values[visibility(mask, 8)[query - 1]], ((0, 0), (0, 1)))[:, :2]
        assert _inside(np.append(z, 0)[:2], _corners(seen)) and weights.sum() == pytest.approx(1)


def test_the_panel_has_the_settings_the_prose_names():
    panel = al.panel(4)
    try:
        names = {"d_k": 4, "mask": "causal", "n": 4, "query": 3, "own": 1}
        assert panel.settings() == names
        panel.own.value = 0.1
        assert "z lies inside" in panel.picture().alt
        panel.own.value, panel.d_k.value, panel.mask.value, panel.n.value = 10, 1, "none", 16
        assert panel.picture().alt.startswith("16 values") and "z lies inside" in panel.picture().alt
    finally:
        panel.close()


# ── Misconception: weight is importance ──────────────────────────────────────────────────────────────────────


def without(a, values):
    """z with each token masked in turn (n_k, d_v): the others share its weight."""
    return al.softmax(np.where(np.eye(len(a)), -np.inf, np.log(a))) @ values


def test_a_weight_of_nine_tenths_adds_nothing_and_masking_it_multiplies_z_by_ten():
    a, values = al.softmax(np.log([0.9, 0.06, 0.04])), np.array([[0, 0], [3, 1], [-1, 2]])
    z, masked = a @ values, al.softmax([-np.inf, *np.log([0.06, 0.04])])
    assert np.array_equal(z, a @ (values * [[0], [1], [1]])) and masked == pytest.approx([0, 0.6, 0.4])
    assert masked @ values == pytest.approx(10 * z) and without(a, values)[0] == pytest.approx(10 * z)
    shown = [line.split()[-5:] for line in output("zero-value").splitlines()[1:]]
    assert shown[0] == shown[1] == ["0.900", "0.060", "0.040", "0.140", "0.140"]
    assert shown[2] == ["0.000", "0.600", "0.400", "1.400", "1.400"]


def test_a_zero_value_always_works_so():
    rng = np.random.default_rng(2)
    for n, d_v, share in ((3, 2, 0.9), (7, 5, 0.9), (4, 3, 0.75)):
        values = np.vstack([np.zeros(d_v), rng.normal(size=(n - 1, d_v))])
        a = np.r_[share, (1 - share) * al.softmax(rng.normal(size=n - 1))]
        assert without(a, values)[0] == pytest.approx(a @ values / (1 - share))


def direction(values):
    """δ with δᵀ [V, 1] = 0, or None where there is none."""
    ones = np.c_[values, np.ones(len(values))]
    left = np.linalg.svd(ones)[0][:, np.linalg.matrix_rank(ones) :]
    return left[:, 0] if left.shape[1] else None


def test_twins():
    square = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    one, other = np.array([[0.49, 0.01, 0.01, 0.49], [0.01, 0.49, 0.49, 0.01]])
    assert one @ square == pytest.approx([0.5, 0.5]) and other @ square == pytest.approx([0.5, 0.5])
    assert direction(square) / direction(square)[0] == pytest.approx([1, -1, -1, 1])
    assert direction(V) is None and output("twin").splitlines()[-2:] == ["4 3", "4 4"]
    rng = np.random.default_rng(3)
    for n, d_v, twins in (
        (4, 4, False),
        (3, 2, False),
        (4, 2, True),
        (6, 4, True),
        (12, 5, True),
        (5, 8, False),
    ):
        values, a = rng.normal(size=(n, d_v)), al.softmax(rng.normal(size=n))
        delta = direction(values)
        assert (delta is not None) == twins == (n > d_v + 1)
        if twins:
            twin = a + 0.9 * a.min() / abs(delta).max() * delta
            assert twin.min() > 0 and twin.sum() == pytest.approx(1) and abs(twin - a).max() > 1e-3
            assert twin @ values == pytest.approx(a @ values)


def test_three_rankings_three_leaders():
    a = np.array([0.40, 0.25, 0.15, 0.12, 0.08])
    values = np.array([[1, -1], [3, -2], [-3, 3], [3, -2], [2, -1]])
    z = a @ values
    emptied = [np.linalg.norm(z - a @ (values * (np.arange(5) != j)[:, None])) for j in range(5)]
    masked = np.linalg.norm(without(a, values) - z, axis=1)
    assert emptied == pytest.approx(a * np.linalg.norm(values, axis=1))
    assert masked == pytest.approx(a / (1 - a) * np.linalg.norm(values - z, axis=1))
    assert [1 + int(np.argmax(x)) for x in (a, emptied, masked)] == [1, 2, 3]
    assert prose("case-prose").startswith(
        "Token 1 leads by weight, token 2 by weight × ‖value‖, token 3 by ablation."
    )
    for j in range(5):
        assert f"{j + 1} {a[j]:.3f}, {emptied[j]:.3f}, {masked[j]:.3f}" in output("rankings")


def alike(d_v, seed):
    """Rank correlation of weight and ablation, mean of 300 draws of 8 keys."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(300):
        a, values = al.softmax(rng.normal(size=8)), rng.normal(size=(8, d_v))
        moved = a / (1 - a) * np.linalg.norm(values - a @ values, axis=1)
        found.append(np.corrcoef(a.argsort().argsort(), moved.argsort().argsort())[0, 1])
    return np.mean(found)


def test_in_high_dimension_weight_and_ablation_mostly_agree():
    few, some, many = (alike(d_v, 0) for d_v in (2, 8, 64))
    assert f"is {short(few, digits=2)} at $d_v$ = 2 and {short(many, digits=2)} at 64" in prose("case-prose")
    assert output("agree") == f"2 {few:.2f}\n8 {some:.2f}\n64 {many:.2f}\n"
    for seed in (1, 2, 3):
        few, some, many = (alike(d_v, seed) for d_v in (2, 8, 64))
        assert 0.7 < few < 0.85 < some < 0.95 < 0.97 < many


def test_a_trained_head_parks_its_weight():
    """The shares themselves, on all four sentences: test_examples.py."""
    head = al.examples.real_head("sink")
    A, values = head.weights[head.words], head.project()[2] @ head.W_O
    assert A.shape == (15, 17) and head.tokens[0] == "[CLS]"
    norm = np.linalg.norm(values, axis=1)
    assert 14 < norm[head.words].mean() / norm[0] < 15.5  # "about fifteen times shorter"
    Z = A @ values
    masked = (Z - A[:, :1] * values[0]) / (1 - A[:, :1])
    longer = np.median(np.linalg.norm(masked, axis=1) / np.linalg.norm(Z, axis=1))
    assert f"$z$ would be {longer:.1f} times as long (median)" in prose("sink-after")
    assert output("sink") == "0.8\n0.3\n0.7\n" and "takes .8 of the weight" in prose("sink-after")


# ── The case ─────────────────────────────────────────────────────────────────────────────────────────────────


def retrieved(t):
    found = al.examples.retrieval()
    return found, al.softmax(found.keys @ found.query / t)


def test_temperature_never_changes_the_ranking_of_the_retrieval():
    found, _ = retrieved(1)
    order = np.argsort(-(found.keys @ found.query))
    relevant = found.kinds == "R"
    for t in (0.02, 0.1, 0.5, 1, 10):
        _, a = retrieved(t)
        assert np.array_equal(np.argsort(-a), order)
        assert (a[relevant] < a[10]).sum() == 4  # the trap stays above four of seven
        assert set(np.argsort(a)[:3]) == {7, 8, 9}
    shares = [retrieved(t)[1][relevant].sum() for t in (1, 0.1, 0.02)]
    assert output("case-temperature").split("\n")[:3] == [f"True {share:.2f}" for share in shares]
    words, (_, sharp) = prose("case-swap-prose"), retrieved(0.02)
    assert f"At .02 the relevant pieces have {short(shares[2], digits=2)} of the weight." in words
    assert sharp[[0, 2, 5]].sum() == pytest.approx(shares[2], abs=5e-3) and sharp[[1, 3, 4, 6]].max() < 5e-3
    both = " and ".join(short(sharp[[0, 5]][i], digits=2) for i in (0, 1))
    assert f"*paper* and *theory* have {both} of the weight" in words
    assert f"7/12 = {short(7 / 12, digits=2)}" in prose("case-prose") and relevant.sum() == 7
    assert np.linalg.norm(found.keys, axis=1) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_swapping_only_the_value_leaves_the_weights_identical(seed):
    rng = np.random.default_rng(seed)
    Q, K, one, other = (rng.normal(size=shape) for shape in ((3, 5), (7, 5), (7, 2), (7, 2)))
    mask = np.triu(np.ones((3, 7), bool))
    first, second = (al.scaled_dot_product_attention(Q, K, values, mask) for values in (one, other))
    assert np.array_equal(first.weights, second.weights) and abs(first.context - second.context).min() > 1e-3


def test_the_swap_in_the_case():
    found, a = retrieved(0.02)
    means, *_ = al.examples.card_krueger()
    assert means[2, 2] == 2.76
    lines = output("case-swap").splitlines()
    for line, reported in zip(lines, (2.76, -2.76, 27.6), strict=False):
        assert [float(x) for x in line.split()] == [
            reported,
            round(float(a[0]), 2),
            round(a[0] * reported, 1),
        ]
    assert lines[3] == "[True, True, True]"


# ── Exercises: the solutions and starters themselves, test_notebook_exercises.py ─────────────────────────────


def test_the_rows_worked_by_hand_in_the_exercises():
    weights = al.softmax([[0, np.log(3), 0], [1000, 1000, 1000]])
    assert weights == pytest.approx(np.array([[1, 3, 1], [5 / 3] * 3]) / 5)
    assert r"1/5 & 3/5 & 1/5\\ 1/3 & 1/3 & 1/3 \end" in prose("exercise-softmax-prose")
    row = jacobian(np.array([0.5, 0.3, 0.2]))[0]
    assert row == pytest.approx([0.25, -0.15, -0.10])
    assert r"(.25,\; -.15,\; -.10)" in prose("exercise-jacobian-prose")


def test_scores_raised_and_scores_doubled():
    for s in (*S, np.array([2.0, 2, -1])):
        a, doubled = al.softmax(s), al.softmax(2 * s)
        assert al.softmax(s + 5) == pytest.approx(a) and doubled == pytest.approx(al.softmax(s / 0.5))
        assert np.divide.outer(doubled, doubled) == pytest.approx(np.divide.outer(a, a) ** 2)
        assert doubled.max() > a.max() and doubled.min() < a.min()
        assert np.array_equal(np.argsort(doubled, kind="stable"), np.argsort(a, kind="stable"))
    assert al.softmax([6.0, 6, 6]) == pytest.approx(al.softmax([3.0, 3, 3]))


def test_weights_give_the_scores_back_up_to_one_constant():
    for s, a in zip(S, A, strict=True):
        assert np.ptp(s - np.log(a)) < 1e-12 and al.softmax(np.log(a) - 7) == pytest.approx(a)
        assert np.log(a[0] / a[2]) == pytest.approx(s[0] - s[2])
        assert np.linalg.matrix_rank(jacobian(a)) == len(a) - 1


def test_what_a_weight_of_nine_tenths_says():
    a, rng = np.array([0.9, 0.06, 0.04]), np.random.default_rng(5)
    values = rng.normal(size=(3, 2))
    z, emptied = a @ values, a @ (values * [[0], [1], [1]])
    assert np.linalg.norm(emptied - z) == pytest.approx(0.9 * np.linalg.norm(values[0]))
    moved = np.linalg.norm(without(a, values)[0] - z)
    assert moved == pytest.approx(9 * np.linalg.norm(values[0] - z)) and moved > 0.1
    zero, same = np.array([[0, 0], [3, 1], [-1, 2]]), np.array([[2, 1]] * 3)
    assert a @ (zero * [[0], [1], [1]]) == pytest.approx(a @ zero)
    assert without(a, same)[0] == pytest.approx(a @ same)


# ── Predictions and links ────────────────────────────────────────────────────────────────────────────────────


def test_stored_outputs_of_the_predictions_are_the_questions():
    for cell, name in {
        "predict-rows": "row_sums",
        "predict-temperature": "half_temperature",
        "predict-gradient": "average_gradient",
    }.items():
        assert "".join(CELLS[cell]["source"]) == f'guess = None\nal.predict("{name}", guess)'
        assert output(cell) == repr(al.predict(name))


def test_the_reasons_give_the_numbers_of_the_notebook():
    lost, largest = np.median(draws(1024)[1]), draws(1024)[1].max()
    ratio = draws(1024)[1].mean() / draws(4)[1].mean()
    assert f"{lost:.4f}" in al.predict("average_gradient", "a").message
    said = al.predict("average_gradient", "b").message
    assert f"up to {largest:.0f}." in said and f"{ratio:.1f} times" in said
    assert f"{C.sum(axis=1).min():.3f} to {C.sum(axis=1).max():.3f}" in al.predict("row_sums", "b").message
