"""One engine for every exercise: probe the learner's function, compare, give a verdict. NumPy only.

An exercise is data: a right function, inputs, and the known mistakes as functions of the same inputs. Inputs
come in stages, the ordinary ones first, so that a wrong axis is named before an overflow. The first stage with a
wrong result decides; a mistake is named when it gives what the learner's function gave on every input so far.
"""

import inspect
import io
import linecache
import sysconfig
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from traceback import walk_tb

import numpy as np

from ..predictions import _folded
from ..wording import section, sentences, text

_NOT_THE_LEARNERS = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_path(kind) for kind in ("purelib", "platlib", "stdlib")),
)


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check answers, shown as plain text. mistake: the name of the known mistake, or None."""

    attempted: bool
    passed: bool
    mistake: str | None
    message: str

    def __repr__(self):
        return _folded(self.message)


@dataclass(frozen=True)
class Outcome:
    """What one call gave: a value; or nothing yet; or the sentence that says why there is no value."""

    value: np.ndarray | None = None
    empty: bool = False
    said: str | None = None
    raised: bool = False
    changed: str | None = None  # the name of an input that is not as it was


def close(mine, theirs):
    """Where two arrays of numbers agree, cell by cell; NaN agrees with NaN."""
    tolerance = 1e-2 if mine.dtype == np.float16 else 1e-4  # a learner may compute in float32, or less
    mine, theirs = mine.astype(float), theirs.astype(float)
    return np.isclose(mine, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)


@dataclass(eq=False, repr=False)
class Exercise:
    """One exercise, called with the learner's answer.

    right: the function as it should be; its parameters are the exercise's. stages: lists of inputs, each a tuple of
    arguments. mistakes: name -> a function, or several that deserve the same words. agree: where two results of
    the same shape agree. first_item: a tuple's first item counts. later: the key of the hint for an answer that is
    right on the first stage; without it the exercise has one hint.
    """

    name: str
    right: Callable
    stages: Sequence[Sequence[tuple]]
    mistakes: Mapping[str, Callable | Sequence[Callable]]
    agree: Callable = close
    first_item: bool = False
    later: str | None = None
    latest: Verdict | None = None

    def __post_init__(self):
        self.arguments = tuple(inspect.signature(self.right).parameters)
        self.call = f"{self.name}({', '.join(self.arguments)})"
        self.__doc__ = f"Check your function {self.call}: al.check.{self.name}({self.name}) gives a Verdict."

    def __repr__(self):
        return text("check.usage", name=self.name, call=self.call)

    def __call__(self, answer=None):
        """The Verdict on the learner's function. Never raises; what the function prints is not shown."""
        try:
            with _quiet():
                self.latest = self._judge(answer)
        except KeyboardInterrupt:
            self.latest = Verdict(True, False, None, text("check.stopped"))
        except BaseException as error:  # an object of the learner's own may fail wherever it is touched
            self.latest = self._not_yet("unreadable", error=_in_words(error))
        return self.latest

    def status(self):
        """The latest verdict of this session in a few words."""
        if self.latest is None or not self.latest.attempted:
            return text("check.status_open")
        if self.latest.passed:
            return text("check.status_right")
        if self.latest.mistake is None:
            return text("check.status_wrong")
        return text("check.status_mistake", what=self._words(self.latest.mistake)[0])

    def _judge(self, answer):
        if _is_blank(answer):
            return self._not_attempted()
        if not callable(answer):
            return self._not_yet("not_a_function", name=self.name, kind=type(answer).__name__)
        taken = _taken_instead(answer, self.arguments)
        if taken is not None:
            return self._not_yet("arguments", call=self.call, taken=taken)
        seen = []
        for stage in self.stages:
            seen += [(probe, self._try(answer, probe)) for probe in stage]
            if not all(self._is_right(*pair) for pair in seen):
                return self._explain(seen)
        changed = next((outcome.changed for _, outcome in seen if outcome.changed), None)
        if changed:
            return self._not_yet("changed", argument=changed)
        return Verdict(True, True, None, text("check.right", count=len(seen)))

    def _try(self, answer, probe):
        """Call the answer with copies of one probe. Only a KeyboardInterrupt gets out."""
        given = _copies(probe)
        try:
            result = answer(*given)
            if self.first_item and isinstance(result, tuple) and result:
                result = result[0]
            if _is_blank(result):
                return Outcome(empty=True)
            value, said = _read(result)
        except KeyboardInterrupt:
            raise
        except NotImplementedError:
            return Outcome(empty=True)
        except BaseException as error:
            return Outcome(said=_sentence(error, self._shown(probe)), raised=isinstance(error, Exception))
        return Outcome(value, said=said, changed=self._changed(given, probe))

    def _is_right(self, probe, outcome):
        truth = self._truth(probe)
        booleans_kept = truth.dtype != bool or outcome.value is not None and outcome.value.dtype == bool
        return booleans_kept and self._same(outcome.value, truth)

    def _explain(self, seen):
        """The verdict on outcomes of which at least one is not right."""
        outcomes = [outcome for _, outcome in seen]
        if outcomes[0].empty:
            return self._not_attempted()
        for name, variants in self.mistakes.items():
            if any(self._gives(f, seen) for f in (variants if isinstance(variants, tuple) else (variants,))):
                return self._with_hint(*self._words(name), mistake=name)
        probe, outcome = next(pair for pair in seen if not self._is_right(*pair))
        given = self._shown(probe)
        if outcome.empty:
            return self._not_yet("returns_nothing", given=given)
        if outcome.said:
            return Verdict(True, False, None, text("check.not_yet", what=outcome.said))
        if outcome.changed:
            return self._not_yet("changed", argument=outcome.changed)
        key, values = self._difference(outcome.value, self._truth(probe))
        hint = self.later if self.later and len(seen) > len(self.stages[0]) else self.name
        return self._with_hint(text(f"check.{key}", given=given, **values), text(f"check.{hint}"))

    def _gives(self, mistake, seen):
        """Whether this mistake gives what was seen: the same values, and an error wherever it stops with one."""
        values = 0
        for probe, outcome in seen:
            try:
                expected = np.asarray(mistake(*_copies(probe)))
            except (ValueError, IndexError):  # what arrays that do not fit together raise
                if not outcome.raised:
                    return False
                continue
            if not self._same(outcome.value, expected):
                return False
            values += 1
        return values > 0

    def _difference(self, mine, truth):
        """How a result differs from the right one: the key of a sentence and what fills it."""
        if mine.shape != truth.shape:
            return "shape" if truth.ndim else "not_one_number", {"mine": mine.shape, "expected": truth.shape}
        wrong = ~self.agree(mine, truth)
        if np.isnan(mine[wrong]).any():
            return "nan", {}
        cell = tuple(int(i) for i in np.argwhere(wrong)[0])
        values = {"mine": _number(mine[cell]), "expected": _number(truth[cell])}
        if not cell:
            return "one_number", values
        factor = _factor(mine, truth)
        if factor is not None:
            return "factor", {"factor": _number(factor)}
        return "differs", {"cell": list(cell), "count": int(wrong.sum()), "total": wrong.size, **values}

    def _truth(self, probe):
        return np.asarray(self.right(*_copies(probe)))

    def _same(self, mine, theirs):
        return mine is not None and mine.shape == theirs.shape and bool(self.agree(mine, theirs).all())

    def _changed(self, given, probe):
        """The name of the first array that is not as it was; rounding from a nudge taken back does not count."""
        for name, after, before in zip(self.arguments, given, probe, strict=True):
            if isinstance(before, np.ndarray) and (
                after.shape != before.shape or not np.allclose(after, before, rtol=1e-9, atol=1e-9)
            ):
                return name
        return None

    def _shown(self, probe):
        """One probe in a few words: numbers and short rows by value, arrays by shape."""
        return ", ".join(
            f"{name} {value.shape}" if np.ndim(value) > 1 else f"{name} = {np.round(value, 3)}"
            for name, value in zip(self.arguments, probe, strict=True)
            if not callable(value)
        )

    def _not_attempted(self):
        return Verdict(False, False, None, text("check.not_attempted", call=self.call))

    def _not_yet(self, key, **values):
        return Verdict(True, False, None, text("check.not_yet", what=text(f"check.{key}", **values)))

    def _with_hint(self, what, hint, mistake=None):
        return Verdict(True, False, mistake, text("check.not_yet_hint", what=what, hint=hint))

    def _words(self, mistake):
        """What a known mistake is, and its hint: this exercise's own words if it has any."""
        words = section("check")
        own = f"{self.name}.{mistake}"
        key = own if own in words else f"mistake.{mistake}"
        return words[key], words[f"{key}.hint"]


