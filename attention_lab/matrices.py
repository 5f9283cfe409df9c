"""Matrices in print: heat maps side by side, and the weighted sum as left factor, upper factor and result.

Every product is drawn the same way: left factor on the left, right factor above, the result where they meet.
"""

from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from . import style
from .picture import LABEL, NUMBER, SIDE, WIDTH, ZERO, Picture, line, nice, pieces, spoken, typeset, words
from .style import INK, MUTED, number
from .wording import sentences, text

GAP = 30  # between matrices
ROW_NAMES = 300  # room for the longest name beside a row
READABLE = 12  # a matrix with more rows or columns is read by its colours, not number by number


class Kind(NamedTuple):
    """What a matrix is: how its cells are coloured, its letter, and what its columns and rows stand for."""

    fill: str
    letter: str
    keys: bool  # columns are keys (tokens), otherwise features
    tokens: bool = True  # rows are tokens


KINDS = {
    "weights": Kind("weight", "A", keys=True),
    "scores": Kind("signed", "S", keys=True),
    "visible": Kind("visible", "", keys=True),
    "additive": Kind("additive", "M", keys=True),
    "influence": Kind("influence", "", keys=True),
    "jacobian": Kind("signed", "J", keys=True),
    "similarity": Kind("signed", "", keys=True),
    "difference": Kind("signed", "", keys=False),
    "H": Kind("signed", "H", keys=False),
    "Q": Kind("signed", "Q", keys=False),
    "K": Kind("signed", "K", keys=False),
    "V": Kind("signed", "V", keys=False),
    "values": Kind("signed", "V", keys=False),
    "context": Kind("signed", "Z", keys=False),
    "positions": Kind("signed", "P", keys=False),
    "concat": Kind("signed", "", keys=False),
    "output": Kind("signed", "", keys=False),
    "W_Q": Kind("signed", "W_Q", keys=False, tokens=False),
    "W_K": Kind("signed", "W_K", keys=False, tokens=False),
    "W_V": Kind("signed", "W_V", keys=False, tokens=False),
    "W_O": Kind("signed", "W_O", keys=False, tokens=False),
}


