"""al.check: right answers in any style, every known mistake by its name, every odd answer its own sentence."""

import inspect
import math
import re
import sys
import unicodedata
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest

import attention_lab as al
from attention_lab import exercises, wording

EXERCISES = exercises._EXERCISES
NAMES = {
    *("project", "count_parameters", "attention_scores", "positional_encoding", "scaled_scores"),
    *("dot_product_variance", "softmax", "softmax_jacobian", "causal_mask", "padding_mask"),
    *("scaled_dot_product_attention", "influence_map", "split_heads", "merge_heads", "multi_head_attention"),
}


@pytest.fixture(autouse=True)
def fresh_session(monkeypatch):
    """No verdicts from the test before."""
    for exercise in EXERCISES.values():
        monkeypatch.setattr(exercise, "latest", None)


# Right answers, three styles or more for each exercise.


def project_loops(H, W):
    Q = [[0.0] * W.shape[1] for _ in H]
    for i in range(len(H)):
        for c in range(W.shape[1]):
            for k in range(len(W)):
                Q[i][c] += H[i][k] * W[k][c]
    return Q


def scores_loops(Q, K):
    return [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]


def encoding_loops(n, d_model):
    P = np.zeros((n, d_model))
    for i in range(n):
        for p in range(d_model // 2):
            P[i, 2 * p] = math.sin(i / 10000 ** (2 * p / d_model))
            P[i, 2 * p + 1] = math.cos(i / 10000 ** (2 * p / d_model))
    return P


def encoding_log(n, d_model):
    speed = np.exp(-np.log(10000) * np.arange(0, d_model, 2) / d_model)
    P = np.empty((n, d_model), np.float32)
    P[:, ::2], P[:, 1::2] = np.sin(np.outer(np.arange(n), speed)), np.cos(np.outer(np.arange(n), speed))
    return P


def variance_loops(d_k):
    rng = np.random.default_rng(1)
    dots = [rng.normal(size=d_k) @ rng.normal(size=d_k) for _ in range(2000)]
    return sum(x * x for x in dots) / len(dots)


def variance_einsum(d_k):
    q, k = np.random.default_rng(2).normal(size=(2, 3000, d_k))
    return np.einsum("nc,nc->n", q, k).var()


def variance_signs(d_k):
    signs = np.random.default_rng(3).choice([-1.0, 1.0], size=(2, 3000, d_k))
    return np.float32(np.var((signs[0] * signs[1]).sum(-1), ddof=1))


def softmax_loops(scores):
    rows = []
    for row in scores.tolist():
        powers = [math.exp(s - max(row)) for s in row]
        rows.append([p / sum(powers) for p in powers])
    return rows


def softmax_log(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return np.exp(scores - top - np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))


def softmax_axes(scores):
    """For any number of leading axes, in float32."""
    scores = np.asarray(scores, np.float32)
    powers = np.exp(scores - scores.max(-1)[..., None])
    return powers / np.einsum("...j->...", powers)[..., None]


def jacobian_loops(weights):
    n = len(weights)
    J = np.empty((n, n))
    for j in range(n):
        for k in range(n):
            J[j, k] = weights[j] * ((j == k) - weights[k])
    return J


def causal_loops(n):
    mask = []
    for i in range(n):
        mask.append([])
        for j in range(n):
            mask[i].append(j <= i)
    return mask


def padding_loops(lengths, n_keys):
    return [[[j < length for j in range(n_keys)]] for length in lengths]


def padding_objects(lengths, n_keys):
    mask = np.full((len(lengths), 1, n_keys), False, dtype=object)
    for row, length in zip(mask, lengths, strict=True):
        row[:, :length] = True
    return mask


def attention_loops(Q, K, V, mask):
    Z = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if mask[i, j]]
        if seen:
            s = np.array([q @ K[j] / math.sqrt(len(q)) for j in seen])
            a = np.exp(s - s.max())
            for w, j in zip(a / a.sum(), seen, strict=True):
                Z[i] += w * V[j]
    return Z


def attention_einsum(Q, K, V, mask):
    S = np.einsum("...ic,...jc->...ij", Q, K) / Q.shape[-1] ** 0.5
    A = al.softmax(np.where(mask, S, -np.inf))
    return np.einsum("...ij,...jv->...iv", A, V), A


def attention_additive(Q, K, V, mask):
    S = Q @ K.T / np.sqrt(Q.shape[1]) + np.where(mask, 0, -np.inf)
    top = np.where(mask.any(1, keepdims=True), S.max(1, keepdims=True), 0)
    e = np.exp(S - top)
    with np.errstate(all="raise"):
        return (e / np.maximum(e.sum(1, keepdims=True), 1e-300) @ V).astype(np.float32)


def influence_loops(fn, X):
    before, eps = fn(X), 1e-5
    result = []
    for i in range(len(before)):
        result.append([])
        for j in range(len(X)):
            nudged = X.copy()
            nudged[j] += eps
            result[i].append(float(np.linalg.norm(fn(nudged)[i] - before[i]) / eps))
    return result


def influence_large_step(fn, X):
    moves = [np.abs(fn(X + np.eye(len(X))[:, [j]]) - fn(X)).max(axis=1) for j in range(len(X))]
    return np.array(moves).T


def influence_boolean(fn, X):
    columns = []
    for j in range(len(X)):
        nudged = np.array(X)
        nudged[j] = -nudged[j]
        columns.append((fn(nudged) != fn(X)).any(axis=1))
    return np.stack(columns, axis=-1)


def influence_undone(fn, X):
    """Nudges X itself and takes the nudge back: no harm done."""
    before, columns = fn(X), []
    for j in range(len(X)):
        X[j] += 1e-3
        columns.append(((fn(X) - before) ** 2).sum(1))
        X[j] -= 1e-3
    return np.column_stack(columns)


