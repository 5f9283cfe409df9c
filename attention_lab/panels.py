"""The control panel: the course's three sliders and a query, linked in the browser to the stage."""

import numpy as np
from IPython import get_ipython
from ipywidgets import HBox, IntSlider, Layout, SelectionSlider, VBox, jsdlink, jslink

from . import examples, plots
from .attention import self_attention
from .masks import causal_mask, padding_mask, window_mask
from .stage import MASKS, Stage
from .wording import section, text

WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # the steps of the d_k slider
WINDOW = 3
_VIEWS = {5: "mask"}
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


class Panel(VBox):
    """Sliders `d_k`, `mask`, `n` and `query` above the stage. Each is an ordinary ipywidget to observe.

    Where no widget can live (GitHub, nbviewer, a PDF) it shows a picture of its starting settings.
    """

    def __init__(self, view, example, controls=()):
        words = section("panel")
        tokens, widths = list(example.tokens), _widths(example.W_Q.shape[1])
        style = {"description_width": "initial"}
        self.d_k = SelectionSlider(
            options=[(str(w), w) for w in widths],
            value=4 if 4 in widths else widths[-1],
            description="<i>d<sub>k</sub></i>",
            description_allow_html=True,
            style=style,
            layout=Layout(width="190px"),
        )
        self.mask = SelectionSlider(
            options=[(words[f"mask_{mask}"], mask) for mask in MASKS],
            value="causal",
            description=words["mask"],
            style=style,
            layout=Layout(width="290px"),
        )
        n = min(4, len(tokens))
        self.n = IntSlider(
            n, 2, len(tokens), description=words["n"], style=style, layout=Layout(width="230px")
        )
        self.query = IntSlider(
            min(3, n), 1, n, description=words["query"], style=style, layout=Layout(width="190px")
        )
        self.stage = Stage(
            view=view,
            arrays={name: getattr(example, name).tolist() for name in ("H", "W_Q", "W_K", "W_V")},
            tokens=tokens,
            words=section("stage"),
            labels=["d_k", words["mask"], words["n"], words["query"]],
            widths=widths,
            d_k=self.d_k.index,
            mask=self.mask.index,
            n=n,
            query=self.query.value,
        )
        sliders = [self.d_k, self.mask, self.n, self.query]
        links = [
            jslink((self.d_k, "index"), (self.stage, "d_k")),
            jslink((self.mask, "index"), (self.stage, "mask")),
            jslink((self.n, "value"), (self.stage, "n")),
            jsdlink((self.n, "value"), (self.query, "max")),
            jslink((self.query, "value"), (self.stage, "query")),
        ]
        row = HBox([*sliders, *controls])
        row.add_class("al-controls")
        super().__init__([row, self.stage])
        self.add_class("al-panel")
        self._example = example
        self._parts = [*sliders, *links, *controls, row, self.stage]
        _keep_one(self)

    def settings(self):
        """What the sliders say: a dict d_k, mask, n, query (a position counted from 1)."""
        return {name: getattr(self, name).value for name in ("d_k", "mask", "n", "query")}

    def close(self):
        """Close the panel and everything it is made of."""
        for part in self._parts:
            for closable in {part, getattr(part, "layout", None), getattr(part, "style", None)} - {None}:
                closable.close()
        self.layout.close()
        super().close()

    def picture(self):
        """A still picture of the present settings, with alternative text."""
        s = self.settings()
        H, W_Q, W_K, W_V = (np.asarray(a) for a in self._example[1:])
        H, (W_Q, W_K, W_V) = H[: s["n"]], (W[:, : s["d_k"]] for W in (W_Q, W_K, W_V))
        visible = visibility(s["mask"], s["n"])
        result = self_attention(H, W_Q, W_K, W_V, visible)
        return plots.attention_picture(
            self._example.tokens[: s["n"]],
            result.weights,
            H @ W_V,
            result.context,
            visible,
            s["query"] - 1,
            mask=s["mask"],
        )

    def _repr_mimebundle_(self, **kwargs):
        live = super()._repr_mimebundle_(**kwargs)
        still = self.picture()._repr_mimebundle_()
        note = text("panel.static")
        still["text/html"] = still["text/html"].replace(
            "</figure>", f"<figcaption>{note}</figcaption></figure>"
        )
        still["text/plain"] = f"{still['text/plain']} {note}"
        return {**live, **still}


def panel(step, *, arrays=None, controls=()):
    """The control panel of notebook `step`.

    Parameters
    ----------
    step : int, the notebook's number.
    arrays : a named tuple (tokens, H, W_Q, W_K, W_V) with H (n, d_model) and W_Q, W_K, W_V (d_model, d_k),
        2 to 16 tokens, d_k up to 64; by default the lesson's example with 16 tokens. The sliders take the
        first n rows of H and the first d_k columns of each W.
    controls : ipywidgets to put beside the sliders.

    Returns a Panel, to be shown by the notebook. ValueError for a step without a panel or for arrays whose
    shapes do not fit each other.
    """
    if step not in _VIEWS:
        raise ValueError(f"panel(step) has a panel for step {', '.join(map(str, _VIEWS))}, got {step!r}")
    example = examples.lesson(16, 64) if arrays is None else _checked(arrays)
    return Panel(_VIEWS[step], example, tuple(controls))


def _widths(d_k):
    return [w for w in WIDTHS if w < d_k] + [d_k]


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