class _Matrix:
    """One matrix of a picture: what it is, what its cells say, and which of them are struck out."""

    def __init__(self, name, array, hidden=None):
        kind = max((kind for kind in KINDS if f"{name}_".startswith(f"{kind}_")), key=len, default=None)
        if kind is None:
            raise ValueError(
                f"no matrix is called “{name}”; known: {', '.join(KINDS)}, and each may go on: weights_2"
            )
        self.fill, self.letter, self.keys, self.tokens = KINDS[kind]
        self.word, *detail = pieces(name)
        self.detail = text("plots.comma").join(detail)
        self.array = np.atleast_2d(np.asarray(array, dtype=bool if self.fill == "visible" else float))
        if self.array.ndim != 2 or 0 in self.array.shape:
            raise ValueError(
                f"{name} needs a matrix with at least one row and column, got shape {np.shape(array)}"
            )
        self.rows, self.columns = self.array.shape
        # A wide matrix becomes a strip, so that it does not squeeze its neighbours.
        self.units = self.columns if self.columns <= READABLE else 10 if self.keys else 8
        self.colour = style.ROLES.get(self.letter[-1:], INK)
        self.unknown = np.isnan(self.array)
        if self.fill == "visible":
            self.struck = ~self.array
        elif self.fill == "influence":
            self.struck = np.abs(self.array) < ZERO
        else:
            self.struck = np.isneginf(self.array)
            if self.keys and hidden is not None and hidden.shape == self.array.shape:
                self.struck |= hidden
        self.row_names = self.column_names = None

    def name(self, rows, columns):
        """Take the names of tokens where rows or columns stand for that many tokens."""
        if rows and self.tokens and len(rows) == self.rows:
            self.row_names = rows
        across = columns or (rows if self.rows == self.columns else None)
        if across and self.keys and len(across) == self.columns:
            self.column_names = across

    def measure(self, picture):
        """Find the room for title and names, and for numbers: (decimals, type size, width) by preference."""
        letter, word, shape = self.title()
        self.indent = picture.measure(letter, 17, math=True) + 7 if letter else 0
        first = self.indent + picture.measure(word, NUMBER, "bold") + 14 + picture.measure(shape)
        self.title_width = max(first, picture.measure(typeset(self.detail), math=True))
        heads = [word for name in self.column_names or [] for word in name.split(" ")]  # a name may be broken
        self.column_room = max(map(picture.measure, heads), default=0)
        names = map(picture.measure, _numbered(self.row_names or [], self.columns > READABLE))
        self.row_room = min(ROW_NAMES, max(names, default=0)) + 12
        self.choices = []
        for decimals in self.decimals() if max(self.array.shape) <= READABLE else ():
            said = {self.say(i, j, decimals) for i, j in np.ndindex(self.array.shape)}
            for size in (NUMBER, LABEL):
                self.choices.append((decimals, size, max(picture.measure(words, size) for words in said)))

    def fit(self, cell):
        """The preferred (decimals, type size, width) of numbers that fit cells of this width, or None."""
        return next((choice for choice in self.choices if choice[2] <= cell - 6), None)

    def numbered(self, cell):
        """Are cells of this width too narrow for the columns' names, so that numbers stand for them?"""
        return self.column_room > cell - 4 and cell < 18

    def finite(self):
        return self.array[np.isfinite(self.array)]

    def decimals(self):
        """Decimals to try in the cells, best first."""
        if self.fill == "weight":
            return 3, 2
        if np.array_equal(self.finite(), np.round(self.finite())):
            return (0,)
        return (2, 1) if np.abs(self.finite()).max() < 100 else (1, 0)

    def say(self, i, j, decimals):
        """What a cell says: what the array holds, also where the cell is struck out."""
        value = self.array[i, j]
        if self.fill == "visible":
            return "✓" if value else ""
        if self.struck[i, j] and abs(value) < ZERO:
            return "0"
        if 1e4 <= abs(value) < np.inf:
            return f"{value:.0e}".replace("e+0", "e").replace("e+", "e").replace("-", "−")
        return number(value, decimals)

    def title(self):
        """Letter as mathematics, words, shape."""
        letter = f"${self.letter}$" if self.letter else ""
        return letter, "" if self.word == self.letter else self.word, f"{self.rows} × {self.columns}"


def _scales(matrices, limit=None):
    """Colour map and limits for each fill: weights 0 to 1, influence from 0, signed values symmetric about 0.

    One limit serves all signed matrices of a picture: the step 1, 2 or 5 × 10^k that covers 95 % of their
    entries; the rest is clipped. It is never below 0.1, so that noise stays pale.
    """

    def step(fill, share):
        sizes = np.concatenate([[0], *(np.abs(m.finite()) for m in matrices if m.fill == fill)])
        return nice(max(0.1, np.quantile(sizes, share, method="lower")))

    signed = limit or step("signed", 0.95)
    return {
        "weight": (style.WEIGHTS, 0, 1),
        "influence": (style.WEIGHTS, 0, step("influence", 1)),
        "signed": (style.SIGNED, -signed, signed),
    }


# ── Drawing ────────────────────────────────────────────────────────────────────────────────────────────────


def _image(sheet, cells, box, scale):
    """Flat cells in a box (left, right, bottom, top)."""
    cmap, low, high = scale
    sheet.imshow(cells, cmap, vmin=low, vmax=high, extent=box, aspect="auto", interpolation="nearest")


