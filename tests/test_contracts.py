"""What the mathematics promises beyond its formulas: dtypes, masks, empty rows, hidden NaN, refusals in sentences."""

import inspect
import math
import subprocess
import sys

import numpy as np
import pytest

import attention_lab as al

pytestmark = pytest.mark.filterwarnings("error")

NAN, INF = np.nan, np.inf


def draw(seed, *shapes, dtype=float):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def loop_attention(Q, K, V, visible=None, bias=None, scale=None):
    """Attention of two-axis arrays, one number at a time: the definition, written without NumPy's tricks."""
    scale = 1 / math.sqrt(len(Q[0])) if scale is None else scale
    context = np.zeros((len(Q), len(V[0])))
    weights = np.zeros((len(Q), len(K)))
    for i, query in enumerate(Q):
        seen = [j for j in range(len(K)) if visible is None or visible[i][j]]
        score = {
            j: scale * sum(a * b for a, b in zip(query, K[j], strict=True))
            + (0 if bias is None else bias[i][j])
            for j in seen
        }
        total = sum(math.exp(s) for s in score.values())
        for j in seen:
            weights[i, j] = math.exp(score[j]) / total
            context[i] += weights[i, j] * np.asarray(V[j])
    return context, weights


def close(ours, right, atol=1e-12):
    assert np.shape(ours) == np.shape(right)
    np.testing.assert_allclose(ours, right, rtol=0, atol=atol)


def attentions(Q, K, V, mask=None, **options):
    """The context, from the dense function and from the blocks."""
    return (
        al.scaled_dot_product_attention(Q, K, V, mask, **options).context,
        al.blockwise_attention(Q, K, V, mask, block_size=2, **options),
    )


# Every public function, as a call on its arrays. Each is asymmetric: n_q = 4, n_k = 5, d_k = 6, d_v = 3.

Q, K, V, H, WIDE, NARROW, OUT, HEADS = draw(
    1, (4, 6), (5, 6), (5, 3), (2, 4, 6), (6, 6), (6, 2), (6, 5), (2, 3, 4, 2)
)
CALLS = {
    "softmax": (al.softmax, [Q], {}),
    "attention_scores": (al.attention_scores, [Q, K], {}),
    "scaled_dot_product_attention": (al.scaled_dot_product_attention, [Q, K, V], {}),
    "self_attention": (al.self_attention, [H, WIDE, OUT @ OUT.T, NARROW], {}),
    "split_heads": (al.split_heads, [H], {"n_heads": 3}),
    "merge_heads": (al.merge_heads, [HEADS], {}),
    "multi_head_attention": (al.multi_head_attention, [H, WIDE, OUT @ OUT.T, WIDE.T, OUT], {"n_heads": 3}),
    "influence_map": (
        lambda X: al.influence_map(lambda Y: al.self_attention(Y, WIDE, WIDE, NARROW), X),
        [Q],
        {},
    ),
    "blockwise_attention": (al.blockwise_attention, [Q, K, V], {"block_size": 3}),
    "rotate": (al.rotate, [Q, np.array([3.0, 0.0, 1.0, 7.0])], {}),
    "causal_mask": (al.causal_mask, [], {"n_queries": 3, "n_keys": 4, "offset": 1}),
    "padding_mask": (al.padding_mask, [], {"lengths": [2, 0], "n_keys": 3}),
    "window_mask": (al.window_mask, [], {"n": 4, "width": 2}),
    "additive_mask": (al.additive_mask, [], {"mask": [[True, False, True]]}),
    "positional_encoding": (al.positional_encoding, [], {"n": 3, "d_model": 4, "offset": 2}),
}
ON_ARRAYS = [name for name, (_, arrays, _) in CALLS.items() if arrays]


def run(name, change=lambda array: array):
    """The function's results as a tuple of arrays, its array arguments changed first."""
    function, arrays, options = CALLS[name]
    result = function(*(change(array) for array in arrays), **options)
    return result if isinstance(result, tuple) else (result,)


def test_the_calls_cover_the_public_mathematics():
    modules = {f"attention_lab.{name}" for name in ("attention", "masks", "positions", "blockwise")}
    functions = {name: value for name, value in vars(al).items() if inspect.isfunction(value)}
    assert {name for name, function in functions.items() if function.__module__ in modules} == set(CALLS)
    assert set(CALLS) < set(al.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_a_second_call_gives_the_same(name):
    first, second = run(name), run(name)
    for one, other in zip(first, second, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", [name for name in CALLS if name not in {"split_heads", "merge_heads"}])
def test_a_result_is_the_callers_own(name):
    """Writing to a result changes neither the inputs nor the next result; the two left out return views."""
    before = [array.copy() for array in CALLS[name][1]]
    first = run(name)
    kept = [array.copy() for array in first]
    for array in first:
        array[...] = 0
    for array, old in zip(CALLS[name][1], before, strict=True):
        np.testing.assert_array_equal(array, old)
    for one, other in zip(run(name), kept, strict=True):
        np.testing.assert_array_equal(one, other)


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "read-only": frozen,
    "Fortran": np.asfortranarray,
    "every second row of a larger array": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed view": lambda a: a[::-1, ...].copy()[::-1],
    "transposed view": lambda a: a.T.copy().T,
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()),
    "nested lists": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ON_ARRAYS)
