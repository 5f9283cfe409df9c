"""The course's examples: the lesson's random numbers, a trained model's heads, the minimum-wage case.

Sources and licences of the stored arrays: data/README.md. They are read when asked for, and every call returns
new arrays. Names and texts are the edition's; the numbers are the same in both.
"""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from .attention import scaled_dot_product_attention
from .wording import language, text

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
    of width 3, with and without √d_k; 16 queries and 16 keys give the scores of one sentence. A larger d_k adds
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


# the heads and the snippets in the order of their files
_HEADS = ("previous", "next", "pronoun", "related", "separator", "sink", "flat", "late")
_POSITIONS = {"own": "", "off": "_nopos", "shifted": "_shift40"}
_SNIPPETS = (
    *("paper", "definition", "table", "control", "columns", "theory", "prices"),
    *("weather", "recipe", "football", "trap", "rates"),
)


def _stored(name):
    """Every array of data/name.npz, a dict."""
    with files(__package__).joinpath("data", f"{name}.npz").open("rb") as file, np.load(file) as arrays:
        return dict(arrays)


class RealHead(NamedTuple):
    """One trained head on one sentence of n tokens, float32: d_model 384, d_k = d_v = 32.

    H (n, 384) enters the head's layer; W_Q, W_K, W_V (384, 32) with biases (32,); W_O (32, 384); weights (n, n) are
    the model's own, positions in place.
    """

    title: str
    tokens: list
    H: np.ndarray
    W_Q: np.ndarray
    b_Q: np.ndarray
    W_K: np.ndarray
    b_K: np.ndarray
    W_V: np.ndarray
    b_V: np.ndarray
    W_O: np.ndarray
    weights: np.ndarray

    def project(self):
        """Q = H W_Q + b_Q, and K and V likewise, each (n, 32)."""
        return self.H @ self.W_Q + self.b_Q, self.H @ self.W_K + self.b_K, self.H @ self.W_V + self.b_V

    @property
    def words(self):
        """Which tokens are the sentence's own, [CLS] and [SEP] left out: n booleans."""
        return ~np.isin(self.tokens, ["[CLS]", "[SEP]"])


def real_head(name, sentence=0, positions="own"):
    """A trained head of the sentence encoder all-MiniLM-L6-v2, on one of four sentences.

    name is previous (layer 0, head 2), next (1, 8), pronoun (3, 1), related (2, 9), separator (3, 11), sink (1, 11),
    flat (0, 0) or late (5, 9), counted from 0; sentence is 0 to 3. positions is "own", or "off" (no positional
    embeddings) or "shifted" (by 40), which are stored for layer 0 only. Returns a RealHead. ValueError for others.
    """
    if name not in _HEADS:
        raise ValueError(f"the heads are {', '.join(_HEADS)}, got {name!r}")
    if sentence not in range(4):
        raise ValueError(f"the sentences are 0 to 3, got {sentence!r}")
    if positions not in _POSITIONS:
        raise ValueError(f"positions are {', '.join(_POSITIONS)}, got {positions!r}")
    stored, index = _stored("minilm_sample"), _HEADS.index(name)
    layer, head = stored["heads"][index]
    if layer != 0 and positions != "own":
        raise ValueError(f"positions can be off or shifted in layer 0, and {name!r} is in layer {layer}")
    keys = [f"s{sentence}_H{layer}{_POSITIONS[positions]}"]
    keys += [f"L{layer}H{head}_{part}" for part in ("WQ", "bQ", "WK", "bK", "WV", "bV", "WO")]
    arrays = [stored[key].astype(np.float32) for key in keys]
    weights = stored[f"s{sentence}_expected"][index].astype(np.float32)
    return RealHead(text(f"examples.head_{name}"), stored[f"s{sentence}_tokens"].tolist(), *arrays, weights)


