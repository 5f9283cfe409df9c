"""Where a token stands, told to attention: added to its embedding, or as a rotation of its query and key."""

import numpy as np

from .inputs import as_floats, fits_into, quiet, real_number, whole_number


def positional_encoding(n, d_model, *, offset=0):
    """P[i, 2p] = sin((offset + i) / 10000^(2p / d_model)), P[i, 2p + 1] = cos of the same angle.

    n, d_model: counts, d_model even; p counts the pairs of columns. offset: the position of row 0, so that one
    new token at position 3 is positional_encoding(1, d_model, offset=3). Returns (n, d_model), between −1 and 1.

    TypeError: not a whole number. ValueError: d_model odd or below 2, n below 0.
    Source: Vaswani et al. 2017, arXiv 1706.03762, 3.5.
    """
    n = whole_number("n", n)
    d_model = _even("d_model", whole_number("d_model", d_model, least=2))
    offset = whole_number("offset", offset, least=-(2**31))
    angles = _angles(offset + np.arange(n), d_model, 10000.0)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


@quiet
def rotate(X, positions, *, base=10000.0):
    """Turn each pair (x, y) of neighbouring columns by θ: (x cos θ − y sin θ, x sin θ + y cos θ).

    The angle of pair p at position t is θ = t / base^(2p / d), in radians. Then q_i · k_j depends on positions
    only through i − j, and lengths do not change.

    X (…, n, d), d even. positions: one number for each row, (n,), or with leading axes of X. base: above 0.
    Returns the shape and dtype of X.

    ValueError: d odd or 0, positions that do not fit or are not finite, base not above 0.
    Source: Su et al. 2021, arXiv 2104.09864, 3.4.2.
    """
    dtype, X = as_floats(X=X)
    _, positions = as_floats(positions=positions, least_axes=1)
    base = real_number("base", base)
    if base <= 0:
        raise ValueError(f"base must be above 0, got {base}")
    rows, width = X.shape[:-1], _even("the last axis of X", X.shape[-1])
    if not fits_into(positions.shape, rows) or positions.shape[-1] != rows[-1]:
        raise ValueError(
            f"positions of shape {positions.shape} do not fit X of shape {X.shape}: "
            f"give one for each row, shape ({rows[-1]},) or {rows}"
        )
    if not np.isfinite(positions).all():
        raise ValueError(f"positions of shape {positions.shape} must all be finite: remove NaN and infinity")
    angles = _angles(positions, width, base)
    x, y, sin, cos = X[..., 0::2], X[..., 1::2], np.sin(angles), np.cos(angles)
    return (
        np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1).reshape(X.shape).astype(dtype, copy=False)
    )


def _even(name, width):
    if width % 2 or width == 0:
        raise ValueError(
            f"{name} must be even, since columns come in pairs, got {width}: use {width + width % 2 or 2}"
        )
    return width


def _angles(positions, width, base):
    """Radians (…, width / 2): each position turned at the pair's own speed, base^(−2p / width)."""
    return positions[..., None] * base ** (-np.arange(0, width, 2) / width)
