"""What every picture shares: a figure that shows itself with alternative text, and the names of things."""

import base64
import io
import re
from html import escape

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from PIL import Image

from . import style, wording
from .style import number
from .wording import text

WIDTH = 820  # CSS pixels, 96 an inch, as everywhere: fits JupyterLab beside its sidebar in a window of 1280
SIDE = 14  # margin at the sides
LABEL, NUMBER = 11, 12  # type sizes in points; 11 is what the last row of a room can read
ZERO = 1e-9  # below this, what is left of a zero after float arithmetic

if style.CHINESE not in matplotlib.rcParams["font.family"]:  # a picture before setup(): its fonts and colours
    style.setup(wording.language())


class Picture(Figure):
    """A matplotlib figure of fixed size, in CSS pixels, that shows itself with its alternative text `alt`."""

    def __init__(self, width, height, alt=""):
        size = np.ceil((width, height)) / 96
        super().__init__(figsize=size, dpi=96, facecolor=style.PAPER)
        FigureCanvasAgg(self)
        self.alt = alt

    def sheet(self):
        """An invisible plane over the whole figure: one unit is one CSS pixel, y runs down."""
        width, height = self.get_size_inches() * 96
        plane = self.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0), autoscale_on=False)
        plane.set_axis_off()
        return plane

    def plane(self, left, top, right, bottom):
        """Axes between margins in CSS pixels."""
        width, height = self.get_size_inches() * 96
        box = (left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height)
        axes = self.add_axes(box)
        axes.tick_params(labelsize=LABEL, length=4)
        return axes

    def measure(self, words, size=LABEL, weight="normal", math=False):
        """Width of a text in CSS pixels."""
        font = FontProperties(size=size, weight=weight)
        return self.canvas.get_renderer().get_text_width_height_descent(words, font, math)[0]

    def clip(self, words, room, weight="normal"):
        """A label, shortened with … until it fits the room."""
        kept = words
        while kept and self.measure(words, LABEL, weight) > room:
            kept = kept[:-1]
            words = kept.rstrip() + "…"
        return words

    def png(self):
        """The figure as a palette PNG (bytes), 1.5 pixels to a CSS pixel: sharp on a projector, and small."""
        drawn, small = io.BytesIO(), io.BytesIO()
        self.savefig(drawn, format="png", dpi=144)
        _with_palette(Image.open(drawn).convert("RGB")).save(small, "png", optimize=True)
        return small.getvalue()

    def __repr__(self):
        return text("plots.figure", alt=self.alt)

    __str__ = __repr__

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, width = base64.b64encode(self.png()).decode("ascii"), f"{self.get_figwidth() * 96:.0f}"
        image = f'<img alt="{escape(self.alt)}" width="{width}" src="data:image/png;base64,{data}">'
        html = f'<figure style="margin: 0">{image}</figure>'
        return {"text/plain": repr(self), "text/html": html, "image/png": data}


def _with_palette(image):
    """The image in 112 colours: all of the style's, exactly, and the most frequent edges of text."""
    named = [style.PAPER, style.INK, style.MUTED, style.GRID, style.BAND, style.HATCH, style.HATCH_GROUND]
    fixed = [to_rgb(c) for c in [*named, *style.ROLES.values(), *style.SIGNED.colors, *style.WEIGHTS.colors]]
    pack = np.array([65536, 256, 1])
    fixed = np.round(np.multiply(fixed, 255)).astype(int) @ pack
    seen, where, counts = np.unique(np.asarray(image) @ pack, return_inverse=True, return_counts=True)
    kept = np.array([*dict.fromkeys([*fixed, *seen[np.argsort(-counts, kind="stable")]])][:112])
    seen, kept = (np.stack([c >> 16, c >> 8 & 255, c & 255], axis=-1) for c in (seen, kept))
    nearest = ((seen[:, None] - kept) ** 2).sum(axis=-1).argmin(axis=1).astype(np.uint8)
    reduced = Image.fromarray(nearest[where].reshape(image.height, image.width))
    reduced.putpalette(kept.ravel().tolist())
    return reduced


def line(sheet, points, colour, width=1.4, dashes="-"):
    """A plain line through points of a sheet."""
    x, y = zip(*points, strict=True)
    sheet.add_line(Line2D(x, y, color=colour, linewidth=width, linestyle=dashes, marker=""))


def pieces(name):
    """The words of a name, longest known part first: "weights_head_2_causal" -> weights, head 2, causal mask.

    Every word is a key "name.…" of the wording's section "plots". ValueError for a part that is not.
    """
    known = {key[5:]: words for key, words in wording.section("plots").items() if key.startswith("name.")}
    found, parts = [], name.split("_")
    while parts:
        heads = ["_".join(parts[:end]) for end in range(len(parts), 0, -1)]
        head = next((head for head in heads if head in known), None)
        if head:
            found.append(known[head])
        elif found and re.fullmatch(r"\d+(\.\d+)?", parts[0]):
            head, found[-1] = parts[0], text("plots.numbered", name=found[-1], k=parts[0])
        else:
            raise ValueError(
                f"no words for “{'_'.join(parts)}” in “{name}”; known, to be joined by _: {', '.join(known)}"
            )
        parts = parts[head.count("_") + 1 :]
    return found


def words(*names):
    """The edition's words for names, a list: labels for `bars`, rows for `heatmaps`, columns of a table."""
    return [text("plots.comma").join(pieces(name)) for name in names]


def typeset(label):
    """Words with d_k, d_model and √d_k set as mathematics, for matplotlib."""
    return re.sub(
        r"(√?)\bd_(\w+)",
        lambda found: rf"$\sqrt{{d_{{{found[2]}}}}}$" if found[1] else f"$d_{{{found[2]}}}$",
        label.replace("$", r"\$"),
    )


def spoken(value, digits=2):
    """A number for alternative text, where a screen reader may pass over a minus sign: minus 0.29."""
    return number(value, digits).replace("−", text("plots.minus"))


def brief(value):
    """A number with two figures, or a whole one, for alternative text; float noise is only called small."""
    if 0 < abs(value) < ZERO:
        return text("plots.tiny")
    if not np.isfinite(value) or value == np.round(value) and abs(value) < 1e6:
        return spoken(value, 0)
    places = 1 - int(np.floor(np.log10(abs(value))))
    shown = spoken(round(value * (1 + ZERO), places), max(places, 0))
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def nice(size):
    """The smallest 1, 2 or 5 × 10^k that is not below a positive size."""
    ten = 10.0 ** np.floor(np.log10(size))
    return float(next(f"{step * ten:.0e}" for step in (1, 2, 5, 10) if step * ten >= size * (1 - ZERO)))
