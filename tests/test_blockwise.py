"""Attention in blocks: equal to the dense result in every setting, in little memory."""

import importlib
import itertools
import tracemalloc

import numpy as np
import pytest

import attention_lab as al

pytestmark = pytest.mark.filterwarnings("error")
blockwise = importlib.import_module("attention_lab.blockwise")


def draw(seed, *shapes, dtype=float):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def agree(ours, right, atol=1e-12):
    assert ours.shape == right.shape and ours.dtype == right.dtype
    np.testing.assert_allclose(ours, right, rtol=0, atol=atol)


@pytest.fixture(params=[True, False], ids=["exp2", "exp"])
def either_exponential(request, monkeypatch):
    """Both ways to compute the powers, whichever this processor would choose."""
    monkeypatch.setattr(blockwise, "_exp2_is_fast", lambda: request.param)


def masks(rng, batch, n_q, n_k):
    """One mask of every kind, with rows that see nothing among them."""
    boolean = rng.random((batch, n_q, n_k)) < 0.6
    boolean[0, n_q // 2] = False
    return {
        "none": None,
        "boolean for each": boolean,
        "boolean for all": boolean[0],
        "on the keys": boolean[:, :1],
        "on the queries": boolean[..., :1],
        "float": np.where(boolean, rng.normal(size=boolean.shape), -np.inf),
        "float for all": rng.normal(size=(1, n_k)),
    }


@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-12), (np.float32, 5e-6), (np.float16, 2e-3)])
@pytest.mark.parametrize("n_q, n_k", [(7, 7), (5, 8), (8, 3)])
def test_every_mask_block_size_and_length(either_exponential, dtype, atol, n_q, n_k):
    rng = np.random.default_rng(n_q)
    q, k, v = draw(1, (3, n_q, 4), (3, n_k, 4), (3, n_k, 5), dtype=dtype)
    for mask, lengths, causal, size in itertools.product(
        masks(rng, 3, n_q, n_k).values(),
        (None, 2, [n_k, 0, 2]),
        (False, True),
        (1, 2, 3, n_q, n_q + 1, 2**31),
    ):
        if causal and n_q != n_k:
            continue
        bias = np.zeros((3, n_q, n_k)) if mask is None else al.additive_mask(mask)
        for hides in ([al.causal_mask(n_q)] if causal else []) + (
            [] if lengths is None else [al.padding_mask(lengths, n_k)]
        ):
            bias = np.where(hides, bias, -np.inf)
        right = al.scaled_dot_product_attention(q, k, v, bias).context
        ours = al.blockwise_attention(q, k, v, mask, causal=causal, lengths=lengths, block_size=size)
        agree(ours, right, atol)


def test_more_queries_than_a_block_of_the_default_size(either_exponential):
    q, k, v = draw(2, (300, 16), (300, 16), (300, 3), dtype=np.float32)
    for causal in (False, True):
        right = al.scaled_dot_product_attention(q, k, v, al.causal_mask(300) if causal else None).context
        agree(al.blockwise_attention(q, k, v, causal=causal), right, atol=2e-6)


def test_large_scores_stay_exact(either_exponential):
    q, k, v = draw(3, (6, 2), (9, 2), (9, 3))
    agree(
        al.blockwise_attention(200 * q, k, v, scale=5.0, block_size=4),
        al.scaled_dot_product_attention(200 * q, k, v, scale=5.0).context,
        atol=1e-9,
    )


def test_lengths_belong_to_the_first_axis():
    """Batch, heads and n are equal on purpose."""
    q, k, v = draw(4, (3, 3, 3, 2), (3, 3, 3, 2), (3, 3, 3, 2))
    lengths = [3, 0, 1]
    ours = al.blockwise_attention(q, k, v, lengths=lengths)
    right = al.scaled_dot_product_attention(q, k, v, al.padding_mask(lengths, 3)[:, None]).context
    agree(ours, right)
    assert not ours[1].any()
    agree(ours[2], np.broadcast_to(v[2][:, :1], (3, 3, 2)).copy())


def test_lengths_belong_to_the_scores_even_when_values_have_more_axes():
    q, k, v = draw(5, (2, 3, 2), (2, 4, 2), (5, 2, 4, 2))
    ours = al.blockwise_attention(q, k, v, lengths=[1, 4])
    agree(ours, al.scaled_dot_product_attention(q, k, v, al.padding_mask([1, 4], 4)).context)


@pytest.mark.parametrize("lengths", [[1], [1, 2, 3], []])
def test_lengths_that_match_no_axis_are_refused(lengths):
    q = np.ones((2, 3, 4))
    with pytest.raises(ValueError, match=rf"{len(lengths)} lengths.*\(2,\)"):
        al.blockwise_attention(q, q, q, lengths=lengths)
    with pytest.raises(ValueError, match=rf"{len(lengths)} lengths.*one length"):
        al.blockwise_attention(q[0], q[0], q[0], lengths=lengths)


@pytest.mark.parametrize("block_size", [1, 2, 3, 8])
def test_nan_beyond_a_length_or_in_the_future_never_arrives(either_exponential, block_size):
    q, k, v = draw(6, (6, 4), (6, 4), (6, 2))
    past = al.blockwise_attention(q, k, v, causal=True)
    k[4:], v[4:] = np.nan, np.inf
    shorter = al.blockwise_attention(q, k, v, lengths=4, block_size=block_size)
    agree(shorter, al.scaled_dot_product_attention(q, k[:4], v[:4]).context)
    ours = al.blockwise_attention(q, k, v, causal=True, block_size=block_size)
    agree(ours[:4], past[:4])
    assert np.isnan(ours[4:]).all()


@pytest.mark.parametrize("dtype, causal", [(np.float32, False), (np.float32, True), (np.float16, True)])
def test_extra_memory_at_8192(dtype, causal):
    """At most 16 MiB beyond the inputs and the result; the weights alone would take 256."""
    q, k, v = draw(7, *[(8192, 64)] * 3, dtype=dtype)
    tracemalloc.start()
    try:
        result = al.blockwise_attention(q, k, v, causal=causal)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - result.nbytes <= 16 * 2**20


def test_causal_blocks_skip_the_keys_they_cannot_see(monkeypatch):
    computed = []

    def counting(scores, *rest, **options):
        computed.append(scores.shape)
        return blockwise_exponentials(scores, *rest, **options)

    blockwise_exponentials = blockwise.exponentials
    monkeypatch.setattr(blockwise, "exponentials", counting)
    q = np.ones((10, 2))
    al.blockwise_attention(q, q, q, causal=True, block_size=4)
    al.blockwise_attention(q, q, q, lengths=3, block_size=6)
    assert computed == [(4, 4), (4, 8), (2, 10), (6, 3), (4, 3)]


def test_many_sequences_take_no_more_memory_than_one():
    q, k, v = draw(8, *[(12, 512, 8)] * 3, dtype=np.float32)
    tracemalloc.start()
    try:
        result = al.blockwise_attention(q, k, v, block_size=64)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - result.nbytes <= 2**20  # one sequence's scores, 1 MiB; all twelve have 12
