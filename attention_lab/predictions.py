"""Predict, then run: the learner guesses first, the package computes the answer and says why.

A question is one function below, listed in `_QUESTIONS`, and its words under the function's name in the wording
section "predict": `NAME.question`, then either `NAME.a`, `NAME.a.why`, `NAME.b`, … (pick a letter) or `NAME.why`
(give a number). No answer is written down: each function computes it with the course's own mathematics.
"""

import textwrap
import unicodedata
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from .attention import self_attention, softmax
from .examples import lesson
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
        """The message in lines of at most 84 characters: JupyterLab would break longer ones inside a word."""
        return "\n".join(
            textwrap.fill(line, 84, subsequent_indent="  ") for line in self.message.splitlines()
        )


def _matching(measured, candidates):
    """The letter of the candidate that equals what was measured; NaN equals NaN."""
    return next(k for k, v in candidates.items() if np.allclose(measured, v, equal_nan=True))


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


_QUESTIONS = {f.__name__: f for f in (zero_pads, padding_under_causal, empty_row)}


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
    letters = ", ".join(choices)
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
