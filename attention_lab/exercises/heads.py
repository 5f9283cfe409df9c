"""Notebook 06: split_heads, merge_heads, multi_head_attention."""

import numpy as np

from .. import attention, masks
from ..attention import softmax
from .engine import Exercise

_rng = np.random.default_rng(601)


def split(X, n_heads):
    return attention.split_heads(X, n_heads)


def merge(X):
    return attention.merge_heads(X)


def bare_split(X, n_heads):
    """Cuts the sequence into pieces and calls them heads."""
    return X.reshape(n_heads, len(X), -1)


def bare_merge(X):
    return X.reshape(X.shape[1], -1)


def interleaved_split(X, n_heads):
    """Head h takes columns h, h + n_heads, h + 2 n_heads, …"""
    return np.stack([X[:, h::n_heads] for h in range(n_heads)])


def interleaved_merge(X):
    return X.transpose(1, 2, 0).reshape(X.shape[1], -1)


split_heads = Exercise(
    "split_heads",
    split,
    # As many tokens as heads, in the second: there the wrong ways have the right shape.
    [[(_rng.normal(size=(5, 6)), 2), (_rng.normal(size=(3, 6)), 3), (_rng.normal(size=(4, 8)), 2)]],
    {
        "reshape_only": bare_split,
        "not_swapped": lambda X, n_heads: X.reshape(len(X), n_heads, -1),
        "interleaved": interleaved_split,
        "tokens_split": lambda X, n_heads: np.stack(np.split(X, n_heads)),
        "transposed": lambda X, n_heads: split(X, n_heads).swapaxes(-1, -2),
        "sizes_swapped": lambda X, n_heads: split(X, X.shape[1] // n_heads),
        "not_split": (lambda X, n_heads: np.stack([X] * n_heads), lambda X, n_heads: X),
    },
)

merge_heads = Exercise(
    "merge_heads",
    merge,
    [[(_rng.normal(size=(2, 5, 3)),), (_rng.normal(size=(3, 3, 2)),), (_rng.normal(size=(2, 3, 4)),)]],
    {
        "reshape_only": bare_merge,
        "interleaved": interleaved_merge,
        "averaged": lambda X: X.mean(axis=0),
        "summed": lambda X: X.sum(axis=0),
        "stacked_rows": lambda X: np.concatenate(X),
        "not_joined": lambda X: X.swapaxes(0, 1),
        "transposed": lambda X: merge(X).T,
        "heads_reversed": lambda X: merge(X[::-1]),
    },
)


def head_weights(Q, K, divisor=None, axis=-1):
    scores = Q @ K.swapaxes(-1, -2)
    return softmax(scores / (divisor or np.sqrt(Q.shape[-1])), axis=axis)


def layer(split=split, merge=merge, weigh=head_weights):
    """Multi-head attention with these ways to split, to merge and to weigh."""

    def multi_head(H, W_Q, W_K, W_V, W_O, n_heads):
        Q, K, V = (split(H @ W, n_heads) for W in (W_Q, W_K, W_V))
        return merge(weigh(Q, K) @ V) @ W_O

    return multi_head


def divided_by(divisor):
    """Multi-head attention with another divisor than √d_k, made from H and the width of a head."""
    return lambda H, *rest: layer(weigh=lambda Q, K: head_weights(Q, K, divisor(H, Q.shape[-1])))(H, *rest)


def contexts(H, W_Q, W_K, W_V, W_O, n_heads):
    """The merged contexts before W_O."""
    return layer()(H, W_Q, W_K, W_V, np.eye(len(W_O)), n_heads)


def last_head(H, W_Q, W_K, W_V, W_O, n_heads):
    """What = in place of += leaves of a sum over the heads."""
    last = split(contexts(H, W_Q, W_K, W_V, W_O, n_heads), n_heads)[-1]
    return last @ W_O[-last.shape[-1] :]


def causal(H, *given):
    return attention.multi_head_attention(H, *given, masks.causal_mask(len(H))).context


def _weights(n, d_model, d_out, n_heads):
    sizes = (n, d_model), *[(d_model, d_model)] * 3, (d_model, d_out)
    return *(_rng.normal(size=size) / np.sqrt(size[0]) for size in sizes), n_heads


multi_head_attention = Exercise(
    "multi_head_attention",
    lambda H, W_Q, W_K, W_V, W_O, n_heads: (
        attention.multi_head_attention(H, W_Q, W_K, W_V, W_O, n_heads).context
    ),
    [[_weights(5, 6, 6, 2), _weights(3, 6, 6, 3), _weights(4, 8, 5, 2)]],
    {
        "reshape_at_split": layer(split=bare_split),
        "reshape_at_merge": layer(merge=bare_merge),
        "reshape_at_both": layer(bare_split, bare_merge),
        "heads_as_tokens": layer(lambda X, m: X.reshape(len(X), m, -1), lambda Z: Z.reshape(len(Z), -1)),
        "interleaved": (
            layer(split=interleaved_split),
            layer(merge=interleaved_merge),
            layer(interleaved_split, interleaved_merge),
        ),
        "averaged": (
            lambda *given: layer()(*given) / given[-1],
            lambda *given: split(contexts(*given), given[-1]).mean(axis=0),
            layer(weigh=lambda Q, K: head_weights(Q, K).mean(axis=0)),
        ),
        "missing_output": contexts,
        "transposed_output": lambda H, W_Q, W_K, W_V, W_O, n_heads: layer()(H, W_Q, W_K, W_V, W_O.T, n_heads),
        "one_head": lambda *given: layer()(*given[:-1], 1),
        "last_head": last_head,
        "causal": causal,
        "residual": lambda H, *given: H + layer()(H, *given),
        "no_scale": divided_by(lambda H, d_k: 1),
        "times": divided_by(lambda H, d_k: 1 / np.sqrt(d_k)),
        "by_d_k": divided_by(lambda H, d_k: d_k),
        "by_sqrt_d_model": divided_by(lambda H, d_k: np.sqrt(H.shape[-1])),
        "by_sqrt_n": divided_by(lambda H, d_k: np.sqrt(len(H))),
        "wrong_axis": layer(weigh=lambda Q, K: head_weights(Q, K, axis=-2)),
        "softmax_over_heads": layer(weigh=lambda Q, K: head_weights(Q, K, axis=0)),
        "swapped_queries": layer(weigh=lambda Q, K: head_weights(K, Q)),
        "no_softmax": layer(weigh=lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])),
    },
    first_item=True,
)

EXERCISES = (split_heads, merge_heads, multi_head_attention)