@contextmanager
def _quiet():
    """No warnings and no printing while the learner's function runs several times."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        stack.enter_context(np.errstate(all="ignore"))
        stack.enter_context(redirect_stdout(io.StringIO()))
        stack.enter_context(redirect_stderr(io.StringIO()))
        yield


def _is_blank(answer):
    return answer is None or answer is ... or answer is NotImplemented


def _copies(probe):
    return [value.copy() if isinstance(value, np.ndarray) else value for value in probe]


def _taken_instead(answer, arguments):
    """The answer's parameters as "(a, b)" if it cannot be called with these arguments, else None."""
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    try:
        signature.bind(*arguments)
    except TypeError:
        return f"({', '.join(signature.parameters)})"
    return None


def _read(result):
    """The result as an array of numbers or booleans and None; or None and the sentence that says why not."""
    kind = type(result).__name__
    if isinstance(result, Coroutine):
        result.close()  # Python would warn that nobody awaited it
    if isinstance(result, (Iterator, Coroutine)):
        return None, text("check.lazy", kind=kind)
    try:
        array = np.asarray(result)
    except ValueError:
        return None, text("check.ragged")
    if array.dtype == object and array.size and all(isinstance(x, (Real, np.bool_)) for x in array.flat):
        all_booleans = all(isinstance(x, (bool, np.bool_)) for x in array.flat)
        array = array.astype(bool if all_booleans else float)
    if array.dtype.kind in "biuf":
        return array.copy(), None  # the learner may use the same array again
    if array.dtype.kind == "O" and array.ndim:
        kind = type(array.flat[0]).__name__ if array.size else "object"
        return None, text("check.objects", kind=kind)
    return None, text("check.kind", kind=kind if array.ndim == 0 else array.dtype.name)