def test_the_layout_in_memory_does_not_matter(name, layout):
    given = []

    def change(array):
        given.append((changed := LAYOUTS[layout](array), np.array(changed)))
        return changed

    for ours, right in zip(run(name, change), run(name), strict=True):
        assert ours.dtype == np.float64
        close(ours, right)
    for array, before in given:
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("name", ON_ARRAYS)
def test_float32_stays_and_float16_is_computed_in_float32(name):
    half = run(name, lambda array: array.astype(np.float16))
    single = run(name, lambda array: array.astype(np.float16).astype(np.float32))
    scores_like = name in {"attention_scores", "influence_map"}
    for position, (low, full) in enumerate(zip(half, single, strict=True)):
        assert full.dtype == np.float32
        assert low.dtype == (np.float32 if scores_like or position == 2 else np.float16)
        np.testing.assert_array_equal(low, full.astype(low.dtype))


@pytest.mark.parametrize("name", ON_ARRAYS)
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32, bool])
def test_integers_become_float64(name, dtype):
    def whole(array):
        return np.abs(array * 2).astype(dtype)

    for ours, right in zip(run(name, whole), run(name, lambda a: whole(a).astype(float)), strict=True):
        assert ours.dtype == np.float64
        np.testing.assert_array_equal(ours, right)


def test_the_widest_dtype_wins():
    q, k, v = draw(2, (2, 3), (4, 3), (4, 2), dtype=np.float32)
    for arrays in (
        (q.astype(float), k, v),
        (q, k.astype(float), v),
        (q, k, v.astype(float)),
        (q, k, v.tolist()),
    ):
        assert al.scaled_dot_product_attention(*arrays).context.dtype == np.float64
        assert al.blockwise_attention(*arrays).dtype == np.float64


def test_float16_scores_do_not_overflow():
    q = np.full((1, 64), 60.0, np.float16)  # q · q = 230400, above float16's 65504
    ours = al.scaled_dot_product_attention(q, q, q)
    close(ours.scores, np.array([[28800.0]]))
    close(ours.context, q)
    close(al.attention_scores(q, q), np.array([[230400.0]]))


# Formulas, against loops


def test_attention_is_what_the_loops_say():
    q, k, v = draw(3, (4, 6), (7, 6), (7, 3))
    visible = np.random.default_rng(4).random((4, 7)) < 0.5
    visible[2] = False
    bias = np.random.default_rng(5).normal(size=(4, 7))
    for options in ({}, {"visible": visible}, {"bias": bias}):
        for scale in (None, 0.3, -2.0, 0):
            context, weights = loop_attention(q, k, v, scale=scale, **options)
            mask = options.get("visible", options.get("bias"))
            ours = al.scaled_dot_product_attention(q, k, v, mask, scale=scale)
            close(ours.weights, weights)
            for result in attentions(q, k, v, mask, scale=scale):
                close(result, context)


def test_scores_are_raw_in_one_place_and_scaled_and_masked_in_the_other():
    q, k, v = draw(6, (3, 4), (5, 4), (5, 2))
    raw = al.attention_scores(q, k)
    close(raw, np.array([[sum(q[i] * k[j]) for j in range(5)] for i in range(3)]))
    mask = al.causal_mask(3, 5, offset=1)
    scores = al.scaled_dot_product_attention(q, k, v, mask).scores
    close(scores[mask], raw[mask] / 2)
    assert (scores[~mask] == -INF).all()


def test_attention_is_a_named_triple():
    result = al.scaled_dot_product_attention(Q, K, V)
    context, weights, scores = result
    assert result._fields == ("context", "weights", "scores")
    assert context is result.context and weights is result.weights and scores is result.scores
    assert (context.shape, weights.shape, scores.shape) == ((4, 3), (4, 5), (4, 5))


def test_self_attention_projects_then_attends():
    h, w_q, w_k, w_v = draw(7, (5, 3), (3, 2), (3, 2), (3, 4))
    mask = al.causal_mask(5)
    context, weights = loop_attention(h @ w_q, h @ w_k, h @ w_v, visible=mask)
    ours = al.self_attention(h, w_q, w_k, w_v, mask)
    close(ours.context, context)
    close(ours.weights, weights)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6])
def test_each_head_attends_on_its_own_columns(n_heads):
    h, w_q, w_k, w_v, w_o = draw(8, (2, 5, 4), (4, 6), (4, 6), (4, 12), (12, 3))
    mask = al.causal_mask(5)
    ours = al.multi_head_attention(h, w_q, w_k, w_v, w_o, n_heads, mask)
    d_k, d_v = 6 // n_heads, 12 // n_heads
    assert ours.weights.shape == ours.scores.shape == (2, n_heads, 5, 5)
    for b in range(2):
        total = 0
        for head in range(n_heads):
            qk, v = slice(head * d_k, (head + 1) * d_k), slice(head * d_v, (head + 1) * d_v)
            context, weights = loop_attention(h[b] @ w_q[:, qk], h[b] @ w_k[:, qk], h[b] @ w_v[:, v], mask)
            close(ours.weights[b, head], weights)
            total = total + context @ w_o[v]
        close(ours.context[b], total)


