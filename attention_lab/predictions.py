"""Predict, then run: the learner guesses first, the package computes the answer and says why.

A question is one function below, listed in `_QUESTIONS`, and its words under the function's name in the wording
section "predict": `NAME.question`, then either `NAME.a`, `NAME.a.why`, `NAME.b`, … (pick a letter) or `NAME.why`
(give a number). No answer is written down: each function computes it with the course's own mathematics.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from math import isfinite

import numpy as np

from . import training
from .attention import (
    attention_scores,
    influence_map,
    scaled_dot_product_attention,
    self_attention,
    softmax,
    split_heads,
)
from .examples import approximation_error, lesson, output_weights
from .masks import causal_mask, padding_mask
from .wording import section, text


@dataclass(frozen=True)
class Truth:
    """A computed answer: a letter, or a number with its tolerance; `values` fill the {names} in the words."""

    answer: str | float
    tolerance: float = 0.0
    values: dict = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Prediction:
    """What `predict` answers: right is True, False, or None where there was no guess that could be read."""

    name: str
    right: bool | None
    message: str

    def __repr__(self):
        """The message in lines of at most 84 columns: JupyterLab would break longer ones inside a word."""
        return "\n".join(_folded(line) for line in self.message.splitlines())


def _folded(line, room=84):
    """A line broken at blanks, or between two Chinese characters: after a comma or full stop if one is near."""
    rows = [[]]
    for piece in re.findall(r"[\u2e80-\uffee][，。：；？！、）”]?|[^\s\u2e80-\uffee]+|\s", line):
        row = rows[-1]
        if _columns([*row, piece]) > room:
            marks = [k for k in range(1, len(row)) if row[k - 1][-1] in "，。：；？！、"]
            end = next((k for k in reversed(marks) if _columns(row[:k]) > 0.6 * room), len(row))
            rows[-1:] = [row[:end], ["  ", *row[end:]]]
        if rows[-1] != ["  "] or not piece.isspace():
            rows[-1].append(piece)
    return "\n".join("".join(row).rstrip() for row in rows)


def _columns(pieces):
    """How wide pieces are where a Chinese character takes two columns."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in "".join(pieces))


def _matching(measured, candidates):
    """The letter of the candidate that equals what was measured; NaN equals NaN."""
    return next(k for k, v in candidates.items() if np.allclose(measured, v, equal_nan=True))


def parameters():
    """How many learned numbers W_Q, W_K and W_V need for 400 tokens: the lesson's own serve them."""
    _, H, *W = lesson()
    few, scores = (self_attention(np.tile(H, (times, 1)), *W).scores.size for times in (1, 100))
    return Truth(sum(w.size for w in W), values={"few": few, "scores": scores})


def turned_scores():
    """Which scores change when an orthogonal R turns queries and keys alike?"""
    _, H, W_Q, W_K, _ = lesson()
    R, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))
    moved = np.abs(attention_scores(H @ W_Q @ R, H @ W_K @ R) - attention_scores(H @ W_Q, H @ W_K)) > 1e-12
    return Truth(_matching(moved, {"a": np.ones((4, 4)), "b": 1 - np.eye(4), "c": np.zeros((4, 4))}))


def partner():
    """What W_K must become, when W_Q becomes W_Q R, for every score to stay."""
    _, H, W_Q, W_K, _ = lesson()
    Q, K, R = H @ W_Q, H @ W_K, np.random.default_rng(1).normal(size=(4, 4))
    partners = {"a": np.eye(4), "b": R, "c": np.linalg.inv(R), "d": np.linalg.inv(R).T}
    scores = {letter: attention_scores(Q @ R, K @ P) for letter, P in partners.items()}
    return Truth(_matching(attention_scores(Q, K), scores))