def _in_words(error):
    """An exception in one line: its type and the beginning of what it says."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # its own __str__ may fail
        said = ""
    said = said.rstrip(".") if len(said) <= 160 else f"{said[:160]}…"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _sentence(error, given):
    """The learner's exception as a sentence, with the line of their own code where it happened."""
    theirs = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(_NOT_THE_LEARNERS)
    ]
    # The first file is that of the answer; a helper may come from another cell, with its own line numbers.
    lines = [line for name, line in theirs if name == theirs[0][0]]
    kind = {RecursionError: "recursion", SystemExit: "exit"}.get(type(error), "error")
    if not lines:
        return text(f"check.{kind}", error=_in_words(error), given=given)
    source = linecache.getline(theirs[0][0], lines[-1]).strip()
    source = source if len(source) <= 60 else f"{source[:60]}…"
    source = source and text("check.source", source=source)
    said = text(f"check.{kind}_line", line=lines[-1], source=source, error=_in_words(error), given=given)
    unfit = isinstance(error, ValueError) and ("broadcast" in str(error) or "matmul" in str(error))
    return sentences(said, text("check.shapes_unfit")) if unfit else said


def _number(value):
    return str(value) if isinstance(value, np.bool_) else f"{value:.4g}"


def _factor(mine, truth):
    """The one number that every entry of truth is multiplied by in mine; None where there is none."""
    size = (truth * truth).sum()
    factor = (mine * truth).sum() / size if size and np.isfinite(mine).all() else 0
    return factor if factor and close(mine, factor * truth).all() else None
