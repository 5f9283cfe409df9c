"""Notebook 05: causal_mask, padding_mask, scaled_dot_product_attention, influence_map."""

import numpy as np

from .. import attention, masks
from ..attention import attention_scores as scores
from ..attention import softmax
from .engine import Exercise
from .normalisation import largest, normalised, one_maximum
from .similarity import cosine, scaled


def as_numbers(mask):
    return mask.astype(float)


def added(mask):
    """The additive forms of a mask: −∞ where hidden, or a large number below 0."""
    return tuple(lambda *given, fill=fill: np.where(mask(*given), 0, fill) for fill in (-np.inf, -1e9, -1e4))


def past(n, offset=0):
    return masks.causal_mask(n, offset=offset)


causal_mask = Exercise(
    "causal_mask",
    lambda n: past(n),
    [[(4,), (7,), (1,)]],
    {
        "inverted": lambda n: ~past(n),
        "strict": lambda n: past(n, -1),
        "upper": lambda n: past(n).T,
        "off_by_one": lambda n: past(n, 1),
        "all_visible": lambda n: np.ones((n, n), bool),
        "only_itself": lambda n: np.eye(n, dtype=bool),
        "additive": added(past),
        "numbers": lambda n: as_numbers(past(n)),
    },
)


def real(lengths, n_keys):
    return masks.padding_mask(lengths, n_keys)


padding_mask = Exercise(
    "padding_mask",
    lambda lengths, n_keys: real(lengths, n_keys),
    [[(np.array([2, 5, 3]), 5), (np.array([4, 1]), 6), (np.array([3, 1, 2]), 3)]],
    {
        "inverted": lambda lengths, n_keys: ~real(lengths, n_keys),
        "on_queries": lambda lengths, n_keys: real(lengths, n_keys).swapaxes(-1, -2),
        "off_by_one": (
            lambda lengths, n_keys: np.arange(n_keys) <= lengths[:, None, None],
            lambda lengths, n_keys: real(lengths - 1, n_keys),
        ),
        "on_the_left": lambda lengths, n_keys: real(lengths, n_keys)[..., ::-1],
        "no_query_axis": lambda lengths, n_keys: real(lengths, n_keys)[:, 0],
        "both_axes": lambda lengths, n_keys: real(lengths, n_keys) & real(lengths, n_keys).swapaxes(-1, -2),
        "enlarged": lambda lengths, n_keys: np.repeat(real(lengths, n_keys), n_keys, axis=1),
        "one_for_all": lambda lengths, n_keys: np.arange(n_keys) < lengths.max(),
        "additive": added(real),
        "numbers": lambda lengths, n_keys: as_numbers(real(lengths, n_keys)),
    },
)


def hidden(s, mask, fill=-np.inf):
    return np.where(mask, s, fill)


def scaled_by(score, normalise=softmax):
    """Attention with this way to score, and with this way to make weights of what the mask leaves."""
    return lambda Q, K, V, mask: normalise(hidden(score(Q, K), mask)) @ V


def weighed(weigh):
    """Attention with these weights, made from scaled scores and a mask."""
    return lambda Q, K, V, mask: weigh(scaled(Q, K), mask) @ V


def by(divisor):
    """Attention with another divisor than √d_k, made from Q, K and V."""
    return lambda Q, K, V, mask: softmax(hidden(scores(Q, K) / divisor(Q, K, V), mask)) @ V


def exponentials(s):
    return np.exp(s - largest(s))


