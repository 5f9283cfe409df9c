"""The control panel: the course's three sliders and a query, linked in the browser to the stage."""

import numpy as np
from IPython import get_ipython
from ipywidgets import HBox, IntSlider, Layout, SelectionSlider, VBox, jslink

from . import examples, plots
from .attention import attention_scores, multi_head_attention, self_attention, softmax
from .masks import causal_mask, padding_mask, window_mask
from .stage import MASKS, Stage
from .wording import section, sentences, text

WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # the steps of the d_k slider
TEMPERATURES = (0.1, 0.2, 0.5, 1, 2, 5, 10)
WINDOW = 3
_made = {}  # cell id -> (execution, widgets): running a cell again closes what it made before


def visibility(mask, n):
    """Boolean (n, n), True = may look, for one of the panel's masks; padding hides the last max(1, n // 4)."""
    padding = padding_mask(n - max(1, n // 4), n)
    everything = np.ones((n, n), dtype=bool)
    return {
        "none": everything,
        "causal": causal_mask(n),
        "padding": everything & padding,
        "causal_padding": causal_mask(n) & padding,
        "window": window_mask(n, WINDOW),
    }[mask]


def _slider(name, start, low, high, width):
    style = {"description_width": "initial"}
    return IntSlider(start, low, high, description=name, style=style, layout=Layout(width=f"{width}px"))


def _choice(name, options, start, width):
    style, layout = {"description_width": "initial"}, Layout(width=f"{width}px")
    return SelectionSlider(
        options=options,
        value=start,
        description=name,
        description_allow_html=True,
        style=style,
        layout=layout,
    )


class Panel(VBox):
    """Sliders `d_k`, `mask`, `n` and `query` above the stage, and a view's `own`; each an ordinary ipywidget.

    Where no widget can live (GitHub, nbviewer, a PDF) it shows a picture of its starting settings.
    """

    def __init__(self, view, example, controls=(), stop=1):
        words = section("panel")
        tokens, most = list(example.tokens), example.W_Q.shape[1]
        data = examples.spread() if view == "spread" else {}
        widths = data["widths"] if data else [w for w in WIDTHS if w < most] + [most]
        n, d_k = min(4, len(tokens)), 64 if data else 4 if 4 in widths else widths[-1]
        self.d_k = _choice("d_k", [(str(w), w) for w in widths], d_k, 150)
        self.mask = _choice(words["mask"], [(words[f"mask_{mask}"], mask) for mask in MASKS], "causal", 290)
        self.n = _slider(words["n"], n, 2, len(tokens), 210)
        self.query = _slider(words["query"], min(3, n), 1, len(tokens), 170)
        self.own = {
            "scores": lambda: _slider(words["key"], 2, 1, len(tokens), 160),
            "row": lambda: _choice(words["temperature"], [(f"{t:g}", t) for t in TEMPERATURES], 1, 180),
            "heads": lambda: _slider(words["heads"], min(2, most // d_k), 1, min(4, most), 160),
        }.get(view, lambda: None)()
        name = {"scores": "key", "row": "temperature", "heads": "heads"}.get(view)
        own = [self.own] if self.own else []
        arrays = {key: a for key, a in example._asdict().items() if key != "tokens"}
        if view == "heads":
            arrays["W_O"] = examples.output_weights(most, example.H.shape[1])
        self.stage = Stage(
            view=view,
            arrays={key: a.tolist() for key, a in arrays.items()},
            data=data,
            tokens=tokens,
            words=section("stage"),
            labels=["d_k", words["mask"], words["n"], words["query"], *([words[name]] if name else [])],
            widths=widths,
            d_k=self.d_k.index,
            mask=self.mask.index,
            n=n,
            query=self.query.value,
            stop=stop,
            **({name: self.own.index if name == "temperature" else self.own.value} if name else {}),
        )
        links = [
            jslink((self.d_k, "index"), (self.stage, "d_k")),
            jslink((self.mask, "index"), (self.stage, "mask")),
            jslink((self.n, "value"), (self.stage, "n")),
            jslink((self.query, "value"), (self.stage, "query")),
        ]
        if name:
            links.append(
                jslink((self.own, "index" if name == "temperature" else "value"), (self.stage, name))
            )
        sliders = [self.d_k, self.mask, self.n, self.query, *own, *controls]
        row = HBox(sliders)
        row.add_class("al-controls")
        super().__init__([row, self.stage])
        self.add_class("al-panel")
        self._example = example
        self._parts = [*sliders, *links, row, self.stage]
        _keep_one(self)

    def settings(self):
        """What the sliders say: a dict d_k, mask, n, query (a position counted from 1), and own if there is one."""
        names = ("d_k", "mask", "n", "query", *(["own"] if self.own else []))
        return {name: getattr(self, name).value for name in names}

    def close(self):
        """Close the panel and everything it is made of."""
        for part in self._parts:
            for closable in {part, getattr(part, "layout", None), getattr(part, "style", None)} - {None}:
                closable.close()
        self.layout.close()
        super().close()

    def picture(self):
        """A still picture of the present settings, with alternative text."""
        return _STILLS[self.stage.view](self._example, **self.settings())

    def _repr_mimebundle_(self, **kwargs):
        live = super()._repr_mimebundle_(**kwargs)
        still = self.picture()._repr_mimebundle_()
        note = text("panel.static_lab" if self.stage.view == "lab" else "panel.static")
        still["text/html"] = still["text/html"].replace(
            "</figure>", f"<figcaption>{note}</figcaption></figure>"
        )
        still["text/plain"] = sentences(still["text/plain"], note)
        return {**live, **still}


def _cut(example, d_k, n):
    """Tokens, H and the three W for the first n tokens and the first d_k columns."""
    return example.tokens[:n], example.H[:n], *(W[:, :d_k] for W in (example.W_Q, example.W_K, example.W_V))


def _still_projections(example, d_k, mask, n, query):
    tokens, H, W_Q, W_K, W_V = _cut(example, d_k, n)
    return plots.heatmaps(tokens, H=H, Q=H @ W_Q, K=H @ W_K, V=H @ W_V)


def _still_scores(example, d_k, mask, n, query, own):
    tokens, H, W_Q, W_K, _ = _cut(example, d_k, n)
    Q, K = H @ W_Q, H @ W_K
    return plots.heatmaps(tokens, Q=Q, K=K, scores=attention_scores(Q, K))


def _still_spread(example, d_k, mask, n, query):
    data = examples.spread()
    row = np.array(data["scores"][data["widths"].index(d_k)])[query - 1, :n]
    seen = np.where(visibility(mask, n)[query - 1], row, -np.inf)
    return plots.bars(
        example.tokens[:n],
        weights_unscaled=softmax(seen),
        weights_scaled=softmax(seen / d_k**0.5),
        weights_by_d_k=softmax(seen / d_k),
    )


def _still_row(example, d_k, mask, n, query, own):
    tokens, H, W_Q, W_K, W_V = _cut(example, d_k, n)
    visible = visibility(mask, n)
    z = self_attention(H, W_Q / own, W_K, W_V, visible).context[query - 1]
    two = np.zeros((n, 2))
    two[:, : min(2, d_k)] = (H @ W_V)[:, :2]
    seen = visible[query - 1]
    return plots.hull(two[seen], [t for t, s in zip(tokens, seen, strict=True) if s], z=np.append(z, 0)[:2])


def _still_mask(example, d_k, mask, n, query):
    tokens, H, W_Q, W_K, W_V = _cut(example, d_k, n)
    visible = visibility(mask, n)
    result = self_attention(H, W_Q, W_K, W_V, visible)
    return plots.attention_picture(
        tokens, result.weights, H @ W_V, result.context, visible, query - 1, mask=mask
    )


def _still_heads(example, d_k, mask, n, query, own):
    tokens, H, *Ws = _cut(example, d_k * own, n)
    visible = visibility(mask, n)
    weights = multi_head_attention(H, *Ws, np.eye(d_k * own), own, visible).weights
    return plots.heatmaps(
        tokens, tokens, ~visible, **{f"weights_head_{h + 1}": A for h, A in enumerate(weights)}
    )


_STILLS = {
    "projections": _still_projections,
    "scores": _still_scores,
    "spread": _still_spread,
    "row": _still_row,
    "mask": _still_mask,
    "heads": _still_heads,
    "lab": _still_mask,
}
_VIEWS = dict(zip(range(1, 7), _STILLS, strict=False))


def panel(step, *, arrays=None, controls=()):
    """The control panel of notebook `step`.

    Parameters
    ----------
    step : 1 projections, 2 scores, 3 scaling, 4 softmax, 5 masked weighted sum, 6 heads.
    arrays : a named tuple (tokens, H, W_Q, W_K, W_V) with H (n, d_model) and W_Q, W_K, W_V (d_model, d_k),
        2 to 16 tokens, d_k up to 64; by default the lesson's example with 16 tokens. The sliders take the
        first n rows of H and the first d_k columns of each W. Step 3 draws its own scores and takes tokens only.
    controls : ipywidgets to put beside the sliders.

    Returns a Panel, to be shown by the notebook. ValueError for a step without a panel or for arrays whose
    shapes do not fit each other.
    """
    if step not in _VIEWS:
        raise ValueError(f"panel(step) has a panel for step 1 to 6, got {step!r}")
    return Panel(_VIEWS[step], example(arrays), tuple(controls))


def example(arrays):
    """The arrays a panel shows: the lesson's by default, the learner's if they fit each other."""
    return examples.lesson(16, 64) if arrays is None else _checked(arrays)


def _checked(arrays):
    missing = [name for name in examples.Example._fields if not hasattr(arrays, name)]
    if missing:
        raise ValueError(f"arrays needs tokens, H, W_Q, W_K and W_V; {', '.join(missing)} is missing")
    tokens = [str(token) for token in arrays.tokens]
    H, W_Q, W_K, W_V = (np.asarray(getattr(arrays, name), dtype=float) for name in ("H", "W_Q", "W_K", "W_V"))
    if not 2 <= len(tokens) <= 16:
        raise ValueError(f"a panel shows 2 to 16 tokens, got {len(tokens)}")
    if H.ndim != 2 or len(H) != len(tokens) or H.shape[1] == 0:
        raise ValueError(f"H has one row per token: {len(tokens)} tokens, H of shape {H.shape}")
    shape = W_Q.shape
    if W_K.shape != shape or W_V.shape != shape or len(shape) != 2 or shape[0] != H.shape[1]:
        raise ValueError(
            f"W_Q, W_K and W_V need one shape (d_model = {H.shape[1]}, d_k), "
            f"got {W_Q.shape}, {W_K.shape} and {W_V.shape}"
        )
    if not 1 <= shape[1] <= 64:
        raise ValueError(f"a panel shows d_k from 1 to 64, got {shape[1]}")
    if not all(np.isfinite(a).all() for a in (H, W_Q, W_K, W_V)):
        raise ValueError("a panel shows finite numbers: H, W_Q, W_K or W_V has NaN or infinity")
    return examples.Example(tokens, H, W_Q, W_K, W_V)


def _keep_one(widget):
    """Remember which cell made the widget; if an earlier run of that cell made one, close it."""
    shell = get_ipython()
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = parent.get("metadata", {}).get("cellId")
    if cell is None:
        return
    run = parent["header"]["msg_id"]
    earlier, widgets = _made.get(cell, (run, []))
    if earlier != run:
        for old in widgets:
            old.close()
        widgets = []
    _made[cell] = (run, [*widgets, widget])