def test_merge_is_the_inverse_of_split():
    x = np.arange(2 * 3 * 5 * 12.0).reshape(2, 3, 5, 12)
    for n_heads in (1, 2, 3, 4, 6, 12):
        heads = al.split_heads(x, n_heads)
        assert heads.shape == (2, 3, n_heads, 5, 12 // n_heads)
        np.testing.assert_array_equal(al.merge_heads(heads), x)
        np.testing.assert_array_equal(heads[1, 2, n_heads - 1, 4], x[1, 2, 4, -12 // n_heads :])


def test_rotation_depends_on_the_distance_only():
    q, k = draw(9, (1, 6), (1, 6))
    dots = [(al.rotate(q, [i]) @ al.rotate(k, [i + 3]).T).item() for i in (0, 5, 1000)]
    close(dots, [dots[0]] * 3, atol=1e-11)
    assert abs(dots[0] - (q @ k.T).item()) > 1e-3
    close(np.linalg.norm(al.rotate(q, [41])), np.linalg.norm(q))


def test_rotation_turns_interleaved_pairs():
    x = np.array([[1.0, 0.0, 0.0, 2.0]])
    slow = 2 / math.sqrt(100)
    right = [math.cos(2), math.sin(2), -2 * math.sin(slow), 2 * math.cos(slow)]
    close(al.rotate(x, [2], base=100), np.array([right]))
    half_and_half = [math.cos(2), 0.0, math.sin(2), 2.0]  # pairs (0, 2) and (1, 3): the other convention
    assert not np.allclose(al.rotate(x, [2], base=100)[0, :3], half_and_half[:3])


def test_rotation_takes_positions_for_each_sequence():
    x = draw(10, (2, 3, 4, 6))[0]
    positions = np.array([[0, 1, 2, 3], [5, 6, 7, 8]])
    ours = al.rotate(x, positions[:, None])
    for b in range(2):
        for head in range(3):
            close(ours[b, head], al.rotate(x[b, head], positions[b]))


# Masks


def test_a_float_mask_is_added_after_scaling():
    q, k, v = draw(11, (3, 4), (5, 4), (5, 2))
    bias = np.random.default_rng(12).normal(size=(3, 5))
    bias[1, 2] = -INF
    ours = al.scaled_dot_product_attention(q, k, v, bias)
    close(ours.scores, q @ k.T / 2 + bias)
    visible = bias > -INF
    context, _ = loop_attention(q, k, v, visible, np.where(visible, bias, 0))
    for result in attentions(q, k, v, bias):
        close(result, context)


def test_boolean_and_additive_masks_are_the_same_thing():
    q, k, v = draw(13, (2, 3, 4), (2, 3, 4), (2, 3, 2))
    for mask in (al.causal_mask(3), al.padding_mask([2, 0], 3), al.window_mask(3, 2)):
        additive = al.additive_mask(mask)
        assert additive.dtype == np.float64
        np.testing.assert_array_equal(additive, np.where(mask, 0.0, -INF))
        for one, other in zip(attentions(q, k, v, mask), attentions(q, k, v, additive), strict=True):
            close(one, other, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, "float64", float])
def test_an_additive_mask_takes_a_float_dtype(dtype):
    ours = al.additive_mask([[True], [False]], dtype=dtype)
    assert ours.dtype == np.dtype(dtype)
    assert ours.tolist() == [[0.0], [-INF]]
    again = al.additive_mask(ours, dtype)
    assert again is not ours and again.tolist() == ours.tolist()


@pytest.mark.parametrize("mask_dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_mask_never_widens_the_result(mask_dtype, dtype):
    q, k, v = draw(14, (2, 4), (3, 4), (3, 2), dtype=dtype)
    mask = np.array([[0, -INF, 1], [-INF, -INF, -INF]], mask_dtype)
    ours = al.scaled_dot_product_attention(q, k, v, mask)
    assert (ours.context.dtype, ours.weights.dtype, ours.scores.dtype) == (dtype, dtype, np.float32)
    assert al.blockwise_attention(q, k, v, mask).dtype == dtype
    assert not ours.context[1].any()


def test_a_float64_mask_beyond_float32_does_not_warn():
    q, k, v = draw(15, (2, 4), (3, 4), (3, 2), dtype=np.float32)
    low = np.where(al.causal_mask(2, 3, offset=0), 0, np.finfo(float).min)
    for ours, right in zip(
        attentions(q, k, v, low), attentions(q, k, v, al.causal_mask(2, 3, offset=0)), strict=True
    ):
        close(ours, right, atol=1e-6)


@pytest.mark.parametrize("mask", [[[1, 0, 1]], np.ones((2, 3), np.int8), np.ones((2, 3), np.uint64)])
def test_an_integer_mask_is_refused(mask):
    q, k, v = draw(16, (2, 4), (3, 4), (3, 2))
    square = draw(16, (3, 4), (4, 4))
    for call in (
        lambda: al.scaled_dot_product_attention(q, k, v, mask),
        lambda: al.blockwise_attention(q, k, v, mask),
        lambda: al.self_attention(square[0], square[1], square[1], square[1], mask),
        lambda: al.multi_head_attention(square[0], *[square[1]] * 4, 2, mask),
        lambda: al.additive_mask(mask),
    ):
        with pytest.raises(TypeError, match="int.*booleans.*True = may look.*floats.*added"):
            call()


@pytest.mark.parametrize("shape", [(4, 5), (1, 5), (4, 1), (1, 1), (2, 3, 4, 5), (2, 1, 1, 5), (1, 3, 4, 1)])
def test_a_mask_has_two_axes_or_as_many_as_the_scores(shape):
    q, k, v = draw(17, (2, 3, 4, 6), (2, 3, 5, 6), (2, 3, 5, 2))
    mask = np.random.default_rng(18).random(shape) < 0.6
    full = np.broadcast_to(mask, (2, 3, 4, 5))
    for ours in attentions(q, k, v, mask):
        for b in range(2):
            for h in range(3):
                close(ours[b, h], loop_attention(q[b, h], k[b, h], v[b, h], full[b, h])[0])


@pytest.mark.parametrize(
    "shape", [(), (5,), (3, 4, 5), (2, 1, 5), (1, 2, 3, 4, 5), (5, 4), (4, 4), (2, 5), (4, 3, 4, 5), (0, 5)]
)
def test_any_other_mask_is_refused_with_the_shape_to_use(shape):
    q, k, v = draw(17, (2, 3, 4, 6), (2, 3, 5, 6), (2, 3, 5, 2))
    for mask in (np.ones(shape, bool), np.ones(shape)):
        for attention in (al.scaled_dot_product_attention, al.blockwise_attention):
            with pytest.raises(ValueError) as refusal:
                attention(q, k, v, mask)
            for part in (str(shape), "(4, 5)", "(2, 3, 4, 5)"):
                assert part in str(refusal.value)


def test_a_mask_may_not_enlarge_the_scores():
    q, k, v = draw(19, (1, 6), (5, 6), (5, 2))
    for mask in (np.ones((4, 5), bool), np.ones((2, 1, 5), bool)):
        for attention in (al.scaled_dot_product_attention, al.blockwise_attention):
            with pytest.raises(ValueError, match=r"use shape \(1, 5\)"):
                attention(q, k, v, mask)


@pytest.mark.parametrize("batch, n, n_heads", [(2, 5, 3), (3, 5, 3), (3, 3, 3), (5, 5, 2), (2, 2, 4)])
def test_masks_of_many_heads(batch, n, n_heads):
    """Batch = heads and batch = n on purpose: an axis taken for another would go unnoticed elsewhere."""
    h, w_q, w_k, w_v, w_o = draw(20, (batch, n, 4), (4, 12), (4, 12), (4, 12), (12, 3))
    rng = np.random.default_rng(21)
    shared, each = rng.random((batch, n, n)) < 0.5, rng.random((batch, n_heads, n, n)) < 0.5
    padding = al.padding_mask(rng.integers(0, n + 1, size=batch), n)
    for mask, full in (
        (shared[0], np.broadcast_to(shared[0], each.shape)),
        (shared, np.broadcast_to(shared[:, None], each.shape)),
        (padding, np.broadcast_to(padding[:, None], each.shape)),
        (each, each),
        (each[:1], np.broadcast_to(each[:1], each.shape)),
        (al.additive_mask(shared), np.broadcast_to(shared[:, None], each.shape)),
    ):
        ours = al.multi_head_attention(h, w_q, w_k, w_v, w_o, n_heads, mask)
        assert (ours.scores > -INF).tolist() == full.tolist()
        for b in range(batch):
            for head in range(n_heads):
                columns = slice(head * 12 // n_heads, (head + 1) * 12 // n_heads)
                parts = (h[b] @ w[:, columns] for w in (w_q, w_k, w_v))
                close(ours.weights[b, head], loop_attention(*parts, full[b, head])[1])


def test_one_sequence_and_a_mask_for_each_head():
    h, w = draw(22, (4, 6), (6, 6))
    masks = np.random.default_rng(23).random((3, 4, 4)) < 0.5
    ours = al.multi_head_attention(h, w, w, w, w, 3, masks)
    assert (ours.scores > -INF).tolist() == masks.tolist()


@pytest.mark.parametrize(
    "shape", [(4,), (3, 1, 5), (2, 4, 5), (3, 5, 5), (2, 2, 5, 5), (1, 2, 3, 5, 5), (4, 5)]
)
def test_a_mask_of_many_heads_that_fits_nothing_is_refused(shape):
    h, w = draw(24, (2, 5, 6), (6, 6))
    with pytest.raises(ValueError) as refusal:
        al.multi_head_attention(h, w, w, w, w, 3, np.ones(shape, bool))
    assert str(shape) in str(refusal.value) and "(5, 5)" in str(refusal.value)


def test_causal_masks_with_an_offset():
    for n_queries, n_keys, offset in [
        (1, 4, 3),
        (2, 5, 3),
        (2, 5, 0),
        (5, 2, -3),
        (3, 3, 1),
        (3, 3, None),
        (3, None, -1),
    ]:
        ours = al.causal_mask(n_queries, n_keys, offset=offset)
        right = [[j <= i + (offset or 0) for j in range(n_keys or n_queries)] for i in range(n_queries)]
        assert ours.tolist() == right


def test_causal_refuses_to_guess():
    with pytest.raises(ValueError, match="2 queries and 5 keys.*offset=0.*offset=3"):
        al.causal_mask(2, 5)
    q, k, v = draw(25, (2, 4), (5, 4), (5, 3))
    with pytest.raises(ValueError, match="2 queries.*5 keys.*causal_mask"):
        al.blockwise_attention(q, k, v, causal=True)


def test_padding_masks():
    assert al.padding_mask(2, 3).tolist() == [[True, True, False]]
    assert al.padding_mask(np.int8(0), 2).tolist() == [[False, False]]
    assert al.padding_mask([], 3).shape == (0, 1, 3)
    assert al.padding_mask([1, 2], 2).tolist() == [[[True, False]], [[True, True]]]
    assert al.padding_mask(0, 0).shape == (1, 0)


# Empty rows, and what is hidden


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_query_that_sees_nothing_gets_zeros(dtype):
    q, k, v = draw(26, (3, 4), (5, 4), (5, 2), dtype=dtype)
    for empty in (False, -INF):
        mask = np.full((3, 5), True if empty is False else 0.0)
        mask[1] = empty
        ours = al.scaled_dot_product_attention(q, k, v, mask)
        assert not ours.weights[1].any()
        assert (ours.scores[1] == -INF).all()
        for context in attentions(q, k, v, mask):
            assert not context[1].any()
            full = al.scaled_dot_product_attention(q, k, v).context
            close(context[[0, 2]], full[[0, 2]], atol=1e-3 if dtype == np.float16 else 1e-6)


@pytest.mark.parametrize("poison", [NAN, INF, -INF])
@pytest.mark.parametrize("where", ["K", "V", "K and V", "the mask's row"])
@pytest.mark.parametrize("kind", [bool, float])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_is_hidden_never_reaches_the_result(poison, where, kind, dtype):
    q, k, v = draw(27, (2, 4, 3), (2, 5, 3), (2, 5, 2), dtype=dtype)
    visible = np.ones((2, 4, 5), bool)
    visible[:, :, 2] = (
        False  # key 2 is hidden from all, key 4 from query 0 of sequence 1, query 3 sees nothing
    )
    visible[1, 0, 4] = visible[:, 3] = False
    mask = visible if kind is bool else al.additive_mask(visible)
    right = attentions(q, k, v, mask)
    dirty_q, dirty_k, dirty_v = q.copy(), k.copy(), v.copy()
    if "K" in where:
        dirty_k[:, 2] = poison
    if "V" in where:
        dirty_v[:, 2, 1] = poison
    if where == "the mask's row":
        dirty_q[:, 3] = poison
    for ours, clean in zip(attentions(dirty_q, dirty_k, dirty_v, mask), right, strict=True):
        np.testing.assert_array_equal(ours, clean)
    weights = al.scaled_dot_product_attention(dirty_q, dirty_k, dirty_v, mask).weights
    assert (weights[~visible] == 0).all()


@pytest.mark.parametrize("poison", [NAN, INF, -INF])
def test_a_visible_value_that_is_not_finite_gives_nan_to_those_who_see_it(poison):
    q, k, v = draw(28, (5, 3), (5, 3), (5, 2))
    clean = al.scaled_dot_product_attention(q, k, v, al.causal_mask(5)).context
    v[3, 1] = poison
    causal = al.causal_mask(5)
    for ours in (*attentions(q, k, v, causal), al.blockwise_attention(q, k, v, causal=True, block_size=2)):
        close(np.delete(ours.ravel(), [7, 9]), np.delete(clean.ravel(), [7, 9]))
        assert np.isnan(ours[3:, 1]).all()


@pytest.mark.parametrize("poison", [NAN, INF])
def test_a_visible_nan_or_infinite_key_gives_nan_to_those_who_see_it(poison):
    q, k, v = np.abs(draw(29, (5, 3), (5, 3), (5, 2))[0]), *draw(30, (5, 3), (5, 2))
    clean = al.scaled_dot_product_attention(q, k, v, al.causal_mask(5)).context
    k[3, 0] = poison
    for ours in attentions(q, k, v, al.causal_mask(5)):
        close(ours[:3], clean[:3])
        assert np.isnan(ours[3:]).all()


@pytest.mark.parametrize("number", [NAN, INF])
def test_a_mask_that_adds_nan_or_infinity_gives_nan(number):
    q, k, v = draw(31, (2, 3), (4, 3), (4, 2))
    mask = np.zeros((2, 4))
    mask[0, 1] = number
    for ours in attentions(q, k, v, mask):
        assert np.isnan(ours[0]).all() and np.isfinite(ours[1]).all()


def test_minus_infinity_in_a_float_mask_hides_even_nan_scores():
    q, k, v = draw(32, (2, 3), (3, 3), (3, 2))
    k[1] = NAN
    mask = np.array([[0, -INF, 0]])
    for ours in attentions(q, k, v, mask):
        close(ours, loop_attention(q, k[[0, 2]], v[[0, 2]])[0])


def test_softmax_keeps_to_its_rows():
    scores = np.array(
        [[1.0, 2, 3], [-INF, -INF, -INF], [NAN, 1, 2], [INF, 0, -INF], [-INF, 5, -INF], [INF, INF, 0]]
    )
    ours = al.softmax(scores)
    close(ours[0], np.exp([-2, -1, 0]) / np.exp([-2, -1, 0]).sum())
    assert ours[1].tolist() == [0, 0, 0] and ours[4].tolist() == [0, 1, 0]
    assert np.isnan(ours[[2, 3, 5]]).all()
    close(al.softmax(scores.T, axis=0), ours.T)
    assert al.softmax(np.zeros((2, 0))).shape == (2, 0)
    assert al.softmax([7.0]).tolist() == [1.0]


def test_nothing_warns_or_raises_even_where_numpy_is_told_to():
    q = np.array([[1e30, -1e30], [1e-30, 0]], np.float32)
    v = np.array([[3e38, NAN], [1, INF]], np.float32)
    with np.errstate(all="raise"):
        assert np.isnan(al.scaled_dot_product_attention(q, q, v).context[0]).all()
        al.blockwise_attention(q, q, v, causal=True)
        al.attention_scores(q, q)
        al.softmax(np.array([0, -1e300, INF]))
        al.self_attention(q, q, q, q)
        al.multi_head_attention(q, q, q, q, q, 2)
        al.rotate([[INF, INF]], [1])
        al.additive_mask([1e300, -1e300], np.float16)
        al.influence_map(lambda X: np.full((1, 1), INF), q)
        al.scaled_dot_product_attention(np.float16([[6e4]]), np.float16([[6e4]]), np.float16([[6e4]]))


# Sizes at the edge


def test_zero_queries_give_an_empty_result_and_zero_keys_give_zeros():
    for q, k, v in (
        (np.ones((0, 3)), np.ones((4, 3)), np.ones((4, 2))),
        (np.ones((4, 3)), np.ones((0, 3)), np.ones((0, 2))),
    ):
        for mask in (None, np.ones((len(q), len(k)), bool), np.zeros((1, len(k)))):
            result = al.scaled_dot_product_attention(q, k, v, mask)
            assert result.weights.shape == result.scores.shape == (len(q), len(k))
            for context in attentions(q, k, v, mask):
                assert context.shape == (len(q), 2) and not context.any()
    empty = np.ones((0, 4))
    assert al.self_attention(empty, *[np.ones((4, 4))] * 3).context.shape == (0, 4)
    assert al.multi_head_attention(empty, *[np.ones((4, 4))] * 4, 2).weights.shape == (2, 0, 0)
    assert al.blockwise_attention(empty, empty, empty, causal=True, lengths=0).shape == (0, 4)
    assert al.attention_scores(empty, np.ones((3, 4))).shape == (0, 3)
    assert al.split_heads(empty, 2).shape == (2, 0, 2)
    assert al.merge_heads(np.ones((2, 0, 2))).shape == (0, 4)
    assert al.rotate(empty, []).shape == (0, 4)
    assert al.positional_encoding(0, 4).shape == (0, 4)
    assert al.causal_mask(0).shape == al.window_mask(0, 1).shape == (0, 0)
    assert al.influence_map(lambda X: X, empty).shape == (0, 0)


def test_values_may_have_no_width():
    q = np.ones((2, 3))
    for context in attentions(q, q, np.ones((2, 0))):
        assert context.shape == (2, 0)


def test_leading_axes_broadcast():
    q, k, v = draw(33, (2, 1, 4, 6), (3, 5, 6), (1, 3, 5, 2))
    mask = np.random.default_rng(34).random((2, 3, 4, 5)) < 0.5
    for ours in attentions(q, k, v, mask):
        assert ours.shape == (2, 3, 4, 2)
        for b in range(2):
            for h in range(3):
                close(ours[b, h], loop_attention(q[b, 0], k[h], v[0, h], mask[b, h])[0])
    for ours in attentions(q[0, 0], k[0], v):  # values alone have leading axes
        assert ours.shape == (1, 3, 4, 2)
        close(ours[0, 2], loop_attention(q[0, 0], k[0], v[0, 2])[0])


def test_positions_do_not_depend_on_the_length():
    long = al.positional_encoding(50, 10)
    close(al.positional_encoding(7, 10, offset=20), long[20:27])
    close(al.positional_encoding(2, 10, offset=-1)[1], long[0])
    assert long.dtype == np.float64


# The influence map


def test_the_influence_map_is_the_jacobian_along_ones():
    x, a = draw(35, (4, 3), (5, 4))
    ours = al.influence_map(lambda X: a @ X, x)
    close(ours, np.abs(a) * math.sqrt(3), atol=1e-9)  # row j moves by ε in three columns


def test_the_influence_map_protects_itself_from_the_function():
    x = draw(36, (3, 2))[0]
    before = x.copy()
    kept = np.zeros((3, 2))

    def careless(X):
        X *= 2
        kept[...] = X
        return kept

    close(al.influence_map(careless, x), 2 * math.sqrt(2) * np.eye(3), atol=1e-9)
    np.testing.assert_array_equal(x, before)


def test_the_influence_map_takes_the_context_of_an_attention():
    h, w = draw(37, (4, 6), (6, 6))
    w *= 0.3  # no weight is so small that its influence is lost in rounding
    mask = al.causal_mask(4)
    whole = al.influence_map(lambda X: al.self_attention(X, w, w, w, mask), h)
    close(whole, al.influence_map(lambda X: al.self_attention(X, w, w, w, mask).context, h))
    assert ((whole > 0) == mask).all()


# Refusals: the call, then what its sentence must name.

ONES = np.ones((3, 4))
VALUE_ERRORS = {
    "one axis": (lambda: al.attention_scores(np.ones(4), ONES), ["Q", "(4,)"]),
    "a number for K": (lambda: al.scaled_dot_product_attention(ONES, 3.0, ONES), ["K", "()"]),
    "one axis of values": (lambda: al.blockwise_attention(ONES, ONES, np.ones(3)), ["V", "(3,)"]),
    "no width": (lambda: al.attention_scores(np.ones((2, 0)), np.ones((2, 0))), ["(2, 0)", "at least 1"]),
    "widths": (lambda: al.attention_scores(ONES, np.ones((2, 5))), ["(3, 4)", "(2, 5)"]),
    "lengths of K and V": (lambda: al.blockwise_attention(ONES, ONES, np.ones((2, 4))), ["(3, 4)", "(2, 4)"]),
    "leading axes": (
        lambda: al.attention_scores(np.ones((2, 3, 4)), np.ones((5, 3, 4))),
        ["(2, 3, 4)", "(5, 3, 4)"],
    ),
    "leading axes of V": (
        lambda: al.scaled_dot_product_attention(np.ones((2, 3, 4)), ONES, np.ones((5, 3, 4))),
        ["(2, 3, 4)", "(5, 3, 4)"],
    ),
    "leading axes of W": (
        lambda: al.self_attention(np.ones((2, 3, 4)), np.ones((5, 4, 4)), np.eye(4), np.eye(4)),
        ["(2, 3, 4)", "(5, 4, 4)"],
    ),
    "rows of W_K": (
        lambda: al.self_attention(ONES, np.eye(4), np.ones((5, 4)), np.eye(4)),
        ["W_K", "(5, 4)", "4 rows"],
    ),
    "W_Q against W_K": (
        lambda: al.self_attention(ONES, np.ones((4, 2)), np.ones((4, 3)), np.eye(4)),
        ["(3, 2)", "(3, 3)"],
    ),
    "W_V with one axis": (lambda: al.self_attention(ONES, np.eye(4), np.eye(4), np.ones(4)), ["W_V", "(4,)"]),
    "rows of W_O": (
        lambda: al.multi_head_attention(ONES, *[np.eye(4)] * 3, np.ones((6, 2)), 2),
        ["W_O", "(6, 2)", "4 rows"],
    ),
    "heads": (lambda: al.multi_head_attention(ONES, *[np.eye(4)] * 4, 3), ["4", "3"]),
    "no heads": (lambda: al.split_heads(ONES, 0), ["4", "0"]),
    "nothing to merge": (lambda: al.merge_heads(ONES), ["(3, 4)", "3"]),
    "odd d_model": (lambda: al.positional_encoding(3, 5), ["5", "even", "6"]),
    "no d_model": (lambda: al.positional_encoding(3, 0), ["d_model", "0"]),
    "odd width": (lambda: al.rotate(np.ones((2, 3)), [0, 1]), ["3", "even"]),
    "no pair": (lambda: al.rotate(np.ones((2, 0)), [0, 1]), ["0", "even"]),
    "too few positions": (lambda: al.rotate(ONES, [0, 1]), ["(2,)", "(3, 4)", "(3,)"]),
    "one position for all": (lambda: al.rotate(ONES, [1]), ["(1,)", "(3,)"]),
    "a position": (lambda: al.rotate(ONES, 1), ["positions", "()"]),
    "positions that enlarge": (lambda: al.rotate(ONES, np.ones((2, 3))), ["(2, 3)", "(3, 4)"]),
    "infinite position": (lambda: al.rotate(ONES, [0, INF, 1]), ["positions", "finite"]),
    "base 0": (lambda: al.rotate(ONES, [0, 1, 2], base=0), ["base", "0"]),
    "base NaN": (lambda: al.rotate(ONES, [0, 1, 2], base=NAN), ["base", "nan"]),
    "infinite scale": (
        lambda: al.scaled_dot_product_attention(ONES, ONES, ONES, scale=INF),
        ["scale", "inf"],
    ),
    "huge scale": (lambda: al.blockwise_attention(ONES, ONES, ONES, scale=10**400), ["scale", "finite"]),
    "negative n": (lambda: al.causal_mask(-1), ["n_queries", "-1"]),
    "negative n_keys": (lambda: al.padding_mask(0, -2), ["n_keys", "-2"]),
    "huge n": (lambda: al.positional_encoding(10**30, 4), ["n", str(10**30)]),
    "huge offset": (lambda: al.causal_mask(2, offset=10**30), ["offset", str(10**30)]),
    "window 0": (lambda: al.window_mask(4, 0), ["width", "1", "0"]),
    "length above n_keys": (lambda: al.padding_mask([1, 7], 5), ["7", "5"]),
    "negative length": (lambda: al.padding_mask(-3, 5), ["-3", "5"]),
    "lengths with two axes": (lambda: al.padding_mask([[1, 2]], 5), ["(1, 2)", "batch"]),
    "block of 0": (lambda: al.blockwise_attention(ONES, ONES, ONES, block_size=0), ["block_size", "0"]),
    "axis": (lambda: al.softmax(ONES, axis=2), ["axis", "2", "1"]),
    "softmax of a number": (lambda: al.softmax(3.0), ["scores", "()"]),
    "ragged": (lambda: al.scaled_dot_product_attention([[1, 2], [3]], ONES, ONES), ["Q", "row", "length"]),
    "ragged mask": (lambda: al.additive_mask([[True], [True, False]]), ["mask", "row", "length"]),
    "batched X": (lambda: al.influence_map(lambda X: X, np.ones((2, 3, 4))), ["X", "(2, 3, 4)"]),
    "a result with one axis": (lambda: al.influence_map(lambda X: X.sum(axis=1), ONES), ["fn(X)", "(3,)"]),
    "a result with three axes": (lambda: al.influence_map(lambda X: X[None], ONES), ["fn(X)", "(1, 3, 4)"]),
}
TYPE_ERRORS = {
    "None": (lambda: al.softmax(None), ["scores", "None"]),
    "text": (lambda: al.attention_scores("abc", ONES), ["Q", "abc"]),
    "rows of text": (lambda: al.attention_scores([["a", "b"]], ONES), ["Q", "numbers"]),
    "complex": (lambda: al.scaled_dot_product_attention(ONES, ONES * 1j, ONES), ["K", "complex128"]),
    "objects": (lambda: al.blockwise_attention(ONES, ONES, ONES.astype(object)), ["V", "object"]),
    "dates": (lambda: al.softmax(np.array(["2020-01-01"], "M8[D]")), ["scores", "datetime64"]),
    "a dictionary": (lambda: al.split_heads({"a": 1}, 2), ["X", "dict"]),
    "text as n": (lambda: al.causal_mask("4"), ["n_queries", "'4'"]),
    "None as n": (lambda: al.causal_mask(None), ["n_queries", "None"]),
    "True as n": (lambda: al.causal_mask(True), ["n_queries", "True"]),
    "NumPy's True as n": (lambda: al.window_mask(np.True_, 1), ["n", "True"]),
    "3.0 as n": (lambda: al.positional_encoding(3.0, 4), ["n", "3.0"]),
    "2.5 heads": (lambda: al.split_heads(ONES, 2.5), ["n_heads", "2.5"]),
    "an array as n": (lambda: al.causal_mask(np.ones((30, 30), int)), ["n_queries", "ndarray"]),
    "True as width": (lambda: al.window_mask(3, True), ["width", "True"]),
    "half an offset": (lambda: al.positional_encoding(2, 4, offset=0.5), ["offset", "0.5"]),
    "half lengths": (lambda: al.padding_mask([1.5, 2], 3), ["lengths", "1.5"]),
    "True as length": (lambda: al.padding_mask(True, 3), ["lengths", "True"]),
    "None as lengths": (lambda: al.padding_mask(None, 3), ["lengths", "None"]),
    "text as scale": (lambda: al.scaled_dot_product_attention(ONES, ONES, ONES, scale="1"), ["scale", "'1'"]),
    "True as scale": (lambda: al.blockwise_attention(ONES, ONES, ONES, scale=True), ["scale", "True"]),
    "complex base": (lambda: al.rotate(ONES, [0, 1, 2], base=1j), ["base", "1j"]),
    "text as positions": (lambda: al.rotate(ONES, "abc"), ["positions", "abc"]),
    "text as causal": (lambda: al.blockwise_attention(ONES, ONES, ONES, causal="yes"), ["causal", "yes"]),
    "1 as causal": (lambda: al.blockwise_attention(ONES, ONES, ONES, causal=1), ["causal", "1"]),
    "text as mask": (
        lambda: al.scaled_dot_product_attention(ONES, ONES, ONES, "causal"),
        ["mask", "booleans"],
    ),
    "complex mask": (
        lambda: al.blockwise_attention(ONES, ONES, ONES, np.ones((3, 3)) * 1j),
        ["complex", "floats"],
    ),
    "None as additive mask": (lambda: al.additive_mask(None), ["object", "booleans"]),
    "whole numbers for -inf": (lambda: al.additive_mask([True], dtype=int), ["int64", "float"]),
    "no function": (lambda: al.influence_map(ONES, ONES), ["fn", "ndarray"]),
    "a function without result": (lambda: al.influence_map(lambda X: None, ONES), ["fn(X)", "None"]),
    "two axes at once": (lambda: al.softmax(ONES, axis=(0, 1)), ["axis", "(0, 1)"]),
}


@pytest.mark.parametrize(
    "error, call, named",
    [(ValueError, *row) for row in VALUE_ERRORS.values()]
    + [(TypeError, *row) for row in TYPE_ERRORS.values()],
    ids=[*VALUE_ERRORS, *TYPE_ERRORS],
)
def test_a_refusal_is_one_sentence_with_the_facts(error, call, named):
    with pytest.raises(error) as refusal:
        call()
    sentence = str(refusal.value)
    assert "\n" not in sentence and len(sentence) < 240
    for part in named:
        assert part in sentence


def test_a_function_that_changes_its_shape_is_refused():
    sizes = iter([3, 2])
    with pytest.raises(ValueError, match=r"\(3, 4\) and then \(2, 4\)"):
        al.influence_map(lambda X: np.ones((next(sizes), 4)), ONES)


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert (
        al.causal_mask(np.int64(2)).tolist()
        == al.causal_mask(np.array(2)).tolist()
        == [[True, False], [True, True]]
    )
    assert al.split_heads(ONES, np.uint8(2)).shape == (2, 3, 2)


def test_importing_loads_numpy_and_nothing_heavier():
    code = "import sys, attention_lab; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in loaded
    assert not {"matplotlib", "pandas", "ipywidgets", "anywidget", "IPython", "scipy"} & set(loaded)