def _attention_probes():
    """Ordinary inputs; then scores of ±800, seen and hidden; then scores near −20000; then a row that sees nothing."""
    rng = np.random.default_rng(501)

    def given(n_q, n_k, d_k, d_v, mask):
        Q, K, V = (rng.normal(size=size) for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
        return Q, K, V, np.array(mask, bool)

    wide = given(3, 5, 2, 4, [[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 1, 0, 0, 0]])
    square = given(4, 4, 3, 2, [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1]])
    V = rng.normal(size=(3, 2))
    far = np.array([[800.0], [1.0], [-800.0]]), np.array([[1.0], [0.5], [0.0]]), V
    large = *far, np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0]], bool)
    outside = *far, np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1]], bool)
    low = (
        np.array([[-20000.0], [0.1]]),
        np.array([[1.0], [0.9], [0.0]]),
        V,
        np.array([[1, 0, 0], [1, 1, 0]], bool),
    )
    empty = given(3, 4, 2, 3, [[0, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0]])
    return [[wide, square], [large, outside], [low], [empty]]


scaled_dot_product_attention = Exercise(
    "scaled_dot_product_attention",
    lambda Q, K, V, mask: attention.scaled_dot_product_attention(Q, K, V, mask).context,
    _attention_probes(),
    {
        "ignored": weighed(lambda s, mask: softmax(s)),
        "inverted": weighed(lambda s, mask: softmax(hidden(s, ~mask))),
        "on_queries": weighed(lambda s, mask: softmax(hidden(s, mask.T))),
        "mask_as_numbers": weighed(lambda s, mask: softmax(s + mask)),
        "zeroed_before": weighed(lambda s, mask: softmax(s * mask)),
        "zeroed_after": weighed(lambda s, mask: softmax(s) * mask),
        "wrong_axis": weighed(lambda s, mask: softmax(hidden(s, mask), axis=0)),
        "not_normalised": (
            weighed(lambda s, mask: exponentials(hidden(s, mask))),
            weighed(lambda s, mask: np.exp(hidden(s, mask))),
        ),
        "no_exponential": (
            weighed(lambda s, mask: s * mask),
            weighed(lambda s, mask: normalised(s * mask)),
        ),
        "no_scale": by(lambda Q, K, V: 1),
        "times": by(lambda Q, K, V: 1 / np.sqrt(Q.shape[-1])),
        "by_d_k": by(lambda Q, K, V: Q.shape[-1]),
        "by_sqrt_n": (by(lambda Q, K, V: np.sqrt(len(Q))), by(lambda Q, K, V: np.sqrt(len(K)))),
        "by_sqrt_d_v": by(lambda Q, K, V: np.sqrt(V.shape[-1])),
        "cosine_for_dot": (scaled_by(cosine), scaled_by(lambda Q, K: cosine(Q, K) / np.sqrt(Q.shape[-1]))),
        "returns_weights": lambda Q, K, V, mask: softmax(hidden(scaled(Q, K), mask)),
        "returns_scores": lambda Q, K, V, mask: hidden(scaled(Q, K), mask),
        "mean_of_values": weighed(lambda s, mask: normalised(mask)),
        "overflow": scaled_by(scaled, lambda s: normalised(np.exp(s))),
        "one_maximum": scaled_by(scaled, one_maximum),
        "renormalised_after": weighed(lambda s, mask: normalised(softmax(s) * mask)),
        "renormalised_guarded": (
            weighed(lambda s, mask: np.nan_to_num(normalised(softmax(s) * mask))),
            weighed(lambda s, mask: softmax(s) * mask / ((softmax(s) * mask).sum(-1, keepdims=True) + 1e-9)),
        ),
        "finite_fill": tuple(
            weighed(f)
            for fill in (-1e4, -1e9)
            for f in (
                lambda s, mask, fill=fill: softmax(hidden(s, mask, fill)),
                lambda s, mask, fill=fill: softmax(s + np.where(mask, 0, fill)),
            )
        ),
        "hidden_row_nan": scaled_by(scaled, lambda s: normalised(exponentials(s))),
    },
    first_item=True,
)


def reader(pattern, columns):
    """A function whose output row i reads the rows j of its input where pattern[i, j] is not 0."""
    pattern = np.array(pattern, float)

    def fn(X):
        read = np.tanh(pattern @ np.asarray(X, float))
        return read @ columns

    return fn


