"""What holds for every input: properties of attention, tried on inputs that hypothesis makes up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_lab as al

pytestmark = pytest.mark.filterwarnings("error")
everything = settings(derandomize=True, deadline=None, max_examples=60)

counts = st.integers(1, 6)
seeds = st.integers(0, 10_000)


@st.composite
def problems(draw):
    """Q, K, V of different lengths and widths, one or many sequences, with a mask or None."""
    rng = np.random.default_rng(draw(seeds))
    leading = draw(st.sampled_from([(), (2,), (3, 2)]))
    n_q, n_k, d_k, d_v = (draw(counts) for _ in range(4))
    spread = draw(st.sampled_from([0.1, 1.0, 30.0]))
    shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    Q, K, V = (spread * rng.normal(size=(*leading, *shape)) for shape in shapes)
    mask_axes = draw(st.sampled_from([(n_q, n_k), (1, n_k), (*leading, n_q, n_k), None]))
    mask = None if mask_axes is None else rng.random(mask_axes) < draw(st.sampled_from([0.3, 0.7, 1.0]))
    if mask is not None and draw(st.booleans()):
        mask = np.where(mask, rng.normal(size=mask.shape), -np.inf)
    return Q, K, V, mask


def visible(Q, K, mask):
    """Booleans of the scores' shape: what each query sees."""
    shape = (*Q.shape[:-1], K.shape[-2])
    if mask is None:
        return np.ones(shape, bool)
    return np.broadcast_to(mask if mask.dtype == bool else mask > -np.inf, shape)


def close(ours, right, atol=1e-9):
    assert ours.shape == right.shape
    np.testing.assert_allclose(ours, right, rtol=0, atol=atol)


@everything
@given(problems())
def test_rows_of_weights_sum_to_one_or_see_nothing(problem):
    Q, K, V, mask = problem
    weights = al.scaled_dot_product_attention(*problem).weights
    seen = visible(Q, K, mask)
    close(weights.sum(axis=-1), seen.any(axis=-1).astype(float))
    assert (weights >= 0).all()
    assert not weights[~seen].any()


@everything
@given(problems())
def test_context_stays_between_the_smallest_and_largest_visible_value(problem):
    Q, K, V, mask = problem
    context = al.scaled_dot_product_attention(*problem).context
    seen = visible(Q, K, mask)[..., None]
    values = V[..., None, :, :]
    low = np.where(seen, values, np.inf).min(axis=-2)
    high = np.where(seen, values, -np.inf).max(axis=-2)
    some = seen.any(axis=-2)
    assert ((low - 1e-9 <= context) & (context <= high + 1e-9) | ~some).all()
    assert not context[np.broadcast_to(~some, context.shape)].any()


@everything
@given(problems(), st.floats(-1e3, 1e3))
def test_a_constant_added_to_a_row_of_scores_changes_nothing(problem, constant):
    scores = al.scaled_dot_product_attention(*problem).scores
    close(al.softmax(scores + constant), al.softmax(scores))


@everything
@given(problems(), st.floats(-1e3, 1e3))
def test_a_constant_added_by_the_mask_changes_nothing(problem, constant):
    Q, K, V, mask = problem
    bias = np.zeros((1, 1)) if mask is None else al.additive_mask(mask)
    close(
        al.scaled_dot_product_attention(Q, K, V, bias + constant).context,
        al.scaled_dot_product_attention(Q, K, V, bias).context,
    )


@everything
@given(problems(), seeds)
def test_the_order_of_the_keys_does_not_matter(problem, seed):
    Q, K, V, mask = problem
    order = np.random.default_rng(seed).permutation(K.shape[-2])
    shuffled = None if mask is None else mask[..., order]
    ours = al.scaled_dot_product_attention(Q, K[..., order, :], V[..., order, :], shuffled)
    right = al.scaled_dot_product_attention(*problem)
    close(ours.context, right.context)
    close(ours.weights, right.weights[..., order])


@everything
@given(seeds, counts, st.integers(1, 3))
def test_self_attention_moves_with_its_tokens(seed, n, n_heads):
    rng = np.random.default_rng(seed)
    H, W_Q, W_K, W_V, W_O = rng.normal(size=(n, 5)), *rng.normal(size=(3, 5, 6)), rng.normal(size=(6, 4))
    order = rng.permutation(n)
    one, many = al.self_attention(H, W_Q, W_K, W_V), al.multi_head_attention(H, W_Q, W_K, W_V, W_O, n_heads)
    close(al.self_attention(H[order], W_Q, W_K, W_V).context, one.context[order])
    moved = al.multi_head_attention(H[order], W_Q, W_K, W_V, W_O, n_heads)
    close(moved.context, many.context[order])
    close(moved.weights, many.weights[:, order][:, :, order])