def approximation_error(name, visible):
    """Relative error ‖Ẑ − Z‖ / ‖Z‖ of a head's context when each query looks only where `visible(scores)` is True.

    name as in `real_head`; visible turns the scaled scores (n, n) into a Boolean mask (n, n). Frobenius norms over the
    rows of the sentence's own tokens; the mean of the four sentences. Above 1 where ‖Z‖ is small.
    """
    errors = []
    for sentence in range(4):
        head = real_head(name, sentence)
        Q, K, V = head.project()
        exact = scaled_dot_product_attention(Q, K, V)
        rough = scaled_dot_product_attention(Q, K, V, visible(exact.scores))
        Z, guess = exact.context[head.words], rough.context[head.words]
        errors.append(np.linalg.norm(guess - Z) / np.linalg.norm(Z))
    return float(np.mean(errors))


class Retrieval(NamedTuple):
    """A question and twelve snippets: query (384,) and keys (12, 384) of length 1, float32, no learned W.

    kinds: R relevant (7), I unrelated (3), H hard (2: close in words, not in topic).
    """

    question: str
    names: list
    kinds: np.ndarray
    texts: list
    query: np.ndarray
    keys: np.ndarray


def retrieval(model="minilm", question="en", snippets="en"):
    """The research assistant's search: a published encoder's embeddings of the question and of twelve snippets.

    model is "minilm" (all-MiniLM-L6-v2, English only) or "e5" (multilingual-e5-small, 4-bit build); question and
    snippets say which language was embedded. Question, names and texts are shown in the edition's language,
    whatever was embedded. Returns a Retrieval; ValueError for another model or language.
    """
    languages = {"minilm": ("en",), "e5": ("en", "zh")}
    if model not in languages:
        raise ValueError(f"the models are {', '.join(languages)}, got {model!r}")
    if {question, snippets} - set(languages[model]):
        raise ValueError(f"{model} embeds {', '.join(languages[model])}, got {question!r} and {snippets!r}")
    stored = _stored("embeddings_bilingual")
    query = np.atleast_2d(stored[f"{model}_q"])[languages[model].index(question)]
    return Retrieval(
        question=str(stored["questions"][("en", "zh").index(language())]),
        names=[text(f"examples.snippet_{name}") for name in _SNIPPETS],
        kinds=stored["labels"].astype("U1"),
        texts=stored[language()].tolist(),
        query=query.astype(np.float32),
        keys=stored[f"{model}_{snippets}"].astype(np.float32),
    )


# Card & Krueger 1994, Table 3: rows before, after, change; columns Pennsylvania, New Jersey, difference.
MEANS = ((23.33, 20.44, -2.89), (21.17, 21.03, -0.14), (-2.16, 0.59, 2.76))
ERRORS = ((1.35, 0.51, 1.44), (0.94, 0.52, 1.07), (1.25, 0.54, 1.36))


class MeansTable(NamedTuple):
    """means and errors (3, 3): rows before, after, change; columns Pennsylvania, New Jersey, difference. table: as printed."""

    means: np.ndarray
    errors: np.ndarray
    table: object


def card_krueger():
    """Mean full-time-equivalent employment per store, with standard errors, around New Jersey's rise of April 1992.

    Card & Krueger 1994, American Economic Review 84(4), 772–793, Table 3, rows 1–3, columns (i)–(iii), as printed: the
    last cell is 2.76, although its neighbours give 0.59 − (−2.16) = 2.75 (the authors' public data give 2.754). Returns a
    MeansTable; its table is a pandas DataFrame of "mean (error)" in the edition's words.
    """
    import pandas as pd  # here, so that panels do not wait for it

    means, errors = np.array(MEANS), np.array(ERRORS)
    cells = [
        [f"{m:.2f} ({e:.2f})".replace("-", "−") for m, e in zip(*row, strict=True)]
        for row in zip(means, errors, strict=True)
    ]
    rows = [text(f"examples.{name}") for name in ("before", "after", "change")]
    columns = [text(f"examples.{name}") for name in ("pennsylvania", "new_jersey", "difference")]
    columns = pd.Index(columns, name=text("examples.unit"))
    return MeansTable(means, errors, pd.DataFrame(cells, rows, columns))