def moved(fn, X, nudged):
    """How far each output row moves from fn(X) to fn(nudged)."""
    return np.linalg.norm(fn(nudged) - fn(X), axis=-1)


def nudges(X):
    """X with 1e-3 added to one row, for each of its rows."""
    return X + 1e-3 * np.eye(len(X))[..., None]


def one_coordinate_nudged(fn, X, c):
    """The map of a nudge that reaches column c of X only."""
    return np.stack([moved(fn, X, X + (x - X) * np.eye(X.shape[1])[c]) for x in nudges(X)], axis=1)


def one_coordinate_compared(fn, X, c):
    return np.stack([abs(fn(x) - fn(X))[:, c] for x in nudges(X)], axis=1)


def _columns_nudged(fn, X):
    return np.stack([moved(fn, X, nudged.T) for nudged in nudges(X.T)], axis=1)


def depends(mine, theirs):
    """An influence agrees with another when both are 0 or neither is: the size of the nudge is the learner's."""

    def sized(M):
        return abs(M.astype(float)) > 1e-8 * abs(M.astype(float)).max(initial=0)

    return (sized(mine) == sized(theirs)) & np.isfinite(mine.astype(float))


_rng = np.random.default_rng(505)
_FIVE, _FOUR = _rng.normal(size=(5, 3)), _rng.normal(size=(4, 2))
_LAGGED = [[0, 0, 0, 0], [0.7, 0, 0, 0], [0.3, 0.5, 0.9, 0], [0, 0, 0.4, 0.8]]
_TO_THREE = [[0.4, 0, 0, 0.6, 0], [0.8, 0.5, 0, 0, 0.3], [0, 0, 0.9, 0, 0.2]]

influence_map = Exercise(
    "influence_map",
    lambda fn, X: attention.influence_map(fn, X),
    # The second function's columns are y and −y, so that signed differences cancel. The third reads the middle
    # column of X only, and the last moves the middle column of its result only.
    [
        [
            (reader(_TO_THREE, _rng.normal(size=(3, 2))), _FIVE),
            (reader(_LAGGED, np.array([[1.0, -1.0], [0.5, -0.5]])), _FOUR),
            (reader(_TO_THREE, np.array([[0.0, 0.0], [0.8, -0.3], [0.0, 0.0]])), _FIVE),
            (reader(_LAGGED, np.array([[0.0, 0.9, 0.0], [0.0, 0.4, 0.0]])), _FOUR),
        ]
    ],
    {
        "transposed": lambda fn, X: attention.influence_map(fn, X).T,
        "nothing_nudged": lambda fn, X: np.zeros((len(fn(X)), len(X))),
        "no_baseline": lambda fn, X: np.stack([np.linalg.norm(fn(x), axis=-1) for x in nudges(X)], axis=1),
        "nudges_pile_up": lambda fn, X: np.stack(
            [moved(fn, X, X + x) for x in (nudges(X) - X).cumsum(0)], axis=1
        ),
        "signed": lambda fn, X: np.stack([(fn(x) - fn(X)).sum(axis=-1) for x in nudges(X)], axis=1),
        "one_number_each": lambda fn, X: np.array([moved(fn, X, x).sum() for x in nudges(X)]),
        "columns_nudged": _columns_nudged,
        "one_coordinate_nudged": tuple(lambda fn, X, c=c: one_coordinate_nudged(fn, X, c) for c in (0, -1)),
        "one_coordinate_compared": tuple(
            lambda fn, X, c=c: one_coordinate_compared(fn, X, c) for c in (0, -1)
        ),
        "same_row_only": lambda fn, X: np.array([moved(fn, X, x)[j] for j, x in enumerate(nudges(X))]),
    },
    agree=depends,
)

EXERCISES = (causal_mask, padding_mask, scaled_dot_product_attention, influence_map)
