"""The stage: one widget that is given whole arrays once, then computes and draws in the browser.

The sliders' d_k, mask and length reach it without the kernel, so it answers at once and goes on
answering in a saved page. Its script is built from `src/`; see CONTRIBUTING.md.
"""

from pathlib import Path

import anywidget
from traitlets import Dict, Float, Int, List, Unicode

MASKS = ("none", "causal", "padding", "causal_padding", "window")
_HERE = Path(__file__).parent


class Stage(anywidget.AnyWidget):
    """A picture of attention over the first n tokens and the first d_k columns of the arrays it holds."""

    _esm = _HERE / "stage.js"
    _css = _HERE / "stage.css"

    view = Unicode("mask").tag(sync=True)
    arrays = Dict().tag(sync=True)  # H, W_Q, W_K, W_V as lists of rows
    tokens = List(Unicode()).tag(sync=True)
    words = Dict().tag(sync=True)
    labels = List(Unicode()).tag(sync=True)  # names of the sliders, in their order
    widths = List(Int()).tag(sync=True)  # the values d_k can take
    d_k = Int(0).tag(sync=True)  # index into widths
    mask = Int(0).tag(sync=True)  # index into MASKS
    n = Int(4).tag(sync=True)
    query = Int(1).tag(sync=True)  # position, counted from 1
    key = Int(1).tag(sync=True)  # panel 2: position of the key, counted from 1
    temperature = Int(3).tag(sync=True)  # panel 4: index into the temperatures
    heads = Int(1).tag(sync=True)  # panel 6
    data = Dict().tag(sync=True)  # panel 3: histograms and scores for every d_k
    stop = Float(1).tag(sync=True)  # Mechanism Lab: where it opens, 1 to 9