def _draw(sheet, m, cell, x, y, row, scales):
    """Draw the cells of a matrix, cell × row, the upper left corner at x, y, with numbers where they fit."""
    right, bottom = x + m.columns * cell, y + m.rows * row
    choice, scale = m.fit(cell), scales.get(m.fill, scales["weight"])
    plain = m.struck | m.unknown | (m.fill in ("visible", "additive"))
    cells = shown = np.where(plain, 0, m.array).clip(*scale[1:])
    if (
        m.fill == "signed" and not choice
    ):  # the sign without colour: plus in the upper half, minus in the lower
        cells = np.stack([shown.clip(min=0), shown.clip(max=0)], axis=1).reshape(-1, m.columns)
    _image(sheet, cells, (x, right, bottom, y), scale)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    for where, ground, hatch in ((m.struck, style.HATCH_GROUND, "///"), (m.unknown, style.PAPER, "...")):
        boxes = [Path((square + (j, i)) * (cell, row) + (x, y), closed=True) for i, j in np.argwhere(where)]
        if boxes:
            looks = {"facecolor": ground, "edgecolor": style.HATCH, "hatch": hatch, "linewidth": 0}
            sheet.add_patch(PathPatch(Path.make_compound_path(*boxes), **looks))
    if cell >= 5:
        seams = [[(x + j * cell, y), (x + j * cell, bottom)] for j in range(1, m.columns)]
        seams += [[(x, y + i * row), (right, y + i * row)] for i in range(1, m.rows)]
        sheet.add_collection(LineCollection(seams, colors=style.PAPER, linewidths=1.1))
    if choice:
        _numbers(sheet, m, cell, x, y, row, choice, shown, scale)


def _numbers(sheet, m, cell, x, y, row, choice, shown, scale):
    """Print what each cell says, black or white, on a patch of plain ground where the cell is hatched."""
    (decimals, size, width), (cmap, low, high) = choice, scale
    for i, j in np.ndindex(m.array.shape):
        hatched = m.struck[i, j] or m.unknown[i, j]
        ground = style.HATCH_GROUND if hatched else cmap((shown[i, j] - low) / (high - low))[:3]
        on_the_point = m.fill == "signed" and np.isfinite(m.array[i, j])
        sheet.text(
            x + (j + 0.5) * cell + (width / 2 if on_the_point else 0),
            y + (i + 0.5) * row,
            m.say(i, j, decimals),
            color=style.ink_on(ground),
            size=size,
            ha="right" if on_the_point else "center",
            va="center_baseline",
            bbox={"facecolor": ground, "edgecolor": "none", "pad": 1} if hatched else None,
        )


def _columns(picture, m, cell):
    """How names stand above cells of this width: (texts, are they upright?, height they take)."""
    names = m.column_names
    if not names:
        return [], False, 8
    if m.column_room <= cell - 4:
        return (
            [name.replace(" ", "\n") for name in names],
            False,
            26 + 20 * max(name.count(" ") for name in names),
        )
    if not m.numbered(cell):
        labels = [picture.clip(name, 120) for name in names]
        return labels, True, max(map(picture.measure, labels)) + 14
    step = int(np.ceil(26 / cell))
    return [str(j + 1) if j % step == 0 else "" for j in range(m.columns)], False, 26


def _head(sheet, m, cell, x, y, row, above, detail=0):
    """Brackets, names above the columns and, `above` them, the title: letter and words left, shape right."""
    bottom = y + m.rows * row + 3
    for side, inward in ((x - 4, 6), (x + m.columns * cell + 4, -6)):
        line(
            sheet, [(side + inward, y - 3), (side, y - 3), (side, bottom), (side + inward, bottom)], m.colour
        )
    labels, upright, _ = _columns(sheet.figure, m, cell)
    for j, label in enumerate(labels):
        place = {"rotation": 90 if upright else 0, "va": "bottom" if upright or "\n" in label else "baseline"}
        sheet.text(x + (j + 0.5) * cell, y - 9, label, size=LABEL, ha="center", parse_math=False, **place)
    letter, word, shape = m.title()
    base = y - above - detail - 4
    sheet.text(x, base, letter, size=17, color=m.colour)
    sheet.text(x + m.indent, base, word, size=NUMBER, weight="bold", color=m.colour)
    sheet.text(x + max(m.columns * cell, m.title_width), base, shape, size=LABEL, color=MUTED, ha="right")
    sheet.text(x, base + 20, typeset(m.detail), size=LABEL)


