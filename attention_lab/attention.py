"""Scaled dot-product attention, from scores to many heads. NumPy only; read it from top to bottom.

Scores are before softmax, weights after. Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v); leading axes
broadcast. No quantity here has a unit. float32 stays float32; float16 is computed in float32; integers and
lists become float64. Inputs are never changed.
"""

import math
from typing import NamedTuple

import numpy as np

from .inputs import as_floats, broadcast_leading, quiet, real_number, shown, whole_number
from .masks import as_mask, check_mask, hide

_EPSILON = 1e-3  # the nudge of influence_map


class Attention(NamedTuple):
    """What one attention computation returns.

    context (…, n_q, d_v): a weighted sum of values for each query. weights (…, n_q, n_k): each row sums to 1,
    or is 0 where nothing is visible. scores (…, n_q, n_k): scaled and masked, −∞ where hidden.
    """

    context: np.ndarray
    weights: np.ndarray
    scores: np.ndarray


@quiet
def softmax(scores, axis=-1):
    """Weights from scores: softmax(s)_j = exp(s_j − max s) / Σ_k exp(s_k − max s).

    scores: any shape with at least one axis; −∞ gets weight 0. Returns weights of the same shape that sum to 1
    along the axis, except that nothing but −∞ gives zeros, and a NaN or +∞ gives NaN.

    TypeError: scores or axis of another kind. ValueError: an axis that the scores do not have.
    Source: Goodfellow, Bengio & Courville 2016, Deep Learning, section 4.1.
    """
    dtype, scores = as_floats(scores=scores, least_axes=1)
    axis = whole_number("axis", axis, least=-scores.ndim, most=scores.ndim - 1)
    powers, total = exponentials(scores, axis=axis)
    powers /= total
    return powers.astype(dtype, copy=False)


@quiet
def attention_scores(Q, K):
    """Raw scores, not yet scaled: S = Q Kᵀ, so S_ij = q_i · k_j.

    Q (…, n_q, d_k), K (…, n_k, d_k). Returns (…, n_q, n_k); float32 for float16.

    ValueError: one axis only, d_k = 0, widths or leading axes that do not match.
    Source: Vaswani et al. 2017, arXiv 1706.03762, 3.2.1.
    """
    _, Q, K = as_floats(Q=Q, K=K)
    check_widths(Q, K)
    return Q @ K.swapaxes(-1, -2)


@quiet
def scaled_dot_product_attention(Q, K, V, mask=None, *, scale=None):
    """Z = softmax(Q Kᵀ · scale + M) V, row by row; scale is 1/√d_k unless given.

    Q (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v). mask: booleans, True = may look, or floats added to the
    scaled scores, −∞ hides; two axes or as many as the scores, each as long as theirs or 1. Returns Attention.

    What a query may not see never reaches its row, even NaN or ∞. A query that sees nothing gets zeros. A
    visible NaN or +∞, and any visible value that is not finite, gives NaN.

    TypeError: an integer mask, or anything but numbers. ValueError: shapes that do not fit.
    Source: Vaswani et al. 2017, arXiv 1706.03762, eq. 1.
    """
    dtype, Q, K, V, mask, scale = check_attention(Q, K, V, mask, scale)
    scores = Q @ K.swapaxes(-1, -2)
    scores *= scale
    if mask is not None:
        hide(scores, mask)
    weights = softmax(scores)
    values, keys, bad = set_apart(V)
    context = weights @ values
    context[spoiled(scores, keys, bad)] = np.nan
    return in_dtype(Attention(context, weights, scores), dtype)


