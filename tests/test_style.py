"""The look in print: fonts (D01–D04), contrast (B14), colour maps, rounding, and a silent set-up."""

import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from attention_lab import setup, style, wording

DATA = Path(style.__file__).parent / "data"
# Machado, Oliveira & Fernandes 2009, severity 1, on linear sRGB
SEEN = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}


@pytest.fixture(autouse=True)
def english_again():
    yield
    setup("en")


def drawn(figure):
    """Draw the figure; its pixels. Any warning, and any line in matplotlib's log, is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


@pytest.fixture(autouse=True)
def no_font_noise(caplog):
    with caplog.at_level(logging.WARNING):
        yield
    assert caplog.messages == []


# ── Set-up ──────────────────────────────────────────────────────────────────────────────────────────────────


def in_a_new_python(code, **variables):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_setup_is_silent_even_where_matplotlib_starts_for_the_first_time(tmp_path):
    nowhere = tmp_path / "a file, where a folder should be"
    nowhere.touch()
    code = "import attention_lab as al\nfor language in ('zh', 'en', 'en'): assert al.setup(language) is None"
    assert in_a_new_python(code, MPLCONFIGDIR=str(nowhere)) == ("", "")


def test_pictures_never_load_pyplot_and_work_before_setup():
    code = (
        "import sys, numpy as np, attention_lab as al\n"
        "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\n"
        "picture = al.plots.heatmaps(weights=np.eye(3))\n"
        "al.plots.lines([1, 2], 'd_k', 'loss', measured=[1, 2]).png()\n"
        "print(picture, len(picture.png()) > 1000, 'matplotlib.pyplot' in sys.modules)"
    )
    out, err = in_a_new_python(code)
    assert err == "" and out.startswith("Figure: weights, 3 by 3") and out.endswith(" True False\n")


@pytest.mark.parametrize("language", ["fr", "EN", "", None])
def test_another_language_is_refused_and_changes_nothing(language):
    setup("zh")
    before = dict(matplotlib.rcParams)
    with pytest.raises(ValueError, match='"en" or "zh"'):
        setup(language)
    assert wording.language() == "zh" and dict(matplotlib.rcParams) == before


def test_setup_twice_is_setup_once_and_the_edition_can_change():
    setup("en")
    once = dict(matplotlib.rcParams)
    setup("en")
    assert dict(matplotlib.rcParams) == once
    setup("zh")
    assert wording.language() == "zh" and matplotlib.rcParams["font.family"][0] == style.CHINESE
    setup("en")
    assert dict(matplotlib.rcParams) == once


def test_arrays_and_tables_print_three_decimals_and_no_negative_zero():
    floatmode = np.get_printoptions()["floatmode"]
    setup("en")
    assert np.get_printoptions()["floatmode"] == floatmode
    assert str(np.array([1 / 3, 1e-9])) == "[0.333 0.   ]"
    table = pd.DataFrame([[0.60416, 0.39584], [-1e-17, 1]], ["policy", "raises"], ["policy", "raises"])
    assert table.to_string() == "        policy  raises\npolicy   0.604   0.396\nraises   0.000   1.000"


# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "value, digits, shown",
    [
        (-0.293, 2, "−0.29"),
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (0.125, 2, "0.13"),
        (-0.125, 2, "−0.13"),
        (-2, 0, "−2"),
        (float("nan"), 2, "NaN"),
        (-np.inf, 3, "−∞"),
        (np.inf, 3, "∞"),
    ],
)
def test_numbers_are_shown_with_a_real_minus(value, digits, shown):
    assert style.number(value, digits) == shown


@pytest.mark.parametrize("value", [0.125, 0.375, -0.625, 0.5, 0.0, 2.675])
def test_float_noise_decides_no_printed_digit(value):
    assert {style.number(value + noise) for noise in (-1e-13, 0, 1e-13)} == {style.number(value)}


# ── Colours ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_contrast_is_that_of_the_guidelines():
    assert style.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert style.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("colour_map", [style.SIGNED, style.WEIGHTS], ids=lambda m: m.name)
def test_a_number_is_read_on_every_colour(colour_map):
    assert min(style.contrast(colour, style.ink_on(colour)) for colour in colour_map.colors) >= 4.58


def test_black_or_white_is_read_on_every_grey():
    greys = [f"#{k:02x}{k:02x}{k:02x}" for k in range(256)]
    assert min(style.contrast(grey, style.ink_on(grey)) for grey in greys) >= 4.58


def test_words_lines_and_marks_are_read_on_paper():
    for colour in [style.INK, style.MUTED, *style.ROLES.values(), *(look[0] for look in style.SERIES)]:
        assert style.contrast(colour, style.PAPER) >= 4.5, colour
    assert style.contrast(style.INK, style.BAND) >= 4.5
    assert style.contrast("#000000", style.HATCH_GROUND) >= 4.5
    assert style.contrast(style.HATCH, style.HATCH_GROUND) >= 3  # the hatch itself is a graphical sign


@pytest.mark.parametrize("eye", SEEN)
def test_query_key_and_value_stay_apart_for_every_eye(eye):
    linear = style._linear(np.array([to_rgb(colour) for colour in style.ROLES.values()])) @ np.transpose(
        SEEN[eye]
    )
    lab = np.cbrt(linear.clip(0) @ style._CONES.T) @ style._LAB.T
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert 100 * np.linalg.norm(lab[a] - lab[b]) >= 15


def test_series_differ_in_more_than_colour():
    colours, markers, dashes, hatches = zip(*style.SERIES, strict=True)
    for looks in (colours, markers, dashes, hatches):
        assert len(set(looks)) == len(style.SERIES)


@pytest.mark.parametrize(
    "colour_map, anchors",
    [
        (style.SIGNED, ["#3f968e", "#abd2cd", "#faf9f6", "#f6dba4", "#e4ab3f"]),
        (style.WEIGHTS, ["#ffffff", "#ccd5e0", "#8f9fb5", "#52657f", "#1f2f47"]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_colour_maps_blend_their_anchors_in_oklab(colour_map, anchors):
    assert [to_hex(colour_map.colors[k]) for k in (0, 10, 20, 30, 40)] == anchors
    lab = style.oklab(anchors)
    between = style.oklab([colour_map.colors[k] for k in (5, 15, 25, 35)])
    np.testing.assert_allclose(between, (lab[1:] + lab[:-1]) / 2, atol=0.0012)  # what 8 bits leave


def test_zero_is_neutral_and_weights_darken_with_every_step():
    assert np.abs(style.oklab([style.SIGNED(0.5)])[0, 1:]).max() < 0.01
    assert np.all(np.diff(style.oklab(style.WEIGHTS.colors)[:, 0]) < 0)


# ── Chinese ─────────────────────────────────────────────────────────────────────────────────────────────────


def chinese_strings():
    for section in wording._table("zh").values():
        yield from section.values()


def test_every_chinese_string_is_drawn_without_a_warning():
    setup("zh")
    figure = Figure(figsize=(12, 60))
    for k, words in enumerate(chinese_strings()):
        weight = "bold" if k % 2 else "normal"
        figure.text(0, (k % 200) / 200, words, parse_math=False, weight=weight)
    drawn(figure)


def test_a_missing_glyph_would_be_noticed():
    setup("zh")
    figure = Figure()
    figure.text(0, 0, "\U0001f9ff")
    with pytest.raises(UserWarning, match="missing from font"):
        drawn(figure)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scale", ["linear", "log", "symlog"])
def test_minus_signs_on_axes_are_drawn(language, scale):
    setup(language)
    figure = Figure()
    axes = figure.add_subplot()
    axes.plot([1e-7, 1e-3, 10], [-1, 1e-5, 2] if scale != "log" else [1e-9, 1e-5, 2])
    axes.set(xscale="log", yscale=scale, xlabel="方差", title="负数")
    drawn(figure)
    shown = "".join(label.get_text() for label in [*axes.get_xticklabels(), *axes.get_yticklabels()])
    assert "−" in shown or "{-" in shown


def test_bold_chinese_is_bold():
    setup("zh")
    thin, thick = Figure(figsize=(3, 1)), Figure(figsize=(3, 1))
    thin.text(0.1, 0.4, "注意力权重", size=20)
    thick.text(0.1, 0.4, "注意力权重", size=20, weight="bold")
    ink = [(255 - drawn(figure).astype(int)).sum() for figure in (thin, thick)]
    assert ink[1] > 1.2 * ink[0] > 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_font_family_is_a_list_of_fonts_that_are_there(language):
    setup(language)
    families = matplotlib.rcParams["font.family"]
    assert style.CHINESE in families and "DejaVu Sans" in families
    assert set(families) <= set(font_manager.get_font_names())  # no generic name, no guess
    for family in families:
        font_manager.findfont(family, fallback_to_default=False)


def test_the_shipped_font_is_the_one_that_is_used():
    for weight in ("regular", "bold"):
        path = DATA / f"chinese-{weight}.otf"
        assert font_manager.get_font(path).family_name == style.CHINESE
        assert Path(font_manager.findfont(f"{style.CHINESE}:{weight}")) == path
        assert path.stat().st_size < 200_000
    licence = (DATA / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence and "Adobe" in licence and style.CHINESE in licence
