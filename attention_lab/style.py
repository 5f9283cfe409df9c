"""How the course looks in print: the edition's words, fonts, colours and rounding, in one place."""

import logging
import math
from pathlib import Path

import numpy as np
import pandas

from . import wording

# On its first start matplotlib may log that it builds a font cache or has no folder for one.
# A learner can do nothing about either, so only warnings that come after this import are shown.
_log = logging.getLogger("matplotlib")
_level = _log.level
_log.setLevel(logging.ERROR)
import matplotlib  # noqa: E402
from cycler import cycler  # noqa: E402
from matplotlib import font_manager  # noqa: E402
from matplotlib.colors import ListedColormap, to_rgb  # noqa: E402

_log.setLevel(_level)

# Role colours are for lines, marks and letters, value colours (SIGNED, WEIGHTS) for fills: never mixed.
PAPER, INK, MUTED, BORDER, GRID = "#ffffff", "#1b1f24", "#57606a", "#8c959f", "#e1e5ea"
BAND, HATCH, HATCH_GROUND = "#e3edfb", "#6b7480", "#eef0f2"
ROLES = {"Q": "#1f66d6", "K": "#b8450f", "V": "#6d1f73"}
# Curves and bars are told apart by marker, dashes and hatch as well: (colour, marker, dashes, hatch).
SERIES = [
    (ROLES["Q"], "o", "-", ""),
    (ROLES["K"], "s", (0, (6, 2.5)), "///"),
    (ROLES["V"], "D", (0, (1.2, 1.5)), "..."),
    (INK, "^", (0, (7, 2, 1.5, 2)), "xx"),
    (MUTED, "v", (0, (3, 1.5)), "--"),
    ("#25462b", "P", (0, (1, 3)), "\\\\"),
]

# OKLab (Ottosson 2020, "A perceptual color space for image processing"): linear sRGB -> cones -> Lab.
_CONES = np.array(
    [
        [0.41222147, 0.53633254, 0.05144599],
        [0.2119035, 0.6806995, 0.10739696],
        [0.08830246, 0.28171884, 0.6299787],
    ]
)
_LAB = np.array(
    [
        [0.21045426, 0.79361779, -0.00407205],
        [1.9779985, -2.4285922, 0.4505937],
        [0.02590404, 0.78277177, -0.80867577],
    ]
)


def _linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def oklab(colours):
    """OKLab coordinates (k, 3) of k colours: their distance is how different they look (0 to about 1)."""
    rgb = np.array([to_rgb(colour) for colour in colours])
    return np.cbrt(_linear(rgb) @ _CONES.T) @ _LAB.T


def _map(name, *anchors):
    """A colour map through evenly spaced anchors, blended in OKLab; 41 steps, which a palette can keep."""
    lab, place = oklab(anchors), np.linspace(0, len(anchors) - 1, 41)
    blended = np.stack([np.interp(place, range(len(anchors)), axis) for axis in lab.T], axis=-1)
    linear = ((blended @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_CONES).T).clip(0, 1)
    rgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return ListedColormap(np.round(rgb * 255) / 255, name=name)


SIGNED = _map("signed", "#3f968e", "#abd2cd", "#faf9f6", "#f6dba4", "#e4ab3f")  # − teal, 0 paper, + gold
WEIGHTS = _map("weights", "#ffffff", "#ccd5e0", "#8f9fb5", "#52657f", "#1f2f47")  # 0 paper, 1 dark


def contrast(a, b):
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    light = [0.05 + _linear(np.array(to_rgb(colour))) @ [0.2126, 0.7152, 0.0722] for colour in (a, b)]
    return max(light) / min(light)


def ink_on(colour):
    """Black or white, whichever is read better on the colour: always at least 4.58 : 1."""
    return max("#000000", "#ffffff", key=lambda ink: contrast(ink, colour))


def number(value, digits=2):
    """A number as pictures show it: fixed digits, a real minus sign, never −0.00; −∞, ∞ and NaN by name.

    Exact halves round away from zero, so that float noise never decides a printed digit.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    shown = f"{abs(value) + 1e-9:.{digits}f}"
    return "−" + shown if value < 0 and float(shown) else shown


def _table_number(value):
    """As pandas itself spaces numbers: a place for the sign, so that columns stand two apart."""
    return number(value, 3).replace("−", "-").rjust(6)


# The shipped font is found by its files and named by what they say, never by a guess.
_files = sorted((Path(__file__).parent / "data").glob("chinese-*.otf"))
for _file in _files:
    font_manager.fontManager.addfont(_file)
CHINESE = font_manager.FontProperties(fname=_files[0]).get_name()
# It holds the course's characters; other Chinese that a learner types is drawn by one of these, if installed.
_others = ["PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei"]
_installed = [name for name in _others if name in font_manager.get_font_names()]
FONTS = {"en": ["DejaVu Sans", CHINESE, *_installed], "zh": [CHINESE, "DejaVu Sans", *_installed]}


def setup(language):
    """Choose the edition, "en" or "zh", and how numbers, tables and pictures are shown. Silent.

    Call it once, first; call it again to change the edition. ValueError for any other language.
    """
    wording.use(language)
    np.set_printoptions(precision=3, suppress=True)
    pandas.set_option("display.float_format", _table_number)
    colours, markers, dashes, _ = zip(*SERIES, strict=True)
    matplotlib.rcParams.update(
        {
            "font.family": FONTS[language],  # tried in this order, glyph by glyph
            "font.size": 12,
            "mathtext.fontset": "stix",
            "axes.unicode_minus": True,
            "figure.figsize": (8.75, 4.2),
            "figure.dpi": 96,
            "figure.facecolor": PAPER,
            "savefig.facecolor": PAPER,
            "axes.facecolor": PAPER,
            "axes.edgecolor": BORDER,
            "axes.labelcolor": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "axes.prop_cycle": cycler(color=colours) + cycler(marker=markers) + cycler(linestyle=dashes),
            "grid.color": GRID,
            "xtick.color": BORDER,
            "ytick.color": BORDER,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "text.color": INK,
            "lines.linewidth": 2.2,
            "lines.markersize": 7,
            "hatch.linewidth": 1.2,
        }
    )
