"""Who may look at whom. In a boolean mask True means "may look"; the last axis is the keys.

Every rule about masks stands here once: which shapes fit, and what a mask does to scores. Attention, dense
or block by block, only calls `check_mask` and `hide`.
"""

import numpy as np

from .inputs import as_array, fits_into, quiet, shown, whole_number


def causal_mask(n_queries, n_keys=None, *, offset=None):
    """The past and itself: M[i, j] = (j ≤ offset + i).

    n_queries, n_keys: counts; n_keys defaults to n_queries. offset: the position of query 0 among the keys; 0
    for a square mask. Returns booleans (n_queries, n_keys).

    TypeError: a count that is not a whole number. ValueError: n_queries ≠ n_keys without an offset, because
    the queries may be the first of the keys or the last. Source: Vaswani et al. 2017, arXiv 1706.03762, 3.2.3.
    """
    n_queries = whole_number("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else whole_number("n_keys", n_keys)
    if offset is None and n_queries != n_keys:
        raise ValueError(
            f"{n_queries} queries and {n_keys} keys need an offset, the position of the first query: "
            f"offset=0 if the queries are the first of the keys, offset={n_keys - n_queries} if the last"
        )
    offset = 0 if offset is None else whole_number("offset", offset, least=-(2**31))
    return np.arange(n_keys) <= offset + np.arange(n_queries)[:, None]


def padding_mask(lengths, n_keys):
    """The real tokens, not the padding: M[…, 0, j] = (j < length). It hides keys, never queries.

    lengths: one count of real tokens, or a batch of them (batch,), each from 0 to n_keys. Returns booleans
    (1, n_keys) for one length, (batch, 1, n_keys) for a batch.

    TypeError: lengths that are not whole numbers. ValueError: a length below 0 or above n_keys, or lengths
    with more than one axis.
    """
    n_keys = whole_number("n_keys", n_keys)
    lengths = check_lengths(lengths, n_keys)
    return (np.arange(n_keys) < lengths[..., None])[..., None, :]


def window_mask(n, width):
    """A causal window, the token itself counts: M[i, j] = (i − width < j ≤ i).

    n: count of tokens. width: how many keys a query sees at most, 1 or more; width 1 is the identity, width ≥ n
    the causal mask. Returns booleans (n, n).

    TypeError: not a whole number. ValueError: width below 1. Source: Beltagy et al. 2020, arXiv 2004.05150.
    """
    n, width = whole_number("n", n), whole_number("width", width, least=1)
    return causal_mask(n) & ~causal_mask(n, offset=-width)


@quiet
def additive_mask(mask, dtype=float):
    """The same mask as numbers to add to the scaled scores: 0 where True, −∞ where False.

    mask: booleans of any shape (a float mask is additive already and only changes its dtype). Returns floats
    of the same shape.

    TypeError: an integer mask, or a dtype that cannot hold −∞.
    """
    mask, dtype = as_mask(mask), np.dtype(dtype)
    if dtype.kind != "f":
        raise TypeError(f"an additive mask holds -inf, which dtype {dtype} cannot: use a float dtype")
    additive = np.zeros(mask.shape, dtype)
    hide(additive, mask)
    return additive


def as_mask(mask):
    """The mask as an array of booleans or floats."""
    mask = as_array("mask", mask)
    if mask.dtype.kind not in "bf":
        raise TypeError(
            f"a mask of dtype {mask.dtype} does not say what it means: use booleans (True = may look) "
            "or floats (added to the scaled scores, -inf hides)"
        )
    return mask


def check_mask(mask, shape):
    """The mask as an array, once it fits scores of this shape: two axes or as many, none longer."""
    mask = as_mask(mask)
    if mask.ndim not in (2, len(shape)) or not fits_into(mask.shape, shape):
        full = f" or {shape}" if len(shape) > 2 else ""
        raise ValueError(
            f"a mask of shape {mask.shape} does not fit scores of shape {shape}: "
            f"use shape {shape[-2:]}{full}, where any axis may be 1"
        )
    return mask


def check_lengths(lengths, n_keys):
    """The lengths as whole numbers from 0 to n_keys, shape () or (batch,)."""
    counts = as_array("lengths", lengths)
    if counts.size == 0:
        counts = counts.astype(int)  # an empty list has no dtype of its own
    if counts.dtype.kind not in "iu":
        raise TypeError(f"lengths must be whole numbers, got {shown(lengths)}")
    if counts.ndim > 1:
        raise ValueError(f"lengths of shape {counts.shape} must be one number or have one axis, (batch,)")
    wrong = counts[(counts < 0) | (counts > n_keys)]
    if wrong.size:
        raise ValueError(f"a length of {wrong[0]} does not fit {n_keys} keys: give 0 to {n_keys}")
    return counts


def hide(scores, mask):
    """Apply a mask to scaled scores, in place: add it if it holds floats, then write −∞ where it hides.

    −∞ is written, not added, so that it also covers NaN and +∞. A float mask takes the scores' dtype.
    """
    hidden = ~mask if mask.dtype == bool else mask == -np.inf
    if mask.dtype != bool:
        scores += mask.astype(scores.dtype, copy=False)
    np.copyto(scores, -np.inf, where=hidden)
