"""Notebook 02: attention_scores, positional_encoding."""

import numpy as np

from ..attention import attention_scores as scores
from ..attention import softmax
from ..positions import positional_encoding as encoding
from .engine import Exercise

# Q, K (n_q, d_k), (n_k, d_k). The square pair lets Q K and Q ∗ K give numbers, so that they can be named.
_rng = np.random.default_rng(201)
PAIRS = [
    (_rng.normal(size=(n_q, d_k)), _rng.normal(size=(n_k, d_k))) for n_q, n_k, d_k in [(3, 5, 2), (4, 4, 4)]
]


def cosine(Q, K):
    return scores(
        Q / np.linalg.norm(Q, axis=-1, keepdims=True), K / np.linalg.norm(K, axis=-1, keepdims=True)
    )


def scaled(Q, K):
    return scores(Q, K) / np.sqrt(Q.shape[-1])


attention_scores = Exercise(
    "attention_scores",
    lambda Q, K: scores(Q, K),
    [PAIRS],
    {
        "transposed": lambda Q, K: K @ Q.T,
        "not_transposed": lambda Q, K: Q @ K,
        "columns_for_rows": lambda Q, K: Q.T @ K,
        "elementwise": lambda Q, K: Q * K,
        "scaled_already": scaled,
        "by_d_k": lambda Q, K: scores(Q, K) / Q.shape[-1],
        "cosine_for_dot": cosine,
        "softmax_already": (lambda Q, K: softmax(scores(Q, K)), lambda Q, K: softmax(scaled(Q, K))),
        "queries_twice": lambda Q, K: Q @ Q.T,
        "keys_twice": lambda Q, K: K @ K.T,
        "distances": (
            lambda Q, K: np.linalg.norm(Q[:, None] - K, axis=-1),
            lambda Q, K: ((Q[:, None] - K) ** 2).sum(axis=-1),
            lambda Q, K: -((Q[:, None] - K) ** 2).sum(axis=-1),
        ),
        "absolute": lambda Q, K: abs(scores(Q, K)),
    },
)


def waves(angles, first=np.sin, second=np.cos):
    """Columns 0, 2, … from the first function and 1, 3, … from the second, of angles (n, d_model)."""
    P = first(angles)
    P[:, 1::2] = second(angles[:, 1::2])
    return P


def angles(n, d_model, base=10000.0, first=0, exponent=lambda j, d: 2 * (j // 2) / d):
    """Position / base^exponent, for each column j of d_model."""
    return np.arange(first, first + n)[:, None] / base ** exponent(np.arange(d_model), d_model)


def concatenated(n, d_model):
    halves = angles(n, d_model)[:, 0::2]
    return np.hstack([np.sin(halves), np.cos(halves)])


_EXPONENTS = (
    lambda j, d: j / d,
    lambda j, d: 2 * j / d,
    lambda j, d: (j // 2) / d,
    lambda j, d: (2 * (j // 2) + j % 2 * 2) / d,
    lambda j, d: 4 * (j // 2) / d,
    lambda j, d: 2 * (j // 2),
    lambda j, d: j // 2,
)

positional_encoding = Exercise(
    "positional_encoding",
    lambda n, d_model: encoding(n, d_model),
    [[(5, 6), (7, 4)]],
    {
        "swapped_waves": lambda n, d_model: waves(angles(n, d_model), np.cos, np.sin),
        "concatenated": concatenated,
        "one_wave": (
            lambda n, d_model: np.sin(angles(n, d_model)),
            lambda n, d_model: np.cos(angles(n, d_model)),
        ),
        "wrong_exponent": tuple(
            lambda n, d_model, e=exponent: waves(angles(n, d_model, exponent=e)) for exponent in _EXPONENTS
        ),
        "wrong_base": tuple(
            lambda n, d_model, base=base: waves(angles(n, d_model, base))
            for base in (1000.0, 100000.0, 1e6, 10.0, 2.0, np.e)
        ),
        "multiplied": lambda n, d_model: waves(angles(n, d_model, 1e-4)),
        "from_one": lambda n, d_model: waves(angles(n, d_model, first=1)),
        "transposed": lambda n, d_model: encoding(n, d_model).T,
        "angles_only": lambda n, d_model: angles(n, d_model),
        "degrees": lambda n, d_model: waves(np.radians(angles(n, d_model))),
    },
)

EXERCISES = (attention_scores, positional_encoding)
