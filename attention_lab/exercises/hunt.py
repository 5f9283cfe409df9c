"""The fault hunt: a multi-head layer that promises six things, the faults that break them, and a judge of probes.

A probe is the learner's function: probe(layer) gives True if the layer passes. `score` tries each probe on the
sound layer and on layers with one fault each. Every faulty layer runs and gives the right shapes.
"""

import tracemalloc
from dataclasses import FrozenInstanceError, dataclass

import numpy as np

from ..attention import attention_scores, merge_heads, scaled_dot_product_attention, split_heads
from ..blockwise import blockwise_attention
from ..inputs import shown
from ..masks import causal_mask, padding_mask
from ..positions import positional_encoding
from ..predictions import _folded
from ..wording import section, text
from .engine import Verdict, _in_words, _is_blank, _quiet, _sentence, _taken_instead

__all__ = ["FAULTS", "layer", "peak_memory", "score", "sound"]

FAULTS = (
    "weight_as_cause",
    "no_scale",
    "no_causal_mask",
    "no_padding_mask",
    "no_positions",
    "full_matrix",
)
_D_MODEL, _N_HEADS = 8, 2
_SEEDS = (0, 1, 2)  # each probe meets several draws of the layer, so that luck does not count


@dataclass(frozen=True, eq=False, repr=False)
class Layer:
    """Multi-head self-attention of one sequence, H (n, d_model). What it promises:

    1. explain(H, i) names the token whose removal moves row i of attend(H) furthest.
    2. scores(Q, K) have variance 1 when the entries of Q and K are independent with mean 0 and variance 1,
       whatever the width d_k.
    3. With causal=True no row depends on a later token.
    4. With length=m tokens m, m + 1, … are padding: rows 0 to m − 1 do not depend on them.
    5. The order of the tokens counts: positions are added to H.
    6. attend works block by block: its memory grows like n, not like n².

    without=j removes token j: no query sees it, and the other weights share what it had. W_Q, W_K, W_V and W_O,
    each (d_model, d_model), can be read but not changed.
    """

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    n_heads: int
    _faults: frozenset

    def __repr__(self):
        return f"Layer(d_model={self.d_model}, n_heads={self.n_heads})"

    @property
    def d_model(self):
        """The width of a token."""
        return len(self.W_Q)

    def scores(self, Q, K):
        """One head's scaled scores, no mask: Q (…, n_q, d_k) and K (…, n_k, d_k) give (…, n_q, n_k)."""
        return attention_scores(Q, K) * self._scale(np.shape(Q)[-1])

    def attend(self, H, *, length=None, causal=False, without=None):
        """The layer's output (n, d_model): what each token collects from those it may see."""
        Q, K, V = self._heads(H)
        keys, causal = self._visible(len(H), length, causal, without)
        if "full_matrix" in self._faults:
            context = self._dense(Q, K, V, keys, causal).context
        else:
            context = blockwise_attention(Q, K, V, keys, causal=causal, scale=self._scale(Q.shape[-1]))
        return merge_heads(context) @ self.W_O

    def weights(self, H, *, length=None, causal=False, without=None):
        """All weights (n_heads, n, n). Asking for them asks for n² numbers: promise 6 is about attend."""
        return self._dense(*self._heads(H), *self._visible(len(H), length, causal, without)).weights

    def explain(self, H, i, *, length=None, causal=False):
        """The index of the token whose removal moves row i of attend(H) furthest."""
        if "weight_as_cause" in self._faults:
            return int(self.weights(H, length=length, causal=causal)[:, i].mean(axis=0).argmax())
        row = self.attend(H, length=length, causal=causal)[i]
        moved = [self.attend(H, length=length, causal=causal, without=j)[i] - row for j in range(len(H))]
        return int(np.linalg.norm(moved, axis=-1).argmax())

    def _heads(self, H):
        """Q, K and V, each (n_heads, n, d_model / n_heads)."""
        H = np.asarray(H, float)
        if H.ndim != 2 or H.shape[1] != self.d_model:
            raise ValueError(f"H of shape {H.shape} must be one sequence of tokens, (n, {self.d_model})")
        if "no_positions" not in self._faults:
            H = H + positional_encoding(*H.shape)
        return [split_heads(H @ W, self.n_heads) for W in (self.W_Q, self.W_K, self.W_V)]

    def _scale(self, d_k):
        return 1.0 if "no_scale" in self._faults else 1 / np.sqrt(d_k)

    def _visible(self, n, length, causal, without):
        """Which keys may be seen at all, (1, n), and whether the future is hidden."""
        keys = padding_mask(n if length is None or "no_padding_mask" in self._faults else length, n)
        if without is not None:
            keys[:, without] = False
        return keys, causal and "no_causal_mask" not in self._faults

    def _dense(self, Q, K, V, keys, causal):
        mask = keys & causal_mask(keys.size) if causal else keys
        return scaled_dot_product_attention(Q, K, V, mask, scale=self._scale(Q.shape[-1]))


def layer(*faults, seed=0):
    """A layer with these faults, any of hunt.FAULTS. seed: which random weights it has.

    ValueError: a fault that does not exist.
    """
    for fault in faults:
        if fault not in FAULTS:
            raise ValueError(f"there is no fault {shown(fault)}: choose from {', '.join(FAULTS)}")
    weights = np.random.default_rng(seed).normal(size=(4, _D_MODEL, _D_MODEL)) / np.sqrt(_D_MODEL)
    weights.flags.writeable = False
    return Layer(*weights, _N_HEADS, frozenset(faults))