def _numbered(names, numbered):
    return [f"{i + 1} {name}" if numbered else name for i, name in enumerate(names)]


def _row_labels(sheet, labels, x, y, row, align="right", bold=None):
    """Names beside the rows, aligned at x."""
    for i, label in enumerate(labels):
        looks = {"weight": "bold" if i == bold else "normal", "ha": align, "va": "center_baseline"}
        label = sheet.figure.clip(label, ROW_NAMES, looks["weight"])
        sheet.text(x, y + (i + 0.5) * row, label, size=LABEL, parse_math=False, **looks)


def _frame(sheet, x, y, width, height, colour):
    """A frame with a casing of paper, so that it is seen on every fill."""
    for thick, shade in ((5, style.PAPER), (2.2, colour)):
        looks = {"fill": False, "edgecolor": shade, "linewidth": thick, "zorder": 4}
        sheet.add_patch(Rectangle((x, y), width, height, **looks))


def _legend(picture, placed, scales, room):
    """What colours and hatches mean, broken into lines: [[(words before, drawing, words after, width)]]."""
    matrices = [m for m, *_ in placed]
    fills, struck = {m.fill for m in matrices}, {m.fill for m in matrices if m.struck.any()}
    halves = any(m.fill == "signed" and not m.fit(cell) for m, cell, *_ in placed)
    signed, influence = (f"{scales[fill][2]:g}" for fill in ("signed", "influence"))
    entries = [
        ("signed" in fills, text("plots.legend_value"), style.SIGNED, f"−{signed} … 0 … {signed}"),
        (halves, "", "halves", text("plots.legend_halves")),
        ("weight" in fills, text("plots.legend_weight"), style.WEIGHTS, "0 … 1"),
        ("influence" in fills, text("plots.legend_influence"), style.WEIGHTS, f"0 … {influence}"),
        (struck - {"influence"}, "", "///", text("plots.legend_hidden")),
        ("influence" in struck, "", "///", text("plots.legend_zero")),
        (any(m.unknown.any() for m in matrices), "", "...", "NaN"),
    ]
    lines, used = [], room
    for _, before, drawing, after in (entry for entry in entries if entry[0]):
        width = picture.measure(before) + (116 if before else 26) + picture.measure(after) + 34
        if used + width > room:
            lines, used = [*lines, []], 0
        lines[-1].append((before, drawing, after, width))
        used += width
    return lines


def _draw_legend(sheet, lines, x, y):
    """Draw the lines of a legend, the first centred on y."""
    for k, entries in enumerate(lines):
        left, middle = x, y + 26 * k
        for before, drawing, after, width in entries:
            start = left + (sheet.figure.measure(before) + 8 if before else 0)
            end = start + (108 if before else 26)
            box, ground = (start, end, middle + 8, middle - 8), {"facecolor": "none"}
            sheet.text(left, middle, before, size=LABEL, va="center_baseline")
            sheet.text(end + 8, middle, after, size=LABEL, va="center_baseline")
            if before:  # nine flat steps, not a gradient: a palette picture keeps their colours
                _image(sheet, np.linspace(0, 1, 9)[None], box, (drawing, 0, 1))
                for place, sign in ((start + 7, "−"), (end - 7, "+")) if drawing is style.SIGNED else ():
                    sheet.text(
                        place, middle, sign, size=LABEL, weight="bold", ha="center", va="center_baseline"
                    )
            elif drawing == "halves":
                _image(sheet, [[1, 0], [0, -1]], box, (style.SIGNED, -1, 1))
            else:
                ground = {
                    "facecolor": style.HATCH_GROUND if drawing == "///" else style.PAPER,
                    "hatch": drawing,
                }
            frame = {"edgecolor": style.HATCH, "linewidth": 0.8, **ground}
            sheet.add_patch(Rectangle((start, middle - 8), end - start, 16, **frame))
            left += width


# ── Heat maps ──────────────────────────────────────────────────────────────────────────────────────────────


