"""Pictures for print: arrays in, a figure out. Nothing here computes attention, and pyplot is never used.

The keyword that carries an array also names it, `heatmaps(tokens, weights=A, scores=S)`: names are keys of
the wording, so that a cell holds no words to translate. They can be joined: weights_causal, loss_d_k_64.
Every figure is a `Picture`: as the last value of a cell it shows itself, with an alternative text.
"""

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogFormatterMathtext, NullFormatter

from . import style
from .matrices import attention_picture, heatmaps
from .picture import LABEL, NUMBER, SIDE, WIDTH, ZERO, Picture, brief, line, nice, spoken, typeset, words
from .style import INK, MUTED, number
from .wording import sentences, text

__all__ = ["attention_picture", "bars", "heatmaps", "histogram", "hull", "lines", "words"]


def _series(series, length, what):
    """[(words, values, (colour, marker, dashes, hatch))] of named series; a single number is a level."""
    if not 1 <= len(series) <= len(style.SERIES):
        raise ValueError(f"{what} takes 1 to {len(style.SERIES)} named series, got {len(series)}")
    result, looks = [], iter(style.SERIES)
    for name, values in series.items():
        values = np.asarray(values, dtype=float)
        if values.shape not in ((), (length,)):
            raise ValueError(
                f"{name} has shape {values.shape}; {what} needs {length} numbers or a single one"
            )
        look = next(looks) if values.ndim else (MUTED, "", "-", "")
        result.append((words(name)[0], np.broadcast_to(values, length), look))
    return result


# ── Curves ─────────────────────────────────────────────────────────────────────────────────────────────────