@everything
@given(problems(), st.integers(1, 5), st.sampled_from([0.0, 1e6, np.nan, np.inf]))
def test_padding_does_not_move_the_result(problem, pads, content):
    Q, K, V, _ = problem
    n = K.shape[-2]
    mask = al.padding_mask(n, n + pads)
    padded = [
        np.concatenate([X, np.full((*X.shape[:-2], pads, X.shape[-1]), content)], axis=-2) for X in (K, V)
    ]
    ours = al.scaled_dot_product_attention(Q, *padded, mask)
    right = al.scaled_dot_product_attention(Q, K, V)
    close(ours.context, right.context)
    close(ours.weights[..., :n], right.weights)
    assert not ours.weights[..., n:].any()
    close(al.blockwise_attention(Q, *padded, lengths=n), right.context)


@everything
@given(
    seeds, st.integers(2, 6), st.integers(2, 6), st.sampled_from(["random", "causal", "padding", "window"])
)
def test_the_influence_map_equals_the_mask(seed, n_q, n_k, kind):
    """Keys and values are nudged separately. Where a query sees one key its weight is 1 whatever the score."""
    rng = np.random.default_rng(seed)
    n_q = n_k if kind == "window" else n_q
    mask = {
        "random": lambda: rng.random((n_q, n_k)) < 0.5,
        "causal": lambda: al.causal_mask(n_q, n_k, offset=int(rng.integers(-1, 3))),
        "padding": lambda: np.broadcast_to(al.padding_mask(rng.integers(0, n_k + 1), n_k), (n_q, n_k)),
        "window": lambda: al.window_mask(n_k, int(rng.integers(1, n_k + 1))),
    }[kind]()
    Q, K, V = (
        rng.uniform(0.5, 1, size=(n_q, 4)),
        rng.uniform(0.5, 1, size=(n_k, 4)),
        rng.normal(size=(n_k, 3)),
    )
    for attention in (al.scaled_dot_product_attention, al.blockwise_attention):
        through_values = al.influence_map(lambda X, f=attention: f(Q, K, X, mask), V)
        assert ((through_values > 0) == mask).all()
        through_keys = al.influence_map(lambda X, f=attention: f(Q, X, V, mask), K)
        assert ((through_keys > 0) == mask & (mask.sum(axis=-1, keepdims=True) > 1)).all()


@everything
@given(problems(), st.sampled_from([np.float16, np.float32, np.float64]))
def test_dtypes_are_kept_and_inputs_are_not_changed(problem, dtype):
    arrays = [array.astype(dtype) for array in problem[:3]]
    mask = problem[3]
    before = [array.tobytes() for array in (*arrays, *([] if mask is None else [mask]))]
    for array in arrays:
        array.flags.writeable = False
    ours = al.scaled_dot_product_attention(*arrays, mask)
    blocks = al.blockwise_attention(*arrays, mask, block_size=2)
    assert ours.context.dtype == ours.weights.dtype == blocks.dtype == dtype
    assert ours.scores.dtype == np.result_type(dtype, np.float32)
    assert [array.tobytes() for array in (*arrays, *([] if mask is None else [mask]))] == before


@everything
@given(problems(), st.integers(1, 8))
def test_blocks_of_any_size_give_the_dense_result(problem, block_size):
    ours = al.blockwise_attention(*problem, block_size=block_size)
    close(ours, al.scaled_dot_product_attention(*problem).context)


@everything
@given(seeds, counts, st.integers(1, 4), st.integers(-20, 20))
def test_positions_are_rotated_by_a_shift(seed, n, pairs, shift):
    """P at i + shift is P at i turned by one rotation, and `rotate` keeps every length."""
    here = al.positional_encoding(n, 2 * pairs)
    there = al.positional_encoding(n, 2 * pairs, offset=shift)
    swap = np.arange(2 * pairs).reshape(-1, 2)[:, ::-1].ravel()  # (sin, cos) is the pair (y, x) of an angle
    close(al.rotate(here[:, swap], [shift] * n)[:, swap], there)
    X = np.random.default_rng(seed).normal(size=(n, 2 * pairs))
    close(np.linalg.norm(al.rotate(X, np.arange(n) + shift), axis=-1), np.linalg.norm(X, axis=-1))


@everything
@given(seeds, st.integers(0, 6), st.integers(0, 6), st.integers(-4, 6))
def test_masks_are_what_their_formulas_say(seed, n_q, n_k, offset):
    rng = np.random.default_rng(seed)
    width, lengths = int(rng.integers(1, 8)), rng.integers(0, n_k + 1, size=3)
    causal = [[j <= offset + i for j in range(n_k)] for i in range(n_q)]
    assert al.causal_mask(n_q, n_k, offset=offset).tolist() == causal
    assert al.window_mask(n_q, width).tolist() == [
        [i - width < j <= i for j in range(n_q)] for i in range(n_q)
    ]
    assert al.padding_mask(lengths, n_k).tolist() == [
        [[j < length for j in range(n_k)]] for length in lengths
    ]
