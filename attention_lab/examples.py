"""The course's examples: tokens with the arrays that turn them into queries, keys and values."""

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