@quiet
def self_attention(H, W_Q, W_K, W_V, mask=None):
    """Attention of a sequence to itself: Q = H W_Q, K = H W_K, V = H W_V.

    H (…, n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v), mask as in scaled_dot_product_attention.
    Returns Attention with context (…, n, d_v), weights and scores (…, n, n).

    ValueError: a W without d_model rows, and whatever scaled_dot_product_attention refuses.
    Source: Vaswani et al. 2017, arXiv 1706.03762, 3.2.3.
    """
    dtype, H, W_Q, W_K, W_V = as_floats(H=H, W_Q=W_Q, W_K=W_K, W_V=W_V)
    attention = scaled_dot_product_attention(
        project(H, W_Q=W_Q), project(H, W_K=W_K), project(H, W_V=W_V), mask
    )
    return in_dtype(attention, dtype)


def split_heads(X, n_heads):
    """Head h takes columns h·d to (h + 1)·d − 1, where d = d_model / n_heads: reshape, then swap two axes.

    X (…, n, d_model), n_heads a count. Returns (…, n_heads, n, d_model / n_heads), a view of X where possible.

    ValueError: n_heads below 1, or d_model that it does not divide. Source: Vaswani et al. 2017, 3.2.2.
    """
    dtype, X = as_floats(X=X)
    *leading, n, d_model = X.shape
    n_heads = whole_number("n_heads", n_heads, least=-(2**31))  # refused below, with d_model
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(
            f"d_model = {d_model} does not split into n_heads = {n_heads} equal heads: "
            f"give a divisor of {d_model}"
        )
    heads = X.reshape(*leading, n, n_heads, d_model // n_heads).swapaxes(-2, -3)
    return heads.astype(dtype, copy=False)


def merge_heads(X):
    """The inverse of split_heads: swap the two axes back, then put the heads' columns side by side.

    X (…, n_heads, n, d). Returns (…, n, n_heads · d).

    ValueError: fewer than three axes. Source: Vaswani et al. 2017, 3.2.2.
    """
    dtype, X = as_floats(X=X, least_axes=3)
    *leading, n_heads, n, width = X.shape
    return X.swapaxes(-2, -3).reshape(*leading, n, n_heads * width).astype(dtype, copy=False)


@quiet
def multi_head_attention(H, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    """Z = Concat(Z_1, …, Z_m) W_O, where head h is attention on its columns of Q, K and V.

    H (…, n, d_model), W_Q and W_K (d_model, m·d_k), W_V (d_model, m·d_v), W_O (m·d_v, d_out), m = n_heads.
    mask: two axes, or as many as H, is shared by all heads; one axis more carries the heads. Returns Attention
    with context (…, n, d_out), weights and scores (…, n_heads, n, n).

    ValueError: widths that n_heads does not divide, and whatever self_attention refuses.
    Source: Vaswani et al. 2017, arXiv 1706.03762, 3.2.2.
    """
    dtype, H, W_Q, W_K, W_V, W_O = as_floats(H=H, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O)
    Q = split_heads(project(H, W_Q=W_Q), n_heads)
    K = split_heads(project(H, W_K=W_K), n_heads)
    V = split_heads(project(H, W_V=W_V), n_heads)
    if mask is not None:
        mask = as_mask(mask)
        if mask.ndim == H.ndim > 2:
            mask = check_mask(mask, (*H.shape[:-1], H.shape[-2]))[..., None, :, :]
    attention = scaled_dot_product_attention(Q, K, V, mask)
    context = project(merge_heads(attention.context), W_O=W_O)
    return in_dtype(attention._replace(context=context), dtype)


def influence_map(fn, X):
    """How far output row i moves when input row j is nudged: [i, j] = ‖fn(X + ε·1 in row j)_i − fn(X)_i‖ / ε.

    fn: takes an array like X and returns one row for each output; of a tuple, an Attention for one, the first
    item counts. It gets float64 copies, first X, then X with each row nudged by ε = 1e-3. X (n, d). Returns
    (rows of fn(X), n): 0 where output i does not depend on row j.

    TypeError: fn cannot be called, or X does not hold numbers. ValueError: X or fn(X) without exactly two axes,
    or a result that changes its shape. Source: none; a finite difference in the direction of all ones.
    """
    if not callable(fn):
        raise TypeError(f"fn must be a function of X, got {shown(fn)}")
    _, X = as_floats(X=X)
    X = _two_axes("X", X)
    result_dtype = X.dtype
    X = X.astype(float)
    before = _rows(fn(X.copy())).copy()  # a function may reuse its own result array
    influence = np.empty((len(before), len(X)), result_dtype)
    for j in range(len(X)):
        nudged = X.copy()
        nudged[j] += _EPSILON
        after = _rows(fn(nudged))
        if after.shape != before.shape:
            raise ValueError(f"fn gave shape {before.shape} and then {after.shape}: it must keep its shape")
        with np.errstate(all="ignore"):
            influence[:, j] = np.linalg.norm(after - before, axis=-1) / _EPSILON
    return influence


# The pieces that the functions above share, blockwise_attention with them.


def check_widths(Q, K):
    """Q and K share a width d_k above 0 and their leading axes; returns the scores' shape."""
    if Q.shape[-1] != K.shape[-1] or Q.shape[-1] == 0:
        raise ValueError(
            f"Q of shape {Q.shape} and K of shape {K.shape} must have the same last axis d_k, at least 1"
        )
    return *broadcast_leading(Q=Q, K=K), Q.shape[-2], K.shape[-2]


def check_attention(Q, K, V, mask, scale):
    """The arguments of an attention function, checked: the result's dtype, Q, K, V, mask and scale."""
    dtype, Q, K, V = as_floats(Q=Q, K=K, V=V)
    shape = check_widths(Q, K)
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(
            f"K of shape {K.shape} and V of shape {V.shape} must have the same number of rows, n_k"
        )
    broadcast_leading(Q=Q, K=K, V=V)
    mask = None if mask is None else check_mask(mask, shape)
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else real_number("scale", scale)
    return dtype, Q, K, V, mask, scale


def project(H, **named):
    """H W, once the rows of the one named W match the columns of H."""
    ((name, W),) = named.items()
    if W.shape[-2] != H.shape[-1]:
        raise ValueError(
            f"{name} of shape {W.shape} needs {H.shape[-1]} rows to multiply an array of shape {H.shape}"
        )
    broadcast_leading(H=H, **named)
    return H @ W


def exponentials(scores, exp=np.exp, axis=-1, out=None):
    """exp(s − max s) along the axis, and its sum; for nothing but −∞, zeros and a sum of 1."""
    top = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    top[top == -np.inf] = 0  # -inf minus -inf would be NaN
    powers = np.subtract(scores, top, out=out)
    exp(powers, out=powers)
    total = powers.sum(axis=axis, keepdims=True)
    total[total == 0] = 1
    return powers, total


def set_apart(V):
    """V with 0 for what is not finite; the keys that hold such entries; where they are in those rows."""
    bad = ~np.isfinite(V)
    keys = np.flatnonzero(bad.any(axis=(*range(V.ndim - 2), -1)))
    return (np.where(bad, 0, V) if keys.size else V), keys, bad[..., keys, :]


def spoiled(scores, keys, bad):
    """Where the context has no value, (…, n_q, d_v): a query sees a value that is not finite.

    The product weights @ V cannot tell: 0 · ∞ is NaN for a hidden key as well. A block of scores may end
    before some of the keys.
    """
    keys = keys[keys < scores.shape[-1]]
    return (scores[..., keys] != -np.inf) @ bad[..., : keys.size, :]


def in_dtype(attention, dtype):
    """The same Attention with context and weights in the result's dtype."""
    context, weights, scores = attention
    return Attention(context.astype(dtype, copy=False), weights.astype(dtype, copy=False), scores)


def _two_axes(name, array):
    if array.ndim != 2:
        raise ValueError(f"{name} of shape {array.shape} must have two axes, (rows, columns)")
    return array


def _rows(result):
    result = result[0] if isinstance(result, tuple) and result else result
    return _two_axes("fn(X)", as_floats(**{"fn(X)": result})[1])
