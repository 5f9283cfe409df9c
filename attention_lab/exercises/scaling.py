"""Notebook 03: scaled_scores, dot_product_variance."""

import numpy as np

from ..attention import attention_scores as scores
from ..attention import softmax
from .engine import Exercise
from .similarity import PAIRS, cosine, scaled

scaled_scores = Exercise(
    "scaled_scores",
    lambda Q, K: scaled(Q, K),
    [PAIRS],
    {
        "no_scale": lambda Q, K: scores(Q, K),
        "times": lambda Q, K: scores(Q, K) * np.sqrt(Q.shape[-1]),
        "by_d_k": lambda Q, K: scores(Q, K) / Q.shape[-1],
        "by_sqrt_n": (
            lambda Q, K: scores(Q, K) / np.sqrt(len(Q)),
            lambda Q, K: scores(Q, K) / np.sqrt(len(K)),
        ),
        "by_n": (lambda Q, K: scores(Q, K) / len(Q), lambda Q, K: scores(Q, K) / len(K)),
        "fixed_divisor": tuple(lambda Q, K, fixed=fixed: scores(Q, K) / fixed for fixed in (2, 4, 8)),
        "standardised": (
            lambda Q, K: scores(Q, K) / scores(Q, K).std(),
            lambda Q, K: scores(Q, K) / scores(Q, K).std(axis=-1, keepdims=True),
        ),
        "cosine_for_dot": cosine,
        "transposed": lambda Q, K: scaled(K, Q),
        "not_transposed": lambda Q, K: Q @ K / np.sqrt(Q.shape[-1]),
        "elementwise": lambda Q, K: Q * K / np.sqrt(Q.shape[-1]),
        "softmax_already": lambda Q, K: softmax(scaled(Q, K)),
    },
)


_MEAN = 1e-3  # stands for a simulated mean: close to 0 and never 0


def near(mine, theirs):
    """A simulated variance agrees within a quarter; a simulated mean within 0.5; a 0 but for rounding."""
    tolerance = np.select([theirs == 0, theirs == _MEAN], [1e-9, 0.5], 0.25 * abs(theirs))
    return abs(mine.astype(float) - theirs) <= tolerance


# What each mistake gives with endless draws; "mean" stands last because its tolerance covers 1/d_k.
dot_product_variance = Exercise(
    "dot_product_variance",
    lambda d_k: float(d_k),
    [[(9,), (40,)]],
    {
        "deviation": lambda d_k: np.sqrt(d_k),
        "not_summed": lambda d_k: 1.0,
        "mean_for_sum": lambda d_k: 1 / d_k,
        "same_vector": lambda d_k: 2.0 * d_k,
        "uniform_draws": (lambda d_k: 7 / 144 * d_k, lambda d_k: d_k / 9),
        "times_d_k": lambda d_k: float(d_k**2),
        "equal_draws": lambda d_k: 0.0,
        "mean": lambda d_k: _MEAN,
    },
    agree=near,
)

EXERCISES = (scaled_scores, dot_product_variance)