def split_loops(X, n_heads):
    d = X.shape[-1] // n_heads
    return [X[:, h * d : (h + 1) * d] for h in range(n_heads)]


def merge_loops(X):
    n_heads, n, d = X.shape
    merged = np.empty((n, n_heads * d), np.float32)
    for h in range(n_heads):
        merged[:, h * d : (h + 1) * d] = X[h]
    return merged


def heads_sum(H, W_Q, W_K, W_V, W_O, n_heads):
    d, Z = len(W_O) // n_heads, 0
    for h in range(n_heads):
        mine = slice(h * d, (h + 1) * d)
        A = al.softmax(H @ W_Q[:, mine] @ (H @ W_K[:, mine]).T / np.sqrt(d))
        Z = Z + A @ (H @ W_V[:, mine]) @ W_O[mine]
    return Z.tolist()


def heads_einsum(H, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = ((H @ W).reshape(len(H), n_heads, -1) for W in (W_Q, W_K, W_V))
    A = al.softmax(np.einsum("ihc,jhc->hij", Q, K) / np.sqrt(Q.shape[-1]))
    return np.einsum("hij,jhv->ihv", A, V).reshape(len(H), -1) @ W_O, A


def heads_lists(H, W_Q, W_K, W_V, W_O, n_heads):
    H, *W = (np.asarray(M, np.float32) for M in (H, W_Q, W_K, W_V))
    Q, K, V = ([*np.hsplit(H @ M, n_heads)] for M in W)
    heads = [al.softmax(q @ k.T / np.float32(q.shape[1] ** 0.5)) @ v for q, k, v in zip(Q, K, V, strict=True)]
    return np.concatenate(heads, axis=1) @ W_O.astype(np.float32)


RIGHT = {
    "project": [
        lambda H, W: H @ W,
        project_loops,
        lambda H, W: np.einsum("...nd,dk->...nk", H, W),
        lambda H, W: pd.DataFrame(H) @ W,
        lambda H, W: np.matrix(H) * np.matrix(W),
        lambda H, W: H.astype(np.float16) @ W.astype(np.float16),
        partial(np.einsum, "nd,dk->nk"),
        np.matmul,
    ],
    "count_parameters": [
        lambda d_model, d_k, d_v: 2 * d_model * d_k + d_model * d_v,
        lambda d_model, d_k, d_v: sum(np.zeros((d_model, w)).size for w in (d_k, d_k, d_v)),
        lambda a, b, c: np.float32(a * (b + b + c)),
        lambda a, b, c: Fraction(a * (b + b + c)),
    ],
    "attention_scores": [
        lambda Q, K: Q @ K.T,
        scores_loops,
        lambda Q, K: np.einsum("...ic,...jc->...ij", Q, K),
        lambda Q, K: (Q[:, None, :].astype("f4") * K).sum(-1),
        al.attention_scores,
    ],
    "positional_encoding": [encoding_loops, encoding_log, al.positional_encoding],
    "scaled_scores": [
        lambda Q, K: Q @ K.T / np.sqrt(Q.shape[-1]),
        lambda Q, K: (np.array(scores_loops(Q, K)) * len(K[0]) ** -0.5).tolist(),
        lambda Q, K: np.inner(Q.astype(np.float32) / np.float32(math.sqrt(K.shape[1])), K),
        lambda Q, K: np.einsum("ic,jc->ij", Q, K) / K.shape[1] ** 0.5,
    ],
    "dot_product_variance": [variance_loops, variance_einsum, variance_signs],
    "softmax": [softmax_loops, softmax_log, softmax_axes, al.softmax],
    "softmax_jacobian": [
        jacobian_loops,
        lambda weights: np.diag(weights) - np.outer(weights, weights),
        lambda a: np.diag(np.float32(a)) - np.einsum("j,k->jk", a, a),
        lambda a: (a[:, None] * (np.eye(len(a)) - a)).tolist(),
    ],
    "causal_mask": [
        causal_loops,
        lambda n: np.tril(np.ones((n, n), dtype=bool)),
        lambda n: np.arange(n)[:, None] >= np.arange(n),
        lambda n: np.array(causal_loops(n), dtype=object),
        al.causal_mask,
    ],
    "padding_mask": [
        padding_loops,
        padding_objects,
        lambda lengths, n_keys: (np.arange(n_keys) < lengths[:, None])[:, None, :],
        lambda lengths, n: np.less.outer(np.arange(n), lengths).T.reshape(-1, 1, n),
        al.padding_mask,
    ],
    "scaled_dot_product_attention": [
        attention_loops,
        attention_einsum,
        attention_additive,
        al.scaled_dot_product_attention,
    ],
    "influence_map": [
        influence_loops,
        influence_large_step,
        influence_boolean,
        influence_undone,
        al.influence_map,
    ],
    "split_heads": [
        split_loops,
        lambda X, n_heads: X.reshape(len(X), n_heads, -1).swapaxes(0, 1),
        lambda X, m: np.moveaxis(np.float32(X).reshape(*X.shape[:-1], m, -1), -2, -3),
        al.split_heads,
    ],
    "merge_heads": [
        merge_loops,
        np.hstack,
        lambda X: np.concatenate(list(X), axis=1).tolist(),
        lambda X: np.einsum("...hnd->...nhd", X).reshape(X.shape[1], -1),
        al.merge_heads,
    ],
    "multi_head_attention": [heads_sum, heads_einsum, heads_lists, al.multi_head_attention],
}
STYLES = [(name, k) for name, answers in RIGHT.items() for k in range(len(answers))]


def test_the_exercises_are_those_of_the_course():
    assert set(RIGHT) == set(EXERCISES) == NAMES
    assert all(len(answers) >= 3 for answers in RIGHT.values())
    assert dir(al.check) == sorted([*NAMES, "progress"])
    with pytest.raises(AttributeError, match=f"'colour'.*{', '.join(EXERCISES)}$"):
        _ = al.check.colour


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name, style", STYLES)
def test_a_right_answer_passes_in_any_style(name, style, language):
    wording.use(language)
    verdict = getattr(al.check, name)(RIGHT[name][style])
    assert (verdict.attempted, verdict.passed, verdict.mistake) == (True, True, None), verdict
    assert repr(verdict).startswith({"en": "Right.", "zh": "正确。"}[language])


@pytest.mark.parametrize("name", sorted(NAMES))
def test_read_only_fortran_ordered_and_reused_results_pass(name):
    right, kept = RIGHT[name][1], {}

    def locked(*given):
        result = right(*given)
        array = np.array(result[0] if isinstance(result, tuple) else result, order="F")
        array.flags.writeable = False
        return array

    def reused(*given):
        result = locked(*given)
        buffer = kept.setdefault(result.shape, np.empty(result.shape, result.dtype))
        buffer[...] = result
        return buffer

    assert getattr(al.check, name)(locked).passed
    assert getattr(al.check, name)(reused).passed


# Known mistakes.


def variants(exercise, name):
    known = exercise.mistakes[name]
    return known if isinstance(known, tuple) else (known,)


def as_a_learner_has_it(mistake, exercise):
    """The mistake with the exercise's own parameters."""
    names = ", ".join(exercise.arguments)
    return eval(f"lambda {names}: mistake({names})", {"mistake": mistake})


KNOWN = [
    (name, mistake, k)
    for name, exercise in EXERCISES.items()
    for mistake in exercise.mistakes
    for k in range(len(variants(exercise, mistake)))
]


@pytest.mark.parametrize("name, mistake, k", KNOWN)
def test_each_known_mistake_is_named_and_only_by_its_own_name(name, mistake, k):
    exercise = EXERCISES[name]
    verdict = exercise(as_a_learner_has_it(variants(exercise, mistake)[k], exercise))
    assert (verdict.attempted, verdict.passed, verdict.mistake) == (True, False, mistake), verdict


def outcome(mistake, exercise):
    """What a mistake gives on every input of its exercise; None where it stops with an error."""
    results = []
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for probe in (probe for stage in exercise.stages for probe in stage):
            try:
                results.append(np.asarray(mistake(*exercises.engine._copies(probe))))
            except (ValueError, IndexError):
                results.append(None)
    return results


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_pair_of_mistakes_is_told_apart_by_the_inputs(name):
    """Not by their order in the file: somewhere the two give results that differ."""
    exercise = EXERCISES[name]
    seen = [
        (mistake, outcome(f, exercise)) for mistake in exercise.mistakes for f in variants(exercise, mistake)
    ]
    seen.append(("right", outcome(exercise.right, exercise)))

    def differ(a, b):
        if a is None or b is None:
            return (a is None) != (b is None)
        same = exercise._same(a, b) and exercise._same(b, a)
        return not same or (a.dtype == bool) != (b.dtype == bool)

    for k, (first, mine) in enumerate(seen):
        assert any(result is not None for result in mine), first
        for second, theirs in seen[k + 1 :]:
            apart = any(differ(a, b) for a, b in zip(mine, theirs, strict=True))
            assert apart or first == second, (first, second)


# The mistakes as learners write them, which is not how the package has them: (exercise, name, answer).
def softmax_of(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def attend(weigh, scale=lambda Q, K, V: math.sqrt(Q.shape[1])):
    return lambda Q, K, V, mask: weigh(np.dot(Q, K.T) / scale(Q, K, V), mask) @ V


def minus(fill):
    return attend(lambda s, mask: softmax_of(np.where(mask, s, fill)))


def multi(cut, join, scale=lambda H, d: d**0.5):
    def answer(H, W_Q, W_K, W_V, W_O, m):
        q, k, v = (cut(H @ W, m) for W in (W_Q, W_K, W_V))
        weights = softmax_of(np.einsum("hic,hjc->hij", q, k) / scale(H, q.shape[-1]))
        return join(np.einsum("hij,hjc->hic", weights, v)) @ W_O

    return answer


def cut(X, m):
    return np.array(np.split(X, m, axis=1))


def join(Z):
    return np.concatenate([*Z], axis=1)


def sines(
    base=10000, halves=False, first=math.sin, second=math.cos, power=lambda p, c, d: 2 * p / d, sign=-1
):
    def answer(n, d):
        rows = [
            [(second if c % 2 else first)(i * base ** (sign * power(c // 2, c, d))) for c in range(d)]
            for i in range(n)
        ]
        rows = np.array(rows)
        return np.hstack([rows[:, ::2], rows[:, 1::2]]) if halves else rows

    return answer


def heads_overwritten(H, W_Q, W_K, W_V, W_O, m):
    d = len(W_O) // m
    for h in range(m):
        mine = slice(h * d, (h + 1) * d)
        A = softmax_of(H @ W_Q[:, mine] @ (H @ W_K[:, mine]).T / np.sqrt(d))
        Z = A @ (H @ W_V[:, mine]) @ W_O[mine]
    return Z


def variance_of_equal_draws(d_k):
    dots = []
    for _ in range(2000):
        rng = np.random.default_rng(0)
        dots.append(rng.normal(size=d_k) @ rng.normal(size=d_k))
    return np.var(dots)


def influence_from_one_coordinate(fn, X):
    columns = []
    for j in range(len(X)):
        nudged = X.copy()
        nudged[j, 0] += 1e-3
        columns.append(np.linalg.norm(fn(nudged) - fn(X), axis=-1))
    return np.column_stack(columns)


def influence_on_one_coordinate(fn, X):
    columns = []
    for j in range(len(X)):
        nudged = X.copy()
        nudged[j] += 1e-3
        columns.append(abs(fn(nudged)[:, 0] - fn(X)[:, 0]))
    return np.column_stack(columns)


def renormalised_where_possible(s, mask):
    a = softmax_of(s) * mask
    total = a.sum(-1, keepdims=True)
    return np.divide(a, total, out=np.zeros_like(a), where=total > 0)


def renormalised_with_epsilon(s, mask):
    a = softmax_of(s) * mask
    return a / (a.sum(-1, keepdims=True) + 1e-12)


WRITTEN = [
    ("attention_scores", "transposed", lambda Q, K: (Q @ K.T).T),
    ("attention_scores", "not_transposed", lambda Q, K: np.dot(Q, K)),
    (
        "attention_scores",
        "cosine_for_dot",
        lambda Q, K: Q @ K.T / np.outer((Q**2).sum(1) ** 0.5, (K**2).sum(1) ** 0.5),
    ),
    ("positional_encoding", "swapped_waves", sines(first=math.cos, second=math.sin)),
    ("positional_encoding", "concatenated", sines(halves=True)),
    ("positional_encoding", "wrong_exponent", sines(power=lambda p, c, d: c / d)),
    ("positional_encoding", "wrong_exponent", sines(power=lambda p, c, d: p / d)),
    ("positional_encoding", "wrong_exponent", sines(power=lambda p, c, d: 2 * c / d)),
    ("positional_encoding", "wrong_base", sines(base=1000)),
    ("positional_encoding", "multiplied", sines(sign=1)),
    ("scaled_scores", "no_scale", scores_loops),
    ("scaled_scores", "times", lambda Q, K: (Q @ K.T * len(Q[0]) ** 0.5).tolist()),
    ("scaled_scores", "by_d_k", lambda Q, K: (Q[:, None] * K).mean(-1)),
    ("scaled_scores", "by_sqrt_n", lambda Q, K: Q @ K.T / math.sqrt(len(K))),
    (
        "dot_product_variance",
        "deviation",
        lambda d: np.random.default_rng(0).normal(size=(3000, d)).sum(1).std(),
    ),
    ("dot_product_variance", "not_summed", lambda d: variance_einsum(d) / d),
    (
        "dot_product_variance",
        "uniform_draws",
        lambda d: np.einsum("nc,nc->n", *np.random.default_rng(0).random((2, 5000, d))).var(),
    ),
    (
        "dot_product_variance",
        "same_vector",
        lambda d: (np.random.default_rng(0).normal(size=(5000, d)) ** 2).sum(1).var(),
    ),
    (
        "dot_product_variance",
        "mean",
        lambda d: np.einsum("nc,nc->n", *np.random.default_rng(0).normal(size=(2, 9000, d))).mean(),
    ),
    ("softmax", "wrong_axis", lambda s: softmax_of(s.T).T),
    ("softmax", "overflow", lambda s: np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)),
    (
        "softmax",
        "not_normalised",
        lambda s: [[math.exp(x) if x < 700 else math.inf for x in row] for row in s],
    ),
    ("softmax", "no_exponential", lambda s: s / s.sum(1)[:, None]),
    ("softmax_jacobian", "diagonal_only", lambda a: np.eye(len(a)) * a * (1 - a)),
    ("softmax_jacobian", "wrong_sign", lambda a: -np.array(jacobian_loops(a))),
    ("causal_mask", "inverted", lambda n: np.triu(np.ones((n, n), bool), k=1)),
    ("causal_mask", "strict", lambda n: [[j < i for j in range(n)] for i in range(n)]),
    ("causal_mask", "upper", lambda n: np.triu(np.ones((n, n)))),
    ("causal_mask", "off_by_one", lambda n: np.tri(n, k=1)),
    ("causal_mask", "additive", lambda n: np.triu(np.full((n, n), -np.inf), 1)),
    ("causal_mask", "numbers", lambda n: np.tri(n, dtype=int)),
    ("padding_mask", "inverted", lambda lengths, n: np.arange(n) >= lengths[:, None, None]),
    ("padding_mask", "on_queries", lambda lengths, n: (np.arange(n) < lengths[:, None])[:, :, None]),
    (
        "padding_mask",
        "off_by_one",
        lambda lengths, n: [[[j <= length for j in range(n)]] for length in lengths],
    ),
    (
        "padding_mask",
        "additive",
        lambda lengths, n: np.where(np.arange(n) < lengths[:, None, None], 0.0, -np.inf),
    ),
    ("scaled_dot_product_attention", "ignored", attend(lambda s, mask: softmax_of(s))),
    (
        "scaled_dot_product_attention",
        "inverted",
        attend(lambda s, mask: al.softmax(np.where(mask, -np.inf, s))),
    ),
    (
        "scaled_dot_product_attention",
        "on_queries",
        attend(lambda s, mask: al.softmax(np.where(mask.T, s, -np.inf))),
    ),
    (
        "scaled_dot_product_attention",
        "zeroed_before",
        attend(lambda s, mask: softmax_of(np.where(mask, s, 0))),
    ),
    (
        "scaled_dot_product_attention",
        "zeroed_after",
        attend(lambda s, mask: np.where(mask, softmax_of(s), 0)),
    ),
    ("scaled_dot_product_attention", "finite_fill", minus(-1e9)),
    ("scaled_dot_product_attention", "finite_fill", minus(-1e4)),
    ("scaled_dot_product_attention", "finite_fill", minus(np.finfo(float).min)),
    ("scaled_dot_product_attention", "finite_fill", attend(lambda s, mask: softmax_of(s - 1e9 * ~mask))),
    ("scaled_dot_product_attention", "hidden_row_nan", minus(-np.inf)),
    (
        "scaled_dot_product_attention",
        "by_d_k",
        attend(lambda s, m: al.softmax(np.where(m, s, -np.inf)), lambda Q, K, V: Q.shape[1]),
    ),
    (
        "scaled_dot_product_attention",
        "by_sqrt_n",
        attend(lambda s, m: al.softmax(np.where(m, s, -np.inf)), lambda Q, K, V: len(K) ** 0.5),
    ),
    ("split_heads", "reshape_only", lambda X, m: X.reshape(m, X.shape[0], X.shape[1] // m)),
    ("split_heads", "interleaved", lambda X, m: X.reshape(len(X), -1, m).transpose(2, 0, 1)),
    ("merge_heads", "reshape_only", lambda Z: Z.reshape(Z.shape[1], Z.shape[0] * Z.shape[2])),
    ("merge_heads", "interleaved", lambda Z: np.stack([*Z], axis=-1).reshape(Z.shape[1], -1)),
    ("merge_heads", "averaged", lambda Z: sum(Z) / len(Z)),
    ("multi_head_attention", "reshape_at_split", multi(lambda X, m: X.reshape(m, len(X), -1), join)),
    ("multi_head_attention", "reshape_at_merge", multi(cut, lambda Z: Z.reshape(Z.shape[1], -1))),
    (
        "multi_head_attention",
        "reshape_at_both",
        multi(lambda X, m: X.reshape(m, len(X), -1), lambda Z: Z.reshape(Z.shape[1], -1)),
    ),
    (
        "multi_head_attention",
        "interleaved",
        multi(lambda X, m: np.array([X[:, h::m] for h in range(m)]), join),
    ),
    (
        "multi_head_attention",
        "missing_output",
        lambda H, W_Q, W_K, W_V, W_O, m: multi(cut, join)(H, W_Q, W_K, W_V, np.eye(len(W_O)), m),
    ),
    ("multi_head_attention", "by_sqrt_d_model", multi(cut, join, lambda H, d: H.shape[1] ** 0.5)),
    ("multi_head_attention", "no_scale", multi(cut, join, lambda H, d: 1)),
    ("multi_head_attention", "last_head", heads_overwritten),
    (
        "multi_head_attention",
        "causal",
        lambda H, *W: al.multi_head_attention(H, *W, mask=np.tri(len(H), dtype=bool)),
    ),
    ("multi_head_attention", "residual", lambda H, *W: np.add(heads_sum(H, *W), H)),
    ("scaled_scores", "fixed_divisor", lambda Q, K: np.dot(Q, K.T) / math.sqrt(4)),
    ("dot_product_variance", "equal_draws", variance_of_equal_draws),
    ("influence_map", "one_coordinate_nudged", influence_from_one_coordinate),
    ("influence_map", "one_coordinate_compared", influence_on_one_coordinate),
    ("scaled_dot_product_attention", "renormalised_guarded", attend(renormalised_where_possible)),
    ("scaled_dot_product_attention", "renormalised_guarded", attend(renormalised_with_epsilon)),
]


@pytest.mark.parametrize("k", range(len(WRITTEN)), ids=[f"{w[0]}-{w[1]}" for w in WRITTEN])
def test_mistakes_as_learners_write_them_are_named(k):
    name, mistake, answer = WRITTEN[k]
    verdict = getattr(al.check, name)(answer)
    assert verdict.mistake == mistake, verdict


def repaired(s, spoil=lambda s: s, mend=lambda a: a):
    e = np.exp(spoil(s))
    return mend(e / e.sum(1, keepdims=True))


@pytest.mark.parametrize(
    "answer",
    [
        lambda s: repaired(s, lambda s: np.clip(s, -700, 700)),
        lambda s: repaired(s, mend=np.nan_to_num),
        lambda s: repaired(s, lambda s: s - s.mean(1, keepdims=True)),
        lambda s: repaired(s, lambda s: s - s.min(1, keepdims=True)),
    ],
    ids=["clip", "nan_to_num", "mean", "min"],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_softmax_that_fails_on_large_scores_alone_is_told_so(language, answer):
    wording.use(language)
    verdict = al.check.softmax(answer)
    assert not verdict.passed and verdict.message.endswith(wording.section("check")["softmax_large"])
    assert "[1002, 1001, 1000]" in verdict.message


def test_dividing_by_d_k_is_not_led_to_scaling_where_nothing_is_divided():
    verdict = al.check.attention_scores(lambda Q, K: Q @ K.T / Q.shape[1])
    assert verdict.mistake == "by_d_k" and "this step divides by nothing" in verdict.message
    assert "variance" not in verdict.message
    assert (
        "bring its variance from d_k to 1"
        in al.check.scaled_scores(lambda Q, K: (Q[:, None] * K).mean(-1)).message
    )


def test_hints_of_scaled_scores_speak_of_its_own_inputs_and_not_of_raw_scores():
    widths = [Q.shape[1] for Q, _ in EXERCISES["scaled_scores"].stages[0]]
    half = al.check.scaled_scores(lambda Q, K: Q @ K.T / 2)
    assert "here d_k is {} once and {} once; take the width from Q".format(*widths) in half.message
    unit = al.check.scaled_scores(lambda Q, K: EXERCISES["scaled_scores"].mistakes["cosine_for_dot"](Q, K))
    assert unit.mistake == "cosine_for_dot" and "depends on the width alone" in unit.message


def test_the_hint_of_causal_mask_is_the_row_of_the_entry_that_differs():
    verdict = al.check.causal_mask(lambda n: al.window_mask(n, 2))
    assert "entry [2, 0] should be True" in verdict.message
    assert "write down the row of the entry above" in verdict.message


def test_the_ordinary_mistake_is_named_before_the_rare_one():
    """exp without the maximum also overflows, but the axis is what to repair first."""
    assert al.check.softmax(lambda s: np.exp(s) / np.exp(s).sum(axis=0)).mistake == "wrong_axis"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_mistake_has_words_and_a_hint_and_all_words_are_used(language):
    wording.use(language)
    words, used = wording.section("check"), set()
    for name, exercise in EXERCISES.items():
        assert words[name]
        for mistake in exercise.mistakes:
            what, hint = exercise._words(mistake)
            verdict = exercise(as_a_learner_has_it(variants(exercise, mistake)[0], exercise))
            assert verdict.message == words["not_yet_hint"].format(what=what, hint=hint)
            key = f"{name}.{mistake}"
            used.add(key if key in words else f"mistake.{mistake}")
    named = {key for key in words if "." in key and not key.endswith(".hint")}
    assert named == used and {f"{key}.hint" for key in used} == {
        key for key in words if key.endswith(".hint")
    }


# Nothing there yet.


def starters(parameters):
    names = ", ".join(parameters)
    scope = {}
    exec(
        f"def dots({names}): ...\n"
        f"def nothing({names}):\n    return None\n"
        f"def nothing_to_return({names}):\n    return ...\n"
        f"def later({names}):\n    raise NotImplementedError\n",
        scope,
    )
    return [scope[name] for name in ("dots", "nothing", "nothing_to_return", "later")]


@pytest.mark.parametrize("language, says", [("en", "Not attempted yet: write "), ("zh", "尚未作答：写出 ")])
@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_starter_is_not_attempted(name, language, says):
    wording.use(language)
    exercise = EXERCISES[name]
    for answer in (None, ..., NotImplemented, *starters(exercise.arguments)):
        verdict = exercise(answer)
        assert (verdict.attempted, verdict.passed, verdict.mistake) == (False, False, None)
        assert verdict.message.startswith(f"{says}{name}({', '.join(exercise.arguments)})")
    assert not exercise().attempted


def test_an_attention_that_returns_a_tuple_of_nothing_is_not_attempted():
    assert not al.check.scaled_dot_product_attention(lambda Q, K, V, mask: (None, None)).attempted


# Answers that cannot be compared.


def never_ends(Q, K):
    return never_ends(Q, K)


def divides_by_zero(Q, K):
    scores = Q @ K.T
    return scores / (1 // 0)


def leaves(Q, K):
    sys.exit("enough")


def needs_awaiting():
    async def scores(Q, K):
        return Q @ K.T

    return scores


class Torchlike:
    def __init__(self, values, fails=False):
        self.values, self.fails = values, fails

    def __array__(self, dtype=None, copy=None):
        if self.fails:
            raise RuntimeError("Can't call numpy() on a tensor that requires grad")
        return np.asarray(self.values, dtype)


class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError("hands off")

    def __call__(self, Q, K):
        return self


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def stops_wordless(Q, K):
    raise Wordless


class Base(BaseException):
    pass


def stops_outside_exception(Q, K):
    raise Base("beyond")


def branches(Q, K):
    if Q.shape == K.shape:
        return None
    return Q @ K.T


def in_place(Q, K):
    Q -= 1
    return (Q + 1) @ K.T


def in_place_and_wrong(Q, K):
    K *= 3
    return Q @ K.T + 1


SENTENCES = [
    (np.zeros((2, 3)), r"type ndarray. Write al.check.attention_scores\(attention_scores\)\.$"),
    ("Q @ K.T", "not a value of type str"),
    (5, "not a value of type int"),
    (pd.DataFrame([[1]]), "not a value of type DataFrame"),
    (lambda Q: Q, r"called as attention_scores\(Q, K\), and yours takes \(Q\)"),
    (lambda: 0, r"yours takes \(\)"),
    (lambda Q, K, V: Q, r"yours takes \(Q, K, V\)"),
    (lambda Q, *, K: Q, r"yours takes \(Q, K\)"),
    (divides_by_zero, r"your line \d+ \(return scores / \(1 // 0\)\) stops with ZeroDivisionError: "),
    (never_ends, r"calls itself without end, at line \d+ \(return never_ends\(Q, K\)\)\.$"),
    (leaves, r"your line \d+ \(sys.exit\(.enough.\)\) ends the program"),
    (stops_wordless, r"stops with Wordless — called with Q \(3, 2\), K \(5, 2\)\.$"),
    (stops_outside_exception, "stops with Base: beyond"),
    (lambda Q, K: undefined, "stops with NameError: name 'undefined' is not defined"),  # noqa: F821
    (np.linalg.solve, "your function stops with LinAlgError"),
    (lambda Q, K: (q @ K.T for q in Q), "returns an object of type generator"),
    (lambda Q, K: map(len, Q), "object of type map"),
    (lambda Q, K: iter(Q), "object of type iterator"),
    (needs_awaiting(), "object of type coroutine"),
    (lambda Q, K: [[1.0], [1.0, 2.0]], "rows of different lengths"),
    (lambda Q, K: "scores", "type str, and real numbers"),
    (lambda Q, K: [["0.5"]], "something of type <?str"),
    (lambda Q, K: {"scores": Q @ K.T}, "something of type dict"),
    (lambda Q, K: np.dot, "something of type "),
    (lambda Q, K: Q @ K.T + 0j, "something of type complex128"),
    (lambda Q, K: [[None] * 5] * 3, "holds NoneType objects"),
    (lambda Q, K: np.array([[object()]]), "holds object objects"),
    (lambda Q, K: np.array([["1", "2"]], object), "holds str objects"),
    (lambda Q, K: Torchlike(Q @ K.T, fails=True), "stops with RuntimeError: Can't call numpy"),
    (lambda Q, K: np.array([["2024-01-01"]], "M8[D]"), "something of type datetime64"),
    (lambda Q, K: np.full((3, 5), np.nan), "contains NaN"),
    (lambda Q, K: np.zeros((3, 5, 1)), r"should have shape \(3, 5\), and yours has \(3, 5, 1\)"),
    (lambda Q, K: np.zeros((0, 5)), r"should have shape \(3, 5\), and yours has \(0, 5\)"),
    (lambda Q, K: [], r"should have shape \(3, 5\), and yours has \(0,\)"),
    (lambda Q, K: 7, r"should have shape \(3, 5\), and yours has \(\)"),
    (lambda Q, K: Q @ K.T * 3, "every entry is 3 times what it should be"),
    (
        lambda Q, K: Q @ K.T > 0,
        r"15 of 15 entries differ; entry \[0, 0\] should be -0.6575, and yours is False",
    ),
    (lambda Q, K: (Q @ K.T) / 0, "yours is -inf"),
    (branches, "returns nothing for Q"),
    (in_place, "changes its input Q"),
    (in_place_and_wrong, "changes its input K"),
]


@pytest.mark.parametrize("k", range(len(SENTENCES)))
def test_each_odd_answer_gets_its_own_sentence(k):
    answer, says = SENTENCES[k]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = al.check.attention_scores(answer)
    assert (verdict.attempted, verdict.passed, verdict.mistake) == (True, False, None)
    assert verdict.message.startswith("Not yet: ") and re.search(says, verdict.message), verdict
    assert "Traceback" not in verdict.message and "\n" not in verdict.message


def test_the_line_is_the_learners_own():
    first = inspect.getsourcelines(divides_by_zero)[1]
    assert f"your line {first + 2} " in al.check.attention_scores(divides_by_zero).message
    scope = {}
    exec(compile("def f(scores):\n    x = 1\n    return np.exp(scores)\n", "<cell>", "exec"), scope)
    assert "your line 3 stops with NameError" in al.check.softmax(scope["f"]).message


def test_a_number_is_asked_for_where_one_is_due():
    assert (
        "one number, and yours has shape (3,)" in al.check.count_parameters(lambda a, b, c: (a, b, c)).message
    )
    verdict = al.check.count_parameters(lambda d_model, d_k, d_v: 72)
    assert "for d_model = 6, d_k = 4, d_v = 3 the result should be 66, and yours is 72." in verdict.message


def test_an_object_that_fails_wherever_it_is_touched_does_not_break_the_check():
    assert al.check.attention_scores(Hostile()).passed is False
    assert al.check.attention_scores(lambda Q, K: Hostile()).passed is False
    assert al.check.attention_scores(lambda Q, K: [Hostile()]).passed is False


def test_a_tensor_and_a_frame_that_hold_the_right_numbers_pass():
    assert al.check.attention_scores(lambda Q, K: Torchlike(Q @ K.T)).passed
    assert al.check.attention_scores(lambda Q, K: pd.DataFrame(Q @ K.T).astype(object)).passed


@pytest.mark.parametrize("language, says", [("en", "Stopped."), ("zh", "已停止。")])
def test_an_interrupt_is_the_sentence_stopped(language, says):
    def interrupted(Q, K):
        raise KeyboardInterrupt

    wording.use(language)
    verdict = al.check.attention_scores(interrupted)
    assert verdict.message.startswith(says) and not verdict.passed and verdict.mistake is None


def test_printing_and_warnings_of_the_learner_are_not_shown(capfd, recwarn):
    def noisy(scores):
        print("look", scores)
        print("here", file=sys.stderr)
        warnings.warn("careful", stacklevel=1)
        np.array([1.0]) / 0
        return al.softmax(scores)

    assert al.check.softmax(noisy).passed
    assert capfd.readouterr() == ("", "") and not recwarn.list


def test_settings_of_the_learners_session_stay_as_they_were():
    before = np.geterr()
    try:
        np.seterr(all="raise")
        assert al.check.softmax(lambda s: np.exp(s) / np.exp(s).sum(-1, keepdims=True)).mistake == "overflow"
        assert set(np.geterr().values()) == {"raise"}
    finally:
        np.seterr(**before)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_check_is_not_spoiled_by_a_function_that_spoils_its_inputs(name):
    exercise = EXERCISES[name]

    def spoils(*given):
        for value in given:
            if isinstance(value, np.ndarray):
                value.fill(False)

    stages = [[exercises.engine._copies(probe) for probe in stage] for stage in exercise.stages]
    exercise(as_a_learner_has_it(spoils, exercise))
    assert exercise(exercise.right).passed
    for before, after in zip(sum(stages, []), sum(exercise.stages, []), strict=True):
        assert all(
            np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
            for a, b in zip(before, after, strict=True)
        )


def test_dtype_alone_keeps_a_mask_from_being_right():
    for dtype in (float, int, np.uint8, object):
        verdict = al.check.causal_mask(lambda n, dtype=dtype: np.tri(n, dtype=bool).astype(int).astype(dtype))
        assert not verdict.passed and verdict.mistake == "numbers"
    verdict = al.check.causal_mask(lambda n: np.tri(n, dtype=bool if n < 7 else int))
    assert not verdict.passed and verdict.mistake == "numbers"


NUMBERS_ONLY = {"count_parameters", "dot_product_variance", "causal_mask", "positional_encoding"}


def test_inputs_that_are_numbers_differ_from_each_other():
    for name in NUMBERS_ONLY:
        probes = [probe for stage in EXERCISES[name].stages for probe in stage]
        assert len(set(probes)) == len(probes) >= 2
        assert all(len(set(probe)) == len(probe) for probe in probes)


@pytest.mark.parametrize("name", sorted(NAMES - NUMBERS_ONLY))
def test_the_inputs_are_asymmetric_with_two_shapes_or_more(name):
    probes = [probe for stage in EXERCISES[name].stages for probe in stage]
    arrays = [value for probe in probes for value in probe if isinstance(value, np.ndarray)]
    assert len({array.shape for array in arrays}) >= 2
    squares = [array for array in arrays if array.ndim == 2 and array.shape[0] == array.shape[1]]
    assert not any(np.allclose(square, square.T) for square in squares)
    assert len(squares) < len(arrays)


# What the learner sees.


def width(line):
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_verdict_is_shown_as_plain_text_in_short_lines(name, language):
    wording.use(language)
    exercise = EXERCISES[name]
    for mistake in exercise.mistakes:
        verdict = exercise(as_a_learner_has_it(variants(exercise, mistake)[0], exercise))
        assert max(map(width, repr(verdict).splitlines())) <= 84
        assert "".join(repr(verdict).split()) == "".join(verdict.message.split())
    formatters = pytest.importorskip("IPython.core.formatters").DisplayFormatter().format
    assert formatters(verdict)[0] == {"text/plain": repr(verdict)}


def test_progress_shows_every_exercise_and_its_latest_verdict():
    assert repr(al.check.progress()).count("not attempted") == len(NAMES)
    al.check.project(lambda H, W: H @ W)
    al.check.softmax(lambda scores: scores)
    al.check.causal_mask(lambda n: np.tri(n, k=-1, dtype=bool))
    al.check.merge_heads(None)
    lines = dict(line.split(None, 2)[1:] for line in str(al.check.progress()).splitlines() if line[0] != " ")
    assert set(lines) == NAMES
    assert lines["project"] == "right" and lines["softmax"] == "not yet"
    assert lines["causal_mask"] == "not yet: a token cannot see itself."
    assert lines["merge_heads"] == lines["split_heads"] == "not attempted"
    al.check.causal_mask(al.causal_mask)
    wording.use("zh")
    assert repr(al.check) == repr(al.check.progress()) and repr(al.check).count("正确") == 2


# Wrong answers that the package does not know: each gets evidence or a sentence, and what to look at.
UNKNOWN = {
    "project": [lambda H, W: H @ W + 1, lambda H, W: np.maximum(H @ W, 0), lambda H, W: (H @ W)[:1]],
    "count_parameters": [lambda a, b, c: 72, lambda a, b, c: a * b, lambda a, b, c: 2 * a * (2 * b + c)],
    "attention_scores": [
        lambda Q, K: -Q @ K.T,
        lambda Q, K: np.triu(Q @ K.T),
        lambda Q, K: np.round(Q @ K.T),
    ],
    "positional_encoding": [
        lambda n, d: np.zeros((n, d)),
        lambda n, d: al.positional_encoding(n, d, offset=2),
        lambda n, d: al.positional_encoding(n, d)[::-1],
    ],
    "scaled_scores": [lambda Q, K: Q @ K.T / 3, lambda Q, K: np.sqrt(Q @ K.T), lambda Q, K: (Q @ K.T)[0]],
    "dot_product_variance": [lambda d: -1, lambda d: d + 5, lambda d: np.zeros(d)],
    "softmax": [
        lambda s: softmax_of(s / 2),
        lambda s: 100 * softmax_of(s),
        lambda s: softmax_of(s) + 1,
    ],
    "softmax_jacobian": [
        lambda a: np.diag(a) - np.outer(a, a) / 2,
        lambda a: np.zeros(3),
        lambda a: np.diag(a) - np.outer(a, 1 - a),
    ],
    "causal_mask": [
        lambda n: np.tril(np.ones((4, 4), bool)),
        lambda n: np.zeros((n, n), bool),
        lambda n: al.window_mask(n, 3),
    ],
    "padding_mask": [
        lambda lengths, n: np.ones((len(lengths), 1, n), bool),
        lambda lengths, n: np.arange(n) < lengths[0],
        lambda lengths, n: lengths,
    ],
    "scaled_dot_product_attention": [
        lambda Q, K, V, mask: Q,
        lambda Q, K, V, mask: 2 * al.scaled_dot_product_attention(Q, K, V, mask).context,
        lambda Q, K, V, mask: al.scaled_dot_product_attention(Q, K, V, mask, scale=1 / 3).context,
    ],
    "influence_map": [
        lambda fn, X: np.ones((len(fn(X)), len(X))),
        lambda fn, X: fn(X),
        lambda fn, X: np.eye(len(fn(X)), len(X)),
    ],
    "split_heads": [lambda X, m: cut(X, m)[::-1], lambda X, m: X.reshape(m, -1), lambda X, m: cut(X, m)[0]],
    "merge_heads": [lambda X: X[0], lambda X: X.reshape(-1), lambda X: join(X) / 2],
    "multi_head_attention": [
        lambda H, W_Q, W_K, W_V, W_O, m: H @ W_O,
        lambda H, *W: al.multi_head_attention(H, *W).context[::-1],
        lambda H, *W: H,
    ],
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_wrong_answers_nobody_foresaw_get_a_useful_line(name):
    for answer in UNKNOWN[name]:
        verdict = getattr(al.check, name)(answer)
        assert (verdict.attempted, verdict.passed) == (True, False), verdict
        assert re.search(r"should (be|have)|what it should be|contains NaN|stops with", verdict.message), (
            verdict
        )
        assert verdict.message.endswith(f"Hint: {wording.section('check')[name]}"), verdict


@pytest.mark.parametrize("language, says", [("en", "keepdims=True"), ("zh", "把形状上下对齐写出来")])
def test_shapes_that_do_not_fit_come_with_a_hint_and_one_full_stop(language, says):
    wording.use(language)
    unfit = al.check.softmax(lambda scores: scores - scores.max(axis=-1))
    assert "ValueError" in unfit.message and says in unfit.message
    assert says in al.check.attention_scores(lambda Q, K: Q @ K[:, :1]).message
    other = al.check.softmax(lambda scores: int("x."))
    assert "ValueError" in other.message and says not in other.message
    assert ".." not in other.message and ".。" not in other.message