def largest_cell():
    """Which cell of S is the largest at d_k = 2? The best aligned pair, the longest one, or neither."""
    _, H, W_Q, W_K, _ = lesson(d_k=2)
    S = attention_scores(H @ W_Q, H @ W_K)
    cells = {"a": (0, 1), "b": (1, 3), "c": (3, 0), "d": (3, 3)}
    scores = {letter: f"{S[cell]:.3f}".replace("-", "−") for letter, cell in cells.items()}
    return Truth(_matching(np.unravel_index(S.argmax(), S.shape), cells), values=scores)


def _ranks():
    """The ranks of S and of A for twelve tokens at d_k = 2."""
    _, H, W_Q, W_K, _ = lesson(n=12, d_k=2)
    S = attention_scores(H @ W_Q, H @ W_K)
    return [int(np.linalg.matrix_rank(M, tol=1e-9)) for M in (S, softmax(S / np.sqrt(2)))]


def rank_of_scores():
    """The rank of S for twelve tokens at d_k = 2."""
    return Truth(_ranks()[0])


def rank_of_weights():
    """Is the rank of A below, at or above that of S?"""
    of_scores, of_weights = _ranks()
    letter = _matching(np.sign(of_weights - of_scores), {"a": -1, "b": 0, "c": 1})
    return Truth(letter, values={"rank": of_weights})


def spread_of_scores():
    """The standard deviation of q · k at d_k = 256, over 4000 draws of normal coordinates."""
    q, k = np.random.default_rng(256).normal(size=(2, 4000, 1, 256))
    return Truth(attention_scores(q, k).std(), tolerance=0.5)


def _largest_weights(d_k):
    """The largest of 16 weights, median over 400 random rows: not scaled, and divided by √d_k."""
    rng = np.random.default_rng(3)
    S = attention_scores(rng.normal(size=(400, 1, d_k)), rng.normal(size=(400, 16, d_k)))
    return [np.median(softmax(scores).max(axis=-1)) for scores in (S, S / np.sqrt(d_k))]


def largest_weight():
    """How does the largest weight of a typical row move from d_k = 4 to 1024, without a scale and with √d_k?"""
    narrow, wide = _largest_weights(4), _largest_weights(1024)
    moved = np.sign(np.round(np.subtract(wide, narrow), 1))
    letter = _matching(moved, {"a": [1, 1], "b": [1, 0], "c": [1, -1], "d": [0, 0]})
    names = ("raw_narrow", "narrow", "raw_wide", "wide")
    return Truth(letter, values=dict(zip(names, narrow + wide, strict=True)))


@cache
def _learned_without_scale():
    """How many of four seeds learn the lookup without a scale at d_k = 16, 64 and 256. Takes 2 s, once."""
    runs = [
        [training.learn(training.LOOKUP, seed, d_k=d_k, scale=1) for seed in range(4)]
        for d_k in (16, 64, 256)
    ]
    return [sum(training.final_loss(run.losses) < 0.5 for run in row) for row in runs]


def trains_without_scale():
    """Which widths learn the lookup without a scale? At 64 rounding may decide, so only the others are judged."""
    narrow, middle, wide = _learned_without_scale()
    letter = _matching([narrow, wide], {"a": [4, 4], "b": [4, 0], "c": [0, 0], "d": [0, 4]})
    return Truth(letter, values={"narrow": narrow, "middle": middle, "wide": wide})


def shared_shift():
    """Which weights of a row change when one vector u is added to all its keys?"""
    q, u, *K = np.random.default_rng(3).normal(size=(18, 64))
    before, after = (softmax(attention_scores([q], keys)[0] / 8) for keys in (K, K + u))
    along = softmax(attention_scores([q + u], K)[0] / 8)
    sharper = softmax(attention_scores([2 * q], K)[0] / 8)
    return Truth(_matching(after, {"a": along, "b": sharper, "c": before}))


def row_sums():
    """What the rows of a 4 × 4 matrix of scores sum to when softmax runs down its columns."""
    _, H, W_Q, W_K, _ = lesson()
    sums = softmax(H @ W_Q @ (H @ W_K).T / 2, axis=0).sum(axis=1)
    letter = "a" if np.allclose(sums, 1) else "b" if np.isclose(sums.sum(), 4) else "c"
    return Truth(letter, values={"low": sums.min(), "high": sums.max()})


