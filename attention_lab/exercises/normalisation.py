"""Notebook 04: softmax, softmax_jacobian."""

import numpy as np

from ..attention import softmax as weights_of
from .engine import Exercise


def normalised(powers):
    """Each row divided by its sum."""
    return powers / powers.sum(axis=-1, keepdims=True)


def largest(scores):
    return scores.max(axis=-1, keepdims=True)


def one_maximum(scores):
    return normalised(np.exp(scores - scores.max()))


_rng = np.random.default_rng(401)
# Far from 0 as a whole, and one row far apart in itself.
_FAR = _rng.normal(size=(4, 3)) + [[1000, 1000, 1000], [0, 0, 0], [-1000, -1000, -1000], [2000, 0, 0]]

softmax = Exercise(
    "softmax",
    lambda scores: weights_of(scores),
    [
        [(_rng.normal(size=(3, 5)),), (2 * _rng.normal(size=(4, 2)),), (_rng.normal(size=(3, 3)),)],
        [(_FAR,)],
    ],
    {
        "wrong_axis": lambda scores: weights_of(scores, axis=0),
        "over_all": lambda scores: np.exp(scores) / np.exp(scores).sum(),
        "not_normalised": (lambda scores: np.exp(scores), lambda scores: np.exp(scores - largest(scores))),
        "no_exponential": (normalised, lambda scores: normalised(scores - largest(scores))),
        "wrong_sign": lambda scores: weights_of(-scores),
        "logarithm": lambda scores: np.log(weights_of(scores)),
        "wrong_power": (lambda scores: weights_of(scores * np.log(2)), lambda scores: normalised(scores**2)),
        "sum_outside": lambda scores: np.exp(normalised(scores)),
        "sigmoid": lambda scores: 1 / (1 + np.exp(-scores)),
        "hard_maximum": lambda scores: (scores == largest(scores)).astype(float),
        "divided_by_maximum": lambda scores: weights_of(scores / largest(scores)),
        "overflow": lambda scores: normalised(np.exp(scores)),
        "one_maximum": one_maximum,
    },
    later="softmax_large",
)


def _simplex(*scores):
    return (weights_of(np.array(scores)),)


softmax_jacobian = Exercise(
    "softmax_jacobian",
    lambda weights: np.diag(weights) - np.outer(weights, weights),
    [[_simplex(0.3, -1.0, 1.1), _simplex(0.2, 1.4, -0.5, 0.9, 0.1)]],
    {
        "diagonal_only": (
            lambda weights: np.diag(weights * (1 - weights)),
            lambda weights: weights * (1 - weights),
        ),
        "wrong_sign": lambda weights: np.outer(weights, weights) - np.diag(weights),
        "plus": lambda weights: np.diag(weights) + np.outer(weights, weights),
        "no_product": lambda weights: np.diag(weights),
        "no_diagonal": (
            lambda weights: -np.outer(weights, weights),
            lambda weights: np.outer(weights, weights),
        ),
        "identity_for_diagonal": lambda weights: np.eye(len(weights)) - np.outer(weights, weights),
        "inner_for_outer": lambda weights: np.diag(weights) - weights @ weights,
        "broadcast": (
            lambda weights: np.diag(weights) - weights,
            lambda weights: np.diag(weights) - weights * weights,
            lambda weights: np.diag(weights) - weights[:, None],
        ),
        "row_for_diagonal": (
            lambda weights: weights - np.outer(weights, weights),
            lambda weights: weights[:, None] - np.outer(weights, weights),
        ),
        "softmax_again": lambda weights: (
            np.diag(weights_of(weights)) - np.outer(weights_of(weights), weights_of(weights))
        ),
    },
)

EXERCISES = (softmax, softmax_jacobian)