def sound(seed=0):
    """The layer that keeps all its promises."""
    return layer(seed=seed)


def peak_memory(function, *given, **named):
    """The most memory, in bytes, that function(*given, **named) held at once, its result included."""
    tracemalloc.start()
    try:
        function(*given, **named)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@dataclass(frozen=True, repr=False)
class ScoreSheet:
    """One Verdict for each fault, shown as a table in plain text. notes: what score could not use."""

    verdicts: dict
    notes: tuple

    def __repr__(self):
        exposed = sum(verdict.passed for verdict in self.verdicts.values())
        lines = [text("hunt.total", count=exposed, total=len(FAULTS))]
        for fault, verdict in self.verdicts.items():
            lines.append(f"  {fault:<18}{text('hunt.exposed' if verdict.passed else 'hunt.open')}")
        remarks = [
            text("hunt.remark", fault=fault, what=verdict.message)
            for fault, verdict in self.verdicts.items()
            if verdict.message
        ]
        return "\n".join([*lines, *(f"\n{_folded(remark)}" for remark in [*remarks, *self.notes])])


def score(*unnamed, **probes):
    """Judge probes: al.hunt.score(no_scale=my_probe, …) gives the ScoreSheet. Never raises.

    A probe gets a layer and returns True if it passes, False if not. It exposes its fault if it passes the sound
    layer, fails the layer with that fault and passes those with another one. What it prints is not shown.
    """
    verdicts = {fault: _verdict(fault, probes.pop(fault, None)) for fault in FAULTS}
    notes = [text("hunt.unknown", name=name, faults=", ".join(FAULTS)) for name in probes]
    return ScoreSheet(verdicts, (*notes, *[text("hunt.unnamed")] * bool(unnamed)))


class _NoAnswer(Exception):
    """A probe that gave neither True nor False; its message is the sentence for the learner."""


_NOT_ATTEMPTED = Verdict(False, False, None, "")


def _verdict(fault, probe):
    try:
        with _quiet():
            return _judge(fault, probe)
    except _NoAnswer as sentence:
        return Verdict(True, False, None, str(sentence))
    except NotImplementedError:
        return _NOT_ATTEMPTED
    except KeyboardInterrupt:
        return Verdict(True, False, None, text("check.stopped"))
    except BaseException as error:  # an object of the learner's own may fail wherever it is touched
        return Verdict(True, False, None, text("check.unreadable", error=_in_words(error)))


def _judge(fault, probe):
    """The Verdict on one probe. Its mistake is one of false_alarm, inverted, misses, sometimes, wrong_fault, also."""
    if _is_blank(probe):
        return _NOT_ATTEMPTED
    if not callable(probe):
        raise _NoAnswer(text("hunt.not_a_function", kind=type(probe).__name__))
    taken = _taken_instead(probe, ("layer",))
    if taken is not None:
        raise _NoAnswer(text("hunt.arguments", taken=taken))
    on_sound, passed, total = _answers(probe), sum(_answers(probe, fault)), len(_SEEDS)
    if not all(on_sound):
        mistake = "inverted" if passed == total and not any(on_sound) else "false_alarm"
        return _wrong(mistake, fault, count=total - sum(on_sound), total=total)
    others = [other for other in FAULTS if other != fault and not all(_answers(probe, other))]
    if passed == total:
        return _wrong("wrong_fault" if others else "misses", fault, others=", ".join(others))
    if others:
        return _wrong("also", fault, others=", ".join(others))
    if passed:
        return _wrong("sometimes", fault, count=total - passed, total=total)
    return Verdict(True, True, None, "")


def _wrong(mistake, fault, **values):
    what = text(f"hunt.{mistake}", fault=fault, **values)
    return Verdict(True, False, mistake, text("hunt.with_hint", what=what, hint=_hint(mistake, fault)))


def _hint(mistake, fault):
    """How to find this fault, or how to repair this mistake."""
    if mistake in ("misses", "sometimes", "wrong_fault"):
        return text(f"hunt.{fault}.hint")
    if mistake != "also":
        return text(f"hunt.{mistake}.hint")
    words = section("hunt")
    others = [words[f"about.{other}"] for other in FAULTS if other != fault and f"about.{other}" in words]
    own = f"also.{fault}.hint"
    return text(f"hunt.{own if own in words else 'also.hint'}", others=words["comma"].join(others))


def _answers(probe, *faults):
    """What the probe says of each draw of the layer with these faults: a list of booleans."""
    where = text("hunt.with_fault", fault=faults[0]) if faults else text("hunt.sound")
    return [_answer(probe, layer(*faults, seed=seed), where) for seed in _SEEDS]


def _answer(probe, layer, where):
    try:
        answer = probe(layer)
    except (KeyboardInterrupt, NotImplementedError):
        raise
    except BaseException as error:
        changed = isinstance(error, FrozenInstanceError)
        raise _NoAnswer(text("hunt.changed") if changed else _sentence(error, where)) from None
    if answer is ... or answer is NotImplemented:
        raise NotImplementedError  # a starter as shipped
    if not isinstance(answer, (bool, np.bool_)):
        key = "nothing" if answer is None else "not_a_boolean"
        raise _NoAnswer(text(f"hunt.{key}", kind=type(answer).__name__, where=where))
    return bool(answer)