def half_temperature():
    """The ratio of two weights, 3 at temperature 1, at temperature 0.5."""
    high, low = softmax(np.log([3, 1]) / 0.5)
    return Truth(high / low, tolerance=0.5)


def average_gradient():
    """How the mean size of ∂L/∂q = Kᵀ J g without the scale changes from d_k = 4 to d_k = 1024."""
    sizes = {}
    for d_k in (4, 1024):
        rng, sizes[d_k] = np.random.default_rng(4), []
        for _ in range(1000):
            q, K, g = rng.normal(size=d_k), rng.normal(size=(16, d_k)), rng.normal(size=16)
            a = softmax(K @ q)
            sizes[d_k].append(np.linalg.norm(K.T @ (a * (g - a @ g))))
    ratio, median = np.mean(sizes[1024]) / np.mean(sizes[4]), np.median(sizes[1024])
    letter = "a" if ratio < 0.1 else "b" if ratio < 5 else "c"
    return Truth(letter, values={"ratio": ratio, "median": median, "largest": max(sizes[1024])})


def zero_pads():
    """The share of the weight that five all-zero pads take from four tokens, mean over the real rows."""
    _, H, W_Q, W_K, W_V = lesson()
    shares = self_attention(np.pad(H, ((0, 5), (0, 0))), W_Q, W_K, W_V).weights[:4, 4:].sum(axis=1)
    return Truth(shares.mean(), tolerance=0.1, values={"low": shares.min(), "high": shares.max()})


def padding_under_causal():
    """Which real rows of Z does a padding mask move when a causal mask is on? Four tokens, two pads right."""
    _, H, W_Q, W_K, W_V = lesson(n=6)
    causal, pads = causal_mask(6), padding_mask(4, 6)
    without, with_pads = (self_attention(H, W_Q, W_K, W_V, mask).context for mask in (causal, causal & pads))
    moved = np.abs(with_pads - without).max(axis=1)[:4] > 1e-12
    return Truth(_matching(moved, {"a": [1, 1, 1, 1], "b": [0, 0, 0, 1], "c": [0, 0, 0, 0]}))


def empty_row():
    """The weights of a row whose every score got −1e9 added in float64, under plain softmax."""
    scores = np.array([0.3, -1.2, 2.0])
    unmasked = softmax(scores)
    letter = _matching(softmax(scores - 1e9), {"a": 0 * scores, "b": 1 / 3, "c": unmasked, "d": np.nan})
    return Truth(letter, values={"weights": ", ".join(f"{w:.3f}" for w in unmasked)})


def heads_parameters():
    """The parameters of three heads of width 2 against those of one head of width 6."""
    _, _, *W = lesson(d_k=6)
    one = [*W, output_weights(6, 6).T]
    three = [block for w in one for block in np.split(w, 3, axis=1)]
    before, after = (sum(w.size for w in matrices) for matrices in (one, three))
    letter = _matching(after, {"a": before / 3, "b": before, "c": before * 3})
    return Truth(letter, values={"before": before, "after": after})


def _influence_of_heads(split, merge, mask=None):
    """The influence map of six tokens through two heads of width 3, split and merged in these ways."""
    _, H, *W = lesson(n=6, d_k=6)

    def layer(X):
        return merge(scaled_dot_product_attention(*(split(X @ w) for w in W), mask).context)

    return influence_map(layer, H)


def no_transposes():
    """Bare reshapes at both ends under a causal mask: does the future leak, and does the past arrive?"""
    mask = causal_mask(6)
    influence = _influence_of_heads(lambda X: X.reshape(2, 6, 3), lambda Z: Z.reshape(6, 6), mask)
    leaks, dead = (influence[~mask] > 0).sum(), (influence[mask] == 0).sum()
    return Truth("a" if leaks else "c" if dead else "b", values={"dead": dead, "visible": mask.sum()})


