"""Attention without the n × n matrix: the same context, a block of queries at a time."""

import math
from functools import cache

import numpy as np
from numpy.lib import introspect

from .attention import check_attention, exponentials, set_apart, spoiled
from .inputs import broadcast_leading, quiet, shown, whole_number
from .masks import causal_mask, check_lengths, hide


@quiet
def blockwise_attention(Q, K, V, mask=None, *, causal=False, lengths=None, scale=None, block_size=128):
    """The context of scaled_dot_product_attention, with O(n · block_size) extra memory instead of O(n²).

    Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), mask and scale as there. causal: hide the future, where
    n_q = n_k. lengths: how many keys are real, one count or one for each entry of the scores' first axis. A key
    is seen only if mask, causal and lengths all let it be. block_size: queries at a time, at least 1. Returns
    the context (…, n_q, d_v).

    A block holds whole rows of scores, so each needs only one softmax. Time stays O(n²), half of it when causal.
    Sums are divided last, so values within a factor n_k of the dtype's largest number overflow.

    TypeError, ValueError: as there; also causal with n_q ≠ n_k, and lengths that do not match the first axis.
    Source: Rabe & Staats 2021, arXiv 2112.05682, without their split over the keys.
    """
    dtype, Q, K, V, mask, scale = check_attention(Q, K, V, mask, scale)
    block_size = whole_number("block_size", block_size, least=1)
    n_queries, n_keys = Q.shape[-2], K.shape[-2]
    if not isinstance(causal, (bool, np.bool_)):
        raise TypeError(f"causal must be True or False, got {shown(causal)}")
    if causal and n_queries != n_keys:
        raise ValueError(
            f"causal cannot tell where {n_queries} queries stand among {n_keys} keys: "
            f"give mask=causal_mask({n_queries}, {n_keys}, offset=…) instead"
        )
    real_keys = _real_keys(lengths, broadcast_leading(Q=Q, K=K), n_keys)
    leading = broadcast_leading(Q=Q, K=K, V=V)
    Q, K, V = (np.broadcast_to(array, (*leading, *array.shape[-2:])) for array in (Q, K, V))
    real_keys = np.broadcast_to(real_keys, leading)
    if mask is not None:
        mask = np.broadcast_to(mask, (*leading, n_queries, n_keys))
    context = np.empty((*leading, n_queries, V.shape[-1]), dtype)
    for at in np.ndindex(leading):
        n = real_keys[at]
        seen = None if mask is None else mask[at]
        _fill(context[at], Q[at], K[at][:n], V[at][:n], seen, causal, scale, block_size)
    return context


def _fill(context, Q, K, V, mask, causal, scale, block_size):
    """Write one sequence's context (n_q, d_v), block by block.

    The softmax happens in one buffer, in place. Dividing by the sums after P V instead of before touches d_v
    numbers a row instead of n_k. Where exp2 is fast, log₂e is folded into the scale: 2^(s·log₂e) = e^s.
    """
    exp = np.exp2 if _exp2_is_fast() and (mask is None or mask.dtype == bool) else np.exp
    scale = scale * math.log2(math.e) if exp is np.exp2 else scale
    columns = np.ascontiguousarray(K.T)  # the product is faster on these than on a transposed view
    values, keys, bad = set_apart(V)
    buffer = np.empty(min(block_size, len(Q)) * len(K), Q.dtype)
    for start in range(0, len(Q), block_size):
        queries = Q[start : start + block_size]
        rows = slice(start, start + len(queries))
        n = min(rows.stop, len(K)) if causal else len(K)  # every later key is in the future of the block
        scores = buffer[: len(queries) * n].reshape(len(queries), n)
        np.matmul(queries * scale, columns[:, :n], out=scores)
        if mask is not None:
            hide(scores, mask[rows, :n])
        if causal:
            corner = scores[:, start:]  # the only keys of the block that some of its queries may not see
            hide(corner, causal_mask(*corner.shape, offset=0))
        no_value = spoiled(scores, keys, bad)
        powers, total = exponentials(scores, exp, out=scores)
        context[rows] = powers @ values[:n] / total
        context[rows][no_value] = np.nan


def _real_keys(lengths, leading, n_keys):
    """How many keys are real, shaped to broadcast over the leading axes: lengths belong to the first."""
    if lengths is None:
        return n_keys
    lengths = check_lengths(lengths, n_keys)
    if lengths.ndim and lengths.shape != leading[:1]:
        raise ValueError(
            f"{len(lengths)} lengths do not match leading axes {leading}: "
            "give one length, or one for each entry of the first axis"
        )
    return lengths.reshape(lengths.shape + (1,) * (len(leading) - lengths.ndim))


@cache
def _exp2_is_fast():
    """Whether this NumPy has vector code for exp2 on this processor; without it, exp is the faster one."""
    variants = introspect.opt_func_info(func_name="^exp2$", signature="float32").get("exp2", {})
    return any(not variant["current"].startswith("baseline") for variant in variants.values())