def _place(matrices, unit):
    """Put matrices side by side: [(matrix, cell width, x, are its rows named?)], and where they end."""
    x, placed, named = SIDE, [], None
    for m in matrices:
        beside = m.row_names is not None and m.row_names is not named
        named = m.row_names
        x += m.row_room if beside else 4
        placed.append((m, m.units * unit / m.columns, x, beside))
        x += max(m.units * unit, m.title_width) + GAP
    return placed, x - GAP + SIDE


def _arrange(matrices):
    """Break matrices into bands, as few as let the numbers fit, with cells as wide as there is room for."""
    numbers, names = (
        (m.choices[0][2] + 12 for m in matrices if m.choices),
        (m.column_room + 6 for m in matrices),
    )
    wish, tried = int(min(100, max(58, *numbers, *names))), []
    for count in range(1, len(matrices) + 1):
        each = -(-len(matrices) // count)
        bands = [matrices[i : i + each] for i in range(0, len(matrices), each)]
        for unit in range(wish, 6, -1):
            placed = [_place(band, unit) for band in bands]
            if max(end for _, end in placed) <= WIDTH:
                break
        tried.append(([band for band, _ in placed], max(end for _, end in placed)))
    for enough in (
        lambda m, cell: not m.choices or m.fit(cell) in m.choices[:2],  # numbers with all their decimals
        lambda m, cell: not m.choices or m.fit(cell),  # numbers with fewer
        lambda m, cell: cell >= 12,
    ):
        for bands, width in tried:
            if width <= WIDTH and all(enough(m, cell) for band in bands for m, cell, *_ in band):
                return bands, width
    return tried[-1]


def _read(ruler, arrays, rows, columns, hidden):
    """The matrices of a picture, named and measured. ValueError for names or a mask that fit none of them."""
    if not arrays:
        raise ValueError(f"heatmaps needs a matrix, named by its keyword; known: {', '.join(KINDS)}")
    hidden = None if hidden is None else np.asarray(hidden, dtype=bool)
    rows, columns = (None if names is None else [str(name) for name in names] for names in (rows, columns))
    matrices = [_Matrix(name, array, hidden) for name, array in arrays.items()]
    for m in matrices:
        m.name(rows, columns)
        m.measure(ruler)
    shapes = ", ".join(f"{name} {m.array.shape}" for name, m in zip(arrays, matrices, strict=True))
    if hidden is not None and not any(m.keys and m.array.shape == hidden.shape for m in matrices):
        raise ValueError(f"hidden has shape {hidden.shape} and fits none of {shapes}")
    if rows and not any(m.row_names or m.column_names for m in matrices):
        raise ValueError(f"rows has {len(rows)} names and fits none of {shapes}")
    if columns and not any(m.column_names for m in matrices):
        raise ValueError(f"columns has {len(columns)} names and fits none of {shapes}")
    return matrices


def heatmaps(rows=None, columns=None, hidden=None, *, limit=None, trained=False, **arrays):
    """Matrices side by side, each named by its keyword: `heatmaps(tokens, weights=A, values=V)`.

    rows, columns: names of tokens, for matrices whose rows or columns are tokens; columns default to rows
    where a matrix is square. hidden: Boolean (n_q, n_k), True = hidden: hatched where queries meet keys.
    limit: of the signed colours, to keep them equal from picture to picture; by default the step 1, 2 or
    5 × 10^k that covers 95 % of the entries. trained: leave values out of the alternative text, where they
    differ between machines. arrays: two axes, or one axis for a single row; a keyword starts with one of
    `KINDS` and may go on with names of the wording, as in weights_causal or weights_head_2. Numbers are
    printed where they fit. Returns a Picture; ValueError for an unknown keyword, or for names or a mask that
    fit no matrix.
    """
    ruler = Picture(WIDTH, 100)
    matrices = _read(ruler, arrays, rows, columns, hidden)
    bands, width = _arrange(matrices)
    scales = _scales(matrices, limit)
    legend = _legend(ruler, sum(bands, []), scales, max(width, 720) - SIDE)
    width = max([width, *(SIDE + sum(entry[-1] for entry in entries) for entries in legend)])
    tallest = max(m.rows for m in matrices)
    row = 30 if tallest <= 8 else 26 if tallest <= READABLE else 20 if tallest <= 24 else 480 / tallest
    detail = 22 if any(m.detail for m in matrices) else 0
    heads = [max(_columns(ruler, m, cell)[2] for m, cell, *_ in band) for band in bands]
    tops, bottom = [], SIDE
    for band, above in zip(bands, heads, strict=True):
        tops.append(bottom + 22 + detail + above)
        bottom = tops[-1] + max(m.rows for m, *_ in band) * row + 24

    picture = Picture(width, bottom + 26 * len(legend), _heatmaps_alt(matrices, trained))
    sheet = picture.sheet()
    for band, above, top in zip(bands, heads, tops, strict=True):
        for m, cell, x, beside in band:
            _draw(sheet, m, cell, x, top, row, scales)
            _head(sheet, m, cell, x, top, row, above, detail)
            if beside and row >= 18:
                _row_labels(sheet, _numbered(m.row_names, m.numbered(cell)), x - 12, top, row)
    _draw_legend(sheet, legend, SIDE, bottom + 6)
    return picture


def _heatmaps_alt(matrices, trained):
    """Each matrix in a sentence: its name and shape, what is hidden, and what its colours show first."""
    said = []
    for m in matrices:
        cells, facts = {"k": int(m.struck.sum()), "m": m.array.size}, []
        if m.fill == "visible":
            facts.append(text("plots.alt_visible", k=m.array.size - cells["k"], m=m.array.size))
        elif m.struck.any():
            facts.append(text("plots.alt_zero" if m.fill == "influence" else "plots.alt_hidden", **cells))
        if m.unknown.any():
            facts.append(text("plots.alt_nan", k=int(m.unknown.sum()), m=m.array.size))
        if m.fill == "weight" and m.rows <= 8 and not trained:
            facts += [_most(m, i) for i in range(m.rows)]
        elif m.fill not in ("visible", "additive") and m.finite().size and not trained:
            low, high = spoken(m.finite().min()), spoken(m.finite().max())
            facts.append(text("plots.alt_range", low=low, high=high))
        name = text("plots.comma").join([m.word, m.detail] if m.detail else [m.word])
        said.append(text("plots.alt_matrix", name=name, rows=m.rows, columns=m.columns))
        if facts:
            said[-1] += text("plots.colon") + text("plots.semicolon").join(facts)
        said[-1] += text("plots.stop")
    return sentences(*said)


def _most(m, i):
    """To which key row i of the weights gives most, in words; of equal weights, to the first."""
    row, rows, columns = np.nan_to_num(m.array[i]), m.row_names, m.column_names
    name = text("plots.alt_name", name=rows[i]) if rows else text("plots.alt_row", i=i + 1)
    if not row.any():
        return text("plots.alt_none", row=name)
    j = int(np.argmax(row >= row.max() - 1e-6))
    column = text("plots.alt_name", name=columns[j]) if columns else text("plots.alt_column", j=j + 1)
    return text("plots.alt_most", row=name, column=column, w=spoken(row[j], 3))


# ── The weighted sum ───────────────────────────────────────────────────────────────────────────────────────


def attention_picture(tokens, weights, values, context, visible, query, *, mask="none"):
    """The weighted sum Z = A V of one sentence, where no panel can run: A left, V above, Z where they meet.

    tokens: n names. weights A (n, n), values V (n, d_k), context Z (n, d_k). visible: Boolean (n, n),
    True = may look. query: the row to follow, from 0. mask: its name in the wording, "causal" for
    example. Returns a Picture; ValueError for shapes that do not belong together.
    """
    tokens, hidden = [str(token) for token in tokens], ~np.asarray(visible, dtype=bool)
    A, V, Z = _Matrix("weights", weights, hidden), _Matrix("values", values), _Matrix("context", context)
    n, d_k = len(tokens), V.columns
    shapes = [A.array.shape, hidden.shape, V.array.shape, Z.array.shape]
    if shapes != [(n, n), (n, n), (n, d_k), (n, d_k)]:
        raise ValueError(
            f"{n} tokens need weights and visible ({n}, {n}), values and context ({n}, d_k), got {shapes}"
        )
    a = _Matrix("weights", A.array[query, :, None], hidden[query, :, None])
    A.name(tokens, tokens)
    most, title = _most(A, query), text("stage.title_5b")
    settings = {"n": n, "d_k": d_k, "mask": words(mask)[0]}
    picture = Picture(WIDTH, 100, text("plots.alt_attention", **settings, title=title, most=most))
    for m in (A, V, Z, a):
        m.measure(picture)

    # Columns: names | A | sums | a, the weights of the query, standing up | V above Z | names.
    labels = _numbered(tokens, n > READABLE)
    names = min(ROW_NAMES, max(picture.measure(label, weight="bold") for label in labels)) + 12
    sums = [f"Σ = {number(total, 3)}" for total in A.array.sum(axis=1)]
    room = 24 + max(picture.measure(total, weight="bold") for total in sums)
    unit = min(58, (WIDTH - 2 * SIDE - 2 * names - room - 64) / (A.units + 1 + V.units))
    cell, wide, row = A.units * unit / n, V.units * unit / d_k, 28 if n <= 8 else 24 if n <= READABLE else 20
    left = SIDE + names
    end = left + A.units * unit
    middle = end + room
    right = middle + unit + 46
    edge = right + V.units * unit + 12
    above = _columns(picture, A, cell)[2]
    upper = 130
    lower = upper + n * row + 56 + above
    at = lower + query * row

    picture.set_size_inches(WIDTH / 96, (lower + n * row + SIDE + 4) / 96)
    sheet, scales, blue = picture.sheet(), _scales([V, Z]), style.ROLES["Q"]
    sheet.add_patch(
        Rectangle((SIDE - 6, at), WIDTH - 2 * SIDE + 12, row, color=style.BAND, linewidth=0, zorder=-1)
    )
    for m, width, x, y, head in (
        (A, cell, left, lower, above),
        (V, wide, right, upper, 8),
        (Z, wide, right, lower, 8),
    ):
        _draw(sheet, m, width, x, y, row, scales)
        _head(sheet, m, width, x, y, row, head)
    _draw(sheet, a, unit, middle, upper, row, scales)
    sheet.text(middle + unit / 2, upper - 12, "$a_i$", size=17, color=blue, ha="center")
    _row_labels(sheet, labels, left - 12, lower, row, bold=query)
    _row_labels(sheet, sums, end + 12, lower, row, "left", query)
    _row_labels(sheet, ["×"] * n, middle + unit + 23, upper, row, "center")
    _row_labels(sheet, tokens, edge, upper, row, "left")
    _row_labels(sheet, tokens, edge, lower, row, "left", query)
    _frame(sheet, left, at, A.units * unit, row, blue)
    _frame(sheet, middle, upper, unit, n * row, blue)
    _frame(sheet, right, at, V.units * unit, row, INK)
    corner = (middle + unit / 2, at + row / 2)
    line(sheet, [(middle - 4, corner[1]), corner], INK)
    arrow = {
        "arrowstyle": "-|>,head_length=0.5,head_width=0.22",
        "color": INK,
        "linewidth": 1.4,
        "shrinkA": 0,
    }
    sheet.annotate("", (corner[0], upper + n * row + 7), corner, arrowprops=arrow)

    sheet.text(SIDE, 32, title, size=15, weight="bold")
    sheet.text(WIDTH - SIDE, 32, r"$Z = A\,V$", size=20, ha="right")
    sheet.text(SIDE, 58, typeset(text("plots.attention_settings", **settings)), size=NUMBER)
    sheet.text(SIDE, 82, text("plots.attention_most", most=most), size=NUMBER, parse_math=False)
    _draw_legend(sheet, _legend(picture, [(A, cell), (V, wide)], scales, middle - SIDE), SIDE, upper + 12)
    return picture