def lines(x, across, up, *, log="", trained=False, **series):
    """Curves over x, with markers, dashes and names at their ends: `lines(d_k, "d_k", "loss", measured=y)`.

    x: n numbers. across, up: names of the two axes in the wording. log: "", "x", "y" or "xy". series: n
    numbers each, or a single number for a level; at most six, named in the wording. A linear axis of
    values that are never negative starts at 0. trained: the alternative text says how curves run but no
    values, which differ between machines. Returns a Picture; ValueError for shapes or names that do not
    fit.
    """
    x = np.asarray(x, dtype=float)
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"lines needs a row of numbers x, got shape {x.shape}")
    curves = _series(series, x.size, "lines")
    across, up = words(across, up)
    alt = text("plots.alt_lines", across=across, up=up, low=brief(x.min()), high=brief(x.max()))
    said = [alt, *(_line_alt(name, y, trained) for name, y, _ in curves)]
    picture = Picture(WIDTH, 400, sentences(*said))
    room = max(picture.measure(typeset(name), NUMBER, math=True) for name, *_ in curves) + 44
    axes = picture.plane(84, 44, room, 58)
    for _, y, (colour, marker, dashes, _) in curves:
        looks = {"color": colour, "marker": marker, "linestyle": dashes, "linewidth": 2.2 if marker else 1.4}
        axes.plot(x, y, markevery=-(-x.size // 16), **looks)
    values = np.concatenate([y[np.isfinite(y)] for _, y, _ in curves])
    if "x" in log:
        axes.set_xscale("log")
        _log_ticks(axes.xaxis, x)
    if "y" in log:
        axes.set_yscale("log")
        _log_ticks(axes.yaxis, values[values > 0])
    elif values.size and values.min() >= 0:
        axes.set_ylim(0, max(values.max(), ZERO) * 1.06)
    axes.set_xlabel(typeset(across), size=NUMBER)
    axes.autoscale_view()
    sheet = picture.sheet()
    sheet.text(SIDE, 24, typeset(up), size=NUMBER, weight="bold")
    _end_labels(sheet, axes, x, curves, WIDTH - room + 12)
    return picture


def _log_ticks(axis, points):
    """Name the points if they are powers of two, else decades: in plain figures where those are short."""
    low, high = axis.get_view_interval()
    if len(points) > 1 and np.all(np.log2(points) % 1 == 0):
        axis.set_major_locator(FixedLocator(points[:: -(-len(points) // 9)]))
    short = 1e-3 <= low and high <= 2e4
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:g}") if short else LogFormatterMathtext()
    )
    axis.set_minor_formatter(NullFormatter())


def _end_labels(sheet, axes, x, curves, left):
    """Name every curve where it ends, with a thin line from its last point; names keep 22 pixels apart."""
    ends = []
    for name, y, (colour, *_) in curves:
        known = np.flatnonzero(np.isfinite(y))
        if known.size:
            end, height = axes.transData.transform((x[known[-1]], y[known[-1]]))
            ends.append([end, 400 - height, typeset(name), colour])
    ends.sort(key=lambda end: end[1])
    places = [height for _, height, *_ in ends]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + 22)
    for i in range(len(places)):  # back up from the foot of the axes
        places[-1 - i] = min(places[-1 - i], 342 - 22 * i)
    for (end, height, name, colour), place in zip(ends, places, strict=True):
        line(sheet, [(end + 6, height), (left, place)], colour, 0.8)
        sheet.text(left + 4, place, name, color=colour, size=NUMBER, va="center_baseline")


def _line_alt(name, y, trained):
    """How a curve runs, in a sentence: from where to where, and between which values."""
    y = y[np.isfinite(y)]
    if y.size == 0:
        return text("plots.alt_no_values", name=name)
    level = np.ptp(y) <= ZERO * np.abs(y).max()
    if trained:
        course = "level" if level else "rises" if y[-1] > y[0] else "falls"
        return text(f"plots.alt_{course}", name=name)
    if level:
        return text("plots.alt_constant", name=name, value=brief(y[0]))
    first, last, low, high = map(brief, (y[0], y[-1], y.min(), y.max()))
    if {low, high} == {first, last}:
        return text("plots.alt_line", name=name, first=first, last=last)
    return text("plots.alt_line_between", name=name, first=first, last=last, low=low, high=high)


# ── Bars ───────────────────────────────────────────────────────────────────────────────────────────────────


def bars(labels, *, trained=False, **series):
    """Bars from zero with their numbers, grouped under each label: `bars(tokens, weight=a, ablation=b)`.

    labels: n strings, shown as they are (`words` gives the edition's). series: n numbers each, at most
    six, named in the wording; each has its own colour and hatch. The axis ends at 1 for shares above 0.2,
    else at a 1, 2 or
    5 × 10^k. trained: the alternative text names no values, which differ between machines. Returns a Picture;
    ValueError for shapes or names that do not fit.
    """
    labels = [str(label) for label in labels]
    if not labels:
        raise ValueError("bars needs at least one label")
    groups = _series(series, len(labels), "bars")
    values = np.array([values for _, values, _ in groups])
    low, high, decimals = _bar_axis(values[np.isfinite(values)])
    said = [[number(value, decimals) for value in row] for row in values]
    step = 20 * len(groups) + 14
    bottom = 52 + step * len(labels)
    picture = Picture(WIDTH, bottom + 44, _bars_alt(labels, groups, values, decimals, trained))
    sheet = picture.sheet()
    room = max(picture.measure(words) for row in said for words in row) + 10
    names = SIDE + min(300, max(map(picture.measure, labels)))
    start, end = names + 14 + (room if low else 0), WIDTH - SIDE - room

    def place(value):
        return start + (value - low) / (high - low) * (end - start)

    parts = 5 if f"{high:e}"[0] == "5" else 4
    for tick in np.linspace(low, high, (2 if low else 1) * parts + 1):
        line(sheet, [(place(tick), 46), (place(tick), bottom)], style.GRID, 0.8)
        sheet.text(
            place(tick), bottom + 20, f"{tick:g}".replace("-", "−"), size=LABEL, color=MUTED, ha="center"
        )
    line(sheet, [(place(0), 46), (place(0), bottom)], INK, 1.2)
    for i, label in enumerate(labels):
        middle = 52 + i * step + 10
        looks = {"size": LABEL, "va": "center_baseline"}
        place_of_name = middle + 10 * (len(groups) - 1)
        sheet.text(names, place_of_name, picture.clip(label, 300), ha="right", parse_math=False, **looks)
        for k, (_, _, (colour, _, _, hatch)) in enumerate(groups):
            value, y = np.nan_to_num(values[k, i]), middle + 20 * k
            _bar(sheet, place(0), y, place(value) - place(0), colour, hatch)
            beside, side = (place(value) - 6, "right") if value < 0 else (place(value) + 6, "left")
            sheet.text(beside, y, said[k][i], ha=side, **looks)
    x = SIDE
    for name, _, (colour, _, _, hatch) in groups:
        if len(groups) > 1:
            _bar(sheet, x, 20, 28, colour, hatch)
            x += 36
        sheet.text(x, 20, typeset(name), size=NUMBER, weight="bold", va="center_baseline")
        x += picture.measure(typeset(name), NUMBER, "bold", math=True) + 28
    return picture


def _bar_axis(finite):
    """Limits of the axis and the decimals of its numbers: two if signed, three for weights, as everywhere."""
    size = np.abs(finite).max(initial=0)
    high = 1 if 0.2 < size <= 1 else nice(max(size, ZERO))
    low = -high if finite.min(initial=0) < 0 else 0
    if np.array_equal(finite, np.round(finite)):
        return low, high, 0
    decimals = int(np.clip(3 - np.ceil(np.log10(high)), 0, 6))
    return low, high, min(decimals, 2) if low and high >= 0.1 else decimals


def _bar(sheet, x, y, width, colour, hatch):
    """A bar with the middle of its left end at x, y."""
    for looks in (
        {"facecolor": colour, "edgecolor": style.PAPER, "hatch": hatch},
        {"fill": False, "edgecolor": colour},
    ):
        sheet.add_patch(
            Rectangle((x, y - 8), width, 16, linewidth=0 if "hatch" in looks else 1, zorder=3, **looks)
        )


def _bars_alt(labels, groups, values, decimals, trained):
    """The bars in a sentence, label by label in the order of the names; only names if there are more than forty."""
    comma, semicolon = text("plots.comma"), text("plots.semicolon")
    names = semicolon.join(name for name, *_ in groups)
    if trained or values.size > 40:
        return text("plots.alt_bars_short", names=names, labels=comma.join(labels))
    shown = []
    for label, column in zip(labels, values.T, strict=True):
        numbers = comma.join(spoken(value, decimals) for value in column)
        shown.append(text("plots.alt_bar", label=label, numbers=numbers))
    return text("plots.alt_bars", names=names, shown=semicolon.join(shown))


# ── Spread ─────────────────────────────────────────────────────────────────────────────────────────────────


def histogram(across, **samples):
    """How often values occur, an outline for each sample, symmetric about 0: `histogram("score", d_k_4=s)`.

    across: the axis' name in the wording. samples: finite numbers in any shape, at most six, named in the
    wording. The alternative text gives each sample's standard deviation. Returns a Picture; ValueError for an
    empty sample or NaN.
    """
    samples = {name: np.asarray(sample, dtype=float).ravel() for name, sample in samples.items()}
    if not all(sample.size and np.isfinite(sample).all() for sample in samples.values()):
        raise ValueError("histogram needs finite numbers in each sample")
    named = _series({name: [sample.std()] for name, sample in samples.items()}, 1, "histogram")
    limit = nice(max(max(np.quantile(np.abs(sample), 0.999) for sample in samples.values()), ZERO))
    edges = np.linspace(-limit, limit, 82)  # an odd number of bins: one is centred on 0
    sizes = [sample.size for sample in samples.values()]
    across = words(across)[0]
    said = [text("plots.alt_histogram", across=across)]
    for (name, spread, _), k in zip(named, sizes, strict=True):
        said.append(text("plots.alt_sample", name=name, k=k, spread=brief(spread[0])))
    picture = Picture(WIDTH, 360, sentences(*said))
    axes, sheet, x = picture.plane(84, 80, 30, 58), picture.sheet(), SIDE
    for (name, _, (colour, _, dashes, _)), sample in zip(named, samples.values(), strict=True):
        shares = np.histogram(sample, edges)[0] / sample.size
        axes.stairs(shares, edges, color=colour, linestyle=dashes, linewidth=2.2)
        line(sheet, [(x, 20), (x + 40, 20)], colour, 2.2, dashes)
        sheet.text(x + 48, 20, typeset(name), size=NUMBER, color=colour, va="center_baseline")
        x += 76 + picture.measure(typeset(name), NUMBER, math=True)
    axes.set_ylim(bottom=0)
    axes.set_xlim(-limit, limit)
    axes.set_xlabel(typeset(across), size=NUMBER)
    sheet.text(SIDE, 62, text("plots.share_of_values"), size=NUMBER, weight="bold")
    return picture


# ── Points in the plane ────────────────────────────────────────────────────────────────────────────────────


def _turn(a, b, c):
    """Positive if the way a, b, c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _corners(points):
    """Corners of the convex hull of points in the plane, anticlockwise (Andrew's monotone chain)."""
    points = sorted(set(map(tuple, points)))

    def half(points):
        chain = []
        for point in points:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return np.array(half(points) + half(points[::-1]) or points)


def _inside(point, corners):
    """Is the point in the hull? Its border counts, and so does what float noise moves off it."""
    sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    boxed = np.all(corners.min(axis=0) - ZERO <= point) and np.all(point <= corners.max(axis=0) + ZERO)
    return bool(boxed and all(_turn(a, b, point) >= -ZERO for a, b in sides))


def hull(values, labels=None, **points):
    """Values in the plane, their convex hull, and points that lie inside or leave it: `hull(V, tokens, z=z)`.

    values: V (n, 2). labels: n names for them. points: at most five of shape (2,), named in the wording.
    Returns a Picture; ValueError for other shapes.
    """
    values = np.asarray(values, dtype=float)
    points = {name: np.asarray(point, dtype=float) for name, point in points.items()}
    if values.ndim != 2 or values.shape[1] != 2 or any(point.shape != (2,) for point in points.values()):
        shapes = [point.shape for point in points.values()]
        raise ValueError(f"hull needs values (n, 2) and points (2,), got {values.shape} and {shapes}")
    labels = (
        [f"v {i + 1}" for i in range(len(values))] if labels is None else [str(label) for label in labels]
    )
    if len(labels) != len(values) or len(points) > 5:
        raise ValueError(f"hull got {len(labels)} labels for {len(values)} values, and {len(points)} points")
    corners, names = _corners(values), words(*points)
    said = [text("plots.alt_hull", n=len(values))]
    picture = Picture(560, 440)
    axes = picture.plane(60, 20, 20, 40)
    axes.set_aspect("equal", adjustable="datalim")
    purple, (_, _, dots, _) = style.ROLES["V"], style.SERIES[2]
    axes.fill(*corners.T, facecolor=style.BAND, edgecolor=purple, linestyle=dots, linewidth=1.8)
    axes.plot(*values.T, color=purple, marker="D", linestyle="", markersize=8)
    looks = [style.SERIES[k] for k in (3, 0, 1, 4, 5)]  # not the values' own
    for point, (colour, marker, *_) in zip(points.values(), looks, strict=False):
        axes.plot(
            *point, color=colour, marker=marker, linestyle="", markersize=10, markeredgecolor=style.PAPER
        )
    axes.margins(0.16)
    axes.apply_aspect()
    for label, point in zip(labels, values, strict=True):  # outward from the hull
        right, above = point >= corners.mean(axis=0)
        place = {"ha": "left" if right else "right", "va": "bottom" if above else "top", "parse_math": False}
        shift = (7 if right else -7, 4 if above else -4)
        axes.annotate(label, point, shift, textcoords="offset points", size=NUMBER, color=purple, **place)
    for name, point, (colour, *_) in zip(names, points.values(), looks, strict=False):
        said.append(text("plots.alt_inside" if _inside(point, corners) else "plots.alt_outside", name=name))
        middle, half = axes.transData.transform(point)[0], picture.measure(name, NUMBER) / 2 + 6
        aside = np.clip(middle, half, 560 - half) - middle  # stay in the picture
        casing = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1, "alpha": 0.8}
        place = {"ha": "center", "va": "bottom", "color": colour, "bbox": casing, "zorder": 5}
        axes.annotate(name, point, (0.75 * aside, 9), textcoords="offset points", size=NUMBER, **place)
    picture.alt = sentences(*said)
    return picture