def merge_unmasked():
    """Cells without influence when the merge forgets its swap and no mask is there to show it."""
    influence = _influence_of_heads(lambda X: split_heads(X, 2), lambda Z: Z.reshape(6, 6))
    return Truth((influence == 0).sum())


def hidden_note():
    """Which questions a trained table reader fails when the note about the brackets is hidden."""
    reader = training.learn(training.TABLES)
    kept = training.evaluate(reader, mask=training.table_mask("bracket")).accuracy > 0.7
    others = np.array([question != "bracket" for question in training.QUESTIONS])
    return Truth(_matching(kept, {"a": False, "b": others, "c": True}))


def window_on_sink():
    """The error of a window of three on a trained sink head: small, below the output's size, or above it?"""

    def near(S):
        return abs(np.subtract.outer(range(len(S)), range(len(S)))) <= 1

    error = approximation_error("sink", near)
    first = approximation_error("sink", lambda S: near(S) | (np.arange(len(S)) == 0))
    letter = "a" if error < 0.3 else "b" if error < 1 else "c"
    return Truth(letter, values={"error": f"{error:.2f}", "first": f"{first:.2f}"})


_QUESTIONS = {
    f.__name__: f
    for f in (
        parameters,
        turned_scores,
        partner,
        largest_cell,
        rank_of_scores,
        rank_of_weights,
        spread_of_scores,
        largest_weight,
        trains_without_scale,
        shared_shift,
        row_sums,
        half_temperature,
        average_gradient,
        zero_pads,
        padding_under_causal,
        empty_row,
        heads_parameters,
        no_transposes,
        merge_unmasked,
        hidden_note,
        window_on_sink,
    )
}


def _read(guess):
    """The guess as plain lower-case text: " (B) ", full-width letters and NumPy scalars included."""
    try:
        return unicodedata.normalize("NFKC", str(guess)).lstrip(" \t\n(").rstrip(" \t\n).").lower()
    except Exception:  # an object of the learner's own may fail to turn into text
        return ""


def _number(word):
    try:
        return float(word)
    except ValueError:
        return float("nan")


def _choices(name):
    """The question's choices, letter -> words; empty when it asks for a number."""
    words = section("predict")
    return {letter: words[key] for letter in "abcdef" if (key := f"{name}.{letter}") in words}


def predict(name, guess=None):
    """Judge a guess at question `name`; None shows the question.

    A guess is a letter (any case) where the question lists choices, else a number. The answer is computed when
    asked. Returns a Prediction, shown as text; a guess that cannot be read is told what counts as an answer.
    ValueError, naming the questions there are, for a name that is none of them.
    """
    if name not in _QUESTIONS:
        raise ValueError(f"there is no question {name!r}; the questions are {', '.join(_QUESTIONS)}")
    choices = _choices(name)
    kind = "choice" if choices else "number"
    letters = text("predict.comma").join(choices)
    if guess is None:
        question = "\n".join([text(f"predict.{name}.question"), *(f"  {k}) {v}" for k, v in choices.items())])
        return Prediction(name, None, text(f"predict.ask_{kind}", question=question, letters=letters))

    word = _read(guess)
    if not (word in choices if choices else isfinite(_number(word))):
        return Prediction(name, None, text(f"predict.unreadable_{kind}", letters=letters))

    truth = _QUESTIONS[name]()
    if choices:
        right = word == truth.answer
        why = text(f"predict.{name}.{truth.answer}.why", **truth.values)
        own = text(f"predict.{name}.{word}.why", **truth.values)
        answer = f"{truth.answer}) {choices[truth.answer]}"
    else:
        right = abs(_number(word) - truth.answer) <= truth.tolerance
        why, own, answer = text(f"predict.{name}.why", **truth.values), "", f"{round(truth.answer, 3):g}"
    verdict = text(f"predict.{'right' if right else 'wrong'}_{kind}", own=own, answer=answer, why=why)
    return Prediction(name, bool(right), verdict)
