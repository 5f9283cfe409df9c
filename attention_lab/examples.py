"""The course's examples: tokens with the arrays that turn them into queries, keys and values."""

from functools import cache
from typing import NamedTuple

import numpy as np

_SENTENCE = "policy raises wages jobs and firms adjust hours prices or hiring as costs rise over time"


class Example(NamedTuple):
    """What a panel needs: n tokens, H (n, d_model) and W_Q, W_K, W_V (d_model, d_k), all unitless."""

    tokens: list
    H: np.ndarray
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray


def lesson(n=4, d_k=4):
    """The lesson's demonstration: random numbers, nothing trained.

    `default_rng(7)` draws H (4, 6), then W_Q, W_K, W_V (6, 4), each divided by √6. The same generator
    goes on to a sentence of 16 tokens and d_k = 64, so a longer or wider example never changes a number
    of a shorter one. Returns an Example; ValueError unless 1 ≤ n ≤ 16 and 1 ≤ d_k ≤ 64.
    """
    tokens = _SENTENCE.split()
    if not 1 <= n <= 16:
        raise ValueError(f"the sentence has 1 to 16 tokens, got n = {n}")
    if not 1 <= d_k <= 64:
        raise ValueError(f"the example has d_k from 1 to 64, got d_k = {d_k}")
    rng = np.random.default_rng(7)
    H = rng.normal(size=(4, 6))
    W = [rng.normal(size=(6, 4)) / np.sqrt(6) for _ in range(3)]
    H = np.vstack([H, rng.normal(size=(12, 6))])
    W_Q, W_K, W_V = (np.hstack([w, rng.normal(size=(6, 60)) / np.sqrt(6)])[:, :d_k] for w in W)
    return Example(tokens[:n], H[:n], W_Q, W_K, W_V)


def output_weights(rows, d_model):
    """W_O (rows, d_model) for heads whose contexts, side by side, have `rows` numbers: random, `default_rng(8)` / √8.

    Fewer rows are the first rows of more.
    """
    return np.random.default_rng(8).normal(size=(64, d_model))[:rows] / np.sqrt(8)


@cache
def spread():
    """Scores of random queries and keys of variance 1 for d_k = 1, 2, 4 … 1024: what panel 3 draws.

    4096 pairs from `default_rng(3)` give, for each d_k, the standard deviation of q · k and its histogram in bins
    of width 1, with and without √d_k; 16 queries and 16 keys give the scores of one sentence. A larger d_k adds
    dimensions and never changes those of a smaller one. Returns a dict of lists.
    """
    rng = np.random.default_rng(3)
    widths, edges = [2**k for k in range(11)], np.arange(-96, 97, 3)
    Q, K = rng.normal(size=(2, 16, 1024))
    products = np.cumsum(rng.normal(size=(4096, 1024)) * rng.normal(size=(4096, 1024)), axis=1)[
        :, np.subtract(widths, 1)
    ]
    square = np.cumsum(Q[:, None] * K[None], axis=2)[..., np.subtract(widths, 1)]
    return {
        "widths": widths,
        "edges": edges.tolist(),
        "sd": products.std(axis=0).tolist(),
        "counts": [np.histogram(scores, edges)[0].tolist() for scores in products.T],
        "scaled_counts": [
            np.histogram(s / w**0.5, edges)[0].tolist() for s, w in zip(products.T, widths, strict=True)
        ],
        "scores": np.moveaxis(square, -1, 0).tolist(),
    }
