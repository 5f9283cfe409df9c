"""Pictures: the array behind them, their colours, their words, and that nothing is lost in a notebook."""

import base64
import gc
import io
import logging
import re
import warnings
import weakref
from html.parser import HTMLParser

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.text import Text
from PIL import Image

from attention_lab import additive_mask, causal_mask, plots, self_attention, setup, softmax, style
from attention_lab.examples import lesson
from attention_lab.matrices import KINDS

TOKENS, H, W_Q, W_K, W_V = lesson()
VISIBLE = causal_mask(4)
RESULT = self_attention(H, W_Q, W_K, W_V, VISIBLE)
V = H @ W_V


def influence():
    return np.where(VISIBLE, RESULT.weights + 0.05, 0)


def gallery(noise=0.0):
    """How to make one of every kind of picture; noise is added to every array, as another machine would."""
    draw = np.random.default_rng(3)
    x = np.array([1, 2, 4, 8])

    def array(values):
        return np.asarray(values) + noise * draw.choice([-1, 1], size=np.shape(values))

    seen = np.where(VISIBLE, 0, -np.inf) + array(RESULT.scores)
    points = array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]])
    return {
        "heat maps": lambda: plots.heatmaps(
            TOKENS, hidden=~VISIBLE, weights=array(RESULT.weights), scores=seen
        ),
        "features": lambda: plots.heatmaps(
            TOKENS, H=array(H), Q=array(H @ W_Q), W_Q=array(W_Q), context=array(V)
        ),
        "masks": lambda: plots.heatmaps(
            TOKENS, visible=VISIBLE, additive=additive_mask(VISIBLE), influence=array(influence())
        ),
        "ties": lambda: plots.heatmaps(
            weights=array(np.full((3, 8), 0.125)), scores=array([[0.125, -0.375]])
        ),
        "large": lambda: plots.heatmaps(
            weights_head_1=array(np.full((20, 20), 0.05)), positions=array(np.ones((20, 33)))
        ),
        "curves": lambda: plots.lines(
            x, "d_k", "variance", log="xy", measured=array(x * 1.0), predicted=array([1, 2, 3, 0.125])
        ),
        "levels": lambda: plots.lines(
            x, "n", "loss", entropy=array(0.867), measured=array([-2.5, 2, 0, -0.125])
        ),
        "training": lambda: plots.lines(x, "step", "loss", trained=True, loss_d_k_64=array([2, 1, 0.5, 0.2])),
        "bars": lambda: plots.bars(
            TOKENS, weight=array([0.5, 0.125, 0.25, 0.125]), ablation=array([0.1, 0, 1, 0.3])
        ),
        "products": lambda: plots.bars(["1", "2", "3"], products=array([0.09, -0.11, 0.125])),
        "spread": lambda: plots.histogram(
            "dot_product", d_k_4=array(np.linspace(-2, 2, 41)), d_k_16=array([-4.0, 4.0])
        ),
        "hull": lambda: plots.hull(points, z_rows=array([0.5, 0.5]), z_columns=array([1.5, 1.0])),
        "attention": lambda: plots.attention_picture(
            TOKENS, array(RESULT.weights), array(V), array(RESULT.context), VISIBLE, 2, mask="causal"
        ),
    }


NAMES = list(gallery())


@pytest.fixture(params=["en", "zh"])
def language(request, caplog):
    setup(request.param)
    with caplog.at_level(logging.WARNING), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield request.param
    assert caplog.messages == []  # findfont's complaints would come here
    setup("en")


def pixels(picture):
    return np.asarray(Image.open(io.BytesIO(picture.png())).convert("RGB"))


def at(picture, x, y):
    """The colour at a place of the sheet, in CSS pixels, as it stands in the PNG."""
    return pixels(picture)[int(y * 1.5), int(x * 1.5)] / 255


def boxes(sheet):
    """Where the matrices of a sheet stand: (array, left, right, bottom, top) of each image."""
    return [(np.asarray(image.get_array()), *image.get_extent()) for image in sheet.images]


def texts(picture):
    """Every text of a picture, without ticks that lie beyond the end of their axis."""
    beyond = set()
    for axis in [axis for axes in picture.axes for axis in (axes.xaxis, axes.yaxis)]:
        low, high = sorted(axis.get_view_interval())
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            if not low <= tick.get_loc() <= high:
                beyond |= {tick.label1, tick.label2}
    return [t for t in picture.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in beyond]


# ── In a notebook ───────────────────────────────────────────────────────────────────────────────────────────


class _Images(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_shows_itself_with_alternative_text(language, name):
    picture = gallery()[name]()
    shown, _ = DisplayFormatter().format(picture)  # what a cell's last value and display() store
    assert set(shown) == {"text/plain", "text/html", "image/png"}
    (figure, _), (tag, image) = _Images(shown["text/html"]).found
    assert (figure, tag) == ("figure", "img") and image["alt"] == picture.alt and len(picture.alt) > 20
    assert ("一" <= max(picture.alt)) == (language == "zh")  # words of this edition
    assert shown["text/plain"] == ("Figure: " if language == "en" else "图：") + picture.alt == repr(picture)
    png = base64.b64decode(shown["image/png"])
    assert image["src"] == "data:image/png;base64," + shown["image/png"]
    stored = Image.open(io.BytesIO(png))
    assert stored.mode == "P" and "transparency" not in stored.info  # white paper on a dark page, too
    assert stored.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
    assert int(image["width"]) <= plots.WIDTH and stored.width == pytest.approx(
        1.5 * int(image["width"]), abs=2
    )


@pytest.mark.parametrize("name", NAMES)
def test_stored_words_are_the_same_on_every_machine(language, name):
    kinds = ("text/plain", "text/html")
    variants = {
        tuple(re.sub("base64,[A-Za-z0-9+/=]+", "", bundle[kind]) for kind in kinds)
        for bundle in (gallery(noise)[name]()._repr_mimebundle_() for noise in (0, 1e-12, 1e-12))
    }
    assert len(variants) == 1


@pytest.mark.parametrize("name", NAMES)
def test_words_are_large_enough_and_inside_the_picture(language, name):
    picture = gallery()[name]()
    picture.canvas.draw()
    width, height = picture.get_size_inches() * 96
    for shown in texts(picture):
        assert shown.get_fontsize() >= 11
        box = shown.get_window_extent()
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1, (
            shown.get_text()
        )


def test_palette_pngs_are_small():
    setup("en")
    sizes = {name: len(picture().png()) for name, picture in gallery().items()}
    assert max(sizes.values()) < 45_000, sizes
    assert sum(size < 20_000 for size in sizes.values()) > len(sizes) / 2, sizes


def test_thirty_redraws_leave_nothing_behind():
    import matplotlib.pyplot

    left = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(30):
            picture = plots.heatmaps(TOKENS, weights=RESULT.weights)
            picture._repr_mimebundle_()
            left.append(weakref.ref(picture))
    assert matplotlib.pyplot.get_fignums() == []
    del picture
    gc.collect()
    assert not any(reference() for reference in left)


def test_words_of_a_learner_are_text_not_html_and_not_mathematics(language):
    strange = ['<script>alert("1")</script>', "$5 to $6", "{0} & {name}", "a\\b_c^2"]
    picture = plots.heatmaps(strange, weights=RESULT.weights)
    html = picture._repr_mimebundle_()["text/html"]
    assert "<script" not in html and [tag for tag, _ in _Images(html).found] == ["figure", "img"]
    assert strange[0] in _Images(html).found[1][1]["alt"]
    assert {"$5 to $6", "a\\b_c^2"} <= {shown.get_text().replace("\n", " ") for shown in texts(picture)}
    plots.bars(strange, weight=[1, 2, 3, 4]).png()
    plots.hull(V[:, :2], strange).png()
    plots.attention_picture(strange, RESULT.weights, V, RESULT.context, VISIBLE, 1).png()


# ── Heat maps: the array behind the picture ─────────────────────────────────────────────────────────────────


def test_weights_always_run_from_0_to_1():
    for array in (RESULT.weights, RESULT.weights / 1000, np.full((2, 3), 0.25)):
        (image,) = [
            image
            for image in plots.heatmaps(weights=array).axes[0].images
            if image.get_array().shape == array.shape
        ]
        assert image.get_clim() == (0, 1) and image.get_cmap() is style.WEIGHTS
        np.testing.assert_array_equal(image.get_array(), array)


@pytest.mark.parametrize(
    "size, limit",
    [(0.3, 0.5), (0.5, 0.5), (0.51, 1), (2.75, 5), (17, 20), (800, 1000), (1e-3, 0.1), (1e-16, 0.1)],
)
def test_signed_colours_are_symmetric_about_0_and_end_at_a_fixed_step(size, limit):
    array = size * np.array([[1.0, -0.9, 0.95], [0.2, -1, 0]])
    image = plots.heatmaps(scores=array).axes[0].images[0]
    assert image.get_clim() == (-limit, limit) and image.get_cmap() is style.SIGNED
    np.testing.assert_array_equal(image.get_array(), array)


def test_one_limit_serves_all_signed_matrices_and_can_be_kept():
    images = (
        plots.heatmaps(scores=RESULT.scores * 2, context=RESULT.context, weights=RESULT.weights)
        .axes[0]
        .images[:3]
    )
    assert images[0].get_clim() == images[1].get_clim() != images[2].get_clim() == (0, 1)
    assert plots.heatmaps(scores=RESULT.scores, limit=20).axes[0].images[0].get_clim() == (-20, 20)


def test_noise_does_not_look_like_structure():
    noise = 1e-16 * np.random.default_rng(0).normal(size=(4, 4))
    picture = plots.heatmaps(scores=noise)
    _, left, right, bottom, top = boxes(picture.axes[0])[0]
    cell = (right - left) / 4
    corners = [
        at(picture, left + (j + 0.1) * cell, top + (i + 0.15) * 30) for i in range(4) for j in range(4)
    ]
    assert np.ptp(corners, axis=0).max() == 0


def test_what_is_hidden_is_hatched_and_says_minus_infinity_or_0(language):
    picture = plots.heatmaps(TOKENS, hidden=~VISIBLE, weights=RESULT.weights, scores=RESULT.scores)
    shown = [t.get_text() for t in texts(picture)]
    assert shown.count("−∞") == 6 and shown.count("0") == 6 and "0.406" in shown and "−1.03" in shown
    hatched = [patch for patch in picture.axes[0].patches if patch.get_hatch() and patch.get_linewidth() == 0]
    assert [len(patch.get_path().vertices) for patch in hatched] == [6 * 5, 6 * 5]  # six cells in each
    for i, j in ((0, 3), (2, 3)):
        _, left, right, bottom, top = boxes(picture.axes[0])[0]
        cell = (right - left) / 4
        region = pixels(picture)[
            int((top + 30 * i + 2) * 1.5) : int((top + 30 * i + 28) * 1.5),
            int((left + cell * j + 2) * 1.5) : int((left + cell * j + cell - 2) * 1.5),
        ].reshape(-1, 3)
        assert (region == (238, 240, 242)).all(axis=1).mean() > 0.3  # the ground of the hatch
        assert (region == (107, 116, 128)).all(axis=1).mean() > 0.03  # and its lines


def test_a_hidden_cell_that_carries_weight_shows_it():
    leak = np.array([[0.5, 0.5], [0.25, 0.75]])
    shown = {
        t.get_text() for t in texts(plots.heatmaps(hidden=[[False, True], [False, False]], weights=leak))
    }
    assert {"0.500", "0.250", "0.750"} <= shown and "0" not in shown


def test_the_mask_is_not_laid_over_features_of_the_same_shape():
    picture = plots.heatmaps(TOKENS, hidden=~VISIBLE, weights=RESULT.weights, Q=H @ W_Q)
    np.testing.assert_array_equal(picture.axes[0].images[1].get_array(), (H @ W_Q).clip(-2, 2))


def test_zero_influence_is_hatched_and_small_influence_is_not():
    array = np.array([[0.3, 1e-13, 0.0], [0.004, 0.2, 0.0]])
    picture = plots.heatmaps(influence=array)
    shown = [t.get_text() for t in texts(picture)]
    assert shown.count("0") == 3 and "0.00" in shown and "0.30" in shown
    assert "no influence in 3 of 6 cells" in picture.alt and picture.axes[0].images[0].get_clim() == (0, 0.5)


def test_visible_and_additive_mask_say_the_same_thing():
    picture = plots.heatmaps(TOKENS, visible=VISIBLE, additive=additive_mask(VISIBLE))
    shown = [t.get_text() for t in texts(picture)]
    assert shown.count("✓") == 10 and shown.count("−∞") == 6 and shown.count("0") == 10
    assert "10 of 16 cells visible" in picture.alt and "6 of 16 cells hidden" in picture.alt


def test_nan_and_infinity_have_a_look_of_their_own(language):
    array = np.array([[np.nan, np.inf, -np.inf], [0.5, -0.5, 0.25]])
    picture = plots.heatmaps(scores=array)
    shown = [t.get_text() for t in texts(picture)]
    assert (
        shown.count("NaN") == 2 and shown.count("∞") == 1 and shown.count("−∞") == 1
    )  # one NaN in the legend
    assert {"///", "..."} <= {patch.get_hatch() for patch in picture.axes[0].patches}
    _, left, right, _, top = boxes(picture.axes[0])[0]
    np.testing.assert_allclose(
        at(picture, left + (right - left) / 3 + 4, top + 4), style.SIGNED(1.0)[:3], atol=0.003
    )
    plots.heatmaps(weights=np.full((2, 2), np.nan), influence=[[np.nan]]).png()


def test_the_sign_is_seen_without_colour_where_numbers_do_not_fit():
    array = np.random.default_rng(1).normal(size=(3, 40))
    halves = np.asarray(plots.heatmaps(scores=array).axes[0].images[0].get_array())
    clipped = array.clip(-2, 2)
    np.testing.assert_array_equal(halves[0::2], clipped.clip(min=0))
    np.testing.assert_array_equal(halves[1::2], clipped.clip(max=0))


@pytest.mark.parametrize(
    "array", [RESULT.weights, np.linspace(0, 1, 40).reshape(4, 10)], ids=["lesson", "ramp"]
)
def test_the_png_keeps_the_colours_and_every_number_is_read_on_them(array):
    picture = plots.heatmaps(weights=array, scores=3 * array - 1.5)
    sheet, drawn = picture.axes[0], pixels(picture)
    for image in sheet.images[:2]:
        left, right, bottom, top = image.get_extent()
        rows, columns = array.shape
        cell, row = (right - left) / columns, (bottom - top) / rows
        for i, j in np.ndindex(array.shape):
            ground = drawn[int((top + i * row + 3.5) * 1.5), int((left + j * cell + 3.5) * 1.5)] / 255
            np.testing.assert_allclose(ground, image.to_rgba(image.get_array())[i, j, :3], atol=0.003)
            inside = [
                t
                for t in sheet.texts
                if left + j * cell < t.get_position()[0] < left + j * cell + cell
                and top + i * row < t.get_position()[1] < top + i * row + row
            ]
            assert len(inside) == 1 and style.contrast(inside[0].get_color(), ground) >= 4.5


@pytest.mark.parametrize("rows", [1, 5, 12, 20])
@pytest.mark.parametrize("columns", [1, 3, 7, 12, 16, 20])
def test_every_size_is_drawn_without_overlap(language, rows, columns):
    draw = np.random.default_rng(rows + 100 * columns)
    names = [("policy", "词元", "employment", "注意力 权重")[k % 4] + str(k) for k in range(20)]
    picture = plots.heatmaps(
        names[:rows],
        names[:columns],
        weights=softmax(draw.normal(size=(rows, columns))),
        scores=30 * draw.normal(size=(rows, columns)),
        values=draw.normal(size=(rows, 6)),
    )
    picture.canvas.draw()
    width, height = picture.get_size_inches() * 96
    extents = [t.get_window_extent() for t in texts(picture)]
    low = np.array([[box.x0, box.y0] for box in extents]) + 1
    high = np.array([[box.x1, box.y1] for box in extents]) - 1
    assert low.min() >= -1 and np.all(high <= [width, height]) and width <= plots.WIDTH + 1
    apart = (low[:, None] >= high).any(axis=-1) | (low >= high[:, None]).any(axis=-1)
    assert np.all(apart | np.eye(len(extents), dtype=bool))


def test_names_stand_only_where_tokens_stand():
    picture = plots.heatmaps(TOKENS, Q=H @ W_Q, weights=RESULT.weights, W_Q=W_Q[:4])
    shown = [t.get_text() for t in texts(picture)]
    assert all(shown.count(token) == 2 for token in TOKENS)  # beside Q and weights, once; above weights, once
    across = plots.heatmaps(["question"], ["wage", "job", "price"], weights=[0.2, 0.5, 0.3])
    assert "“question” gives most weight to “job” (0.500)" in across.alt


def test_equal_matrices_break_into_bands_when_numbers_need_room():
    heads = {f"weights_head_{k}": RESULT.weights for k in range(1, 7)}
    picture = plots.heatmaps(TOKENS, **heads)
    assert sum(t.get_text() == "0.406" for t in texts(picture)) == 6
    assert len({image.get_extent()[3] for image in picture.axes[0].images[:6]}) == 2
    assert "head 6" in picture.alt


def test_a_name_is_made_of_known_words(language):
    plots.heatmaps(**{kind: np.eye(2) for kind in KINDS})  # every kind has its words
    assert plots.words("weights", "weights_causal", "head_2") == (
        ["weights", "weights, causal mask", "head 2"]
        if language == "en"
        else ["权重", "权重，因果掩码", "头 2"]
    )
    assert plots.words("temperature_0.5", "with_scale_d_k_64")[0].endswith(" 0.5")
    with pytest.raises(ValueError, match="attention_weights.*weights, scores"):
        plots.heatmaps(attention_weights=np.eye(2))
    with pytest.raises(ValueError, match="magic.*causal"):
        plots.heatmaps(weights_magic=np.eye(2))
    with pytest.raises(ValueError, match="no words for “2”"):
        plots.words("2")


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: plots.heatmaps(TOKENS), "needs a matrix"),
        (lambda: plots.heatmaps(weights=np.ones((2, 3, 4))), r"weights needs a matrix.*\(2, 3, 4\)"),
        (lambda: plots.heatmaps(weights=np.ones((0, 4))), r"at least one row.*\(0, 4\)"),
        (lambda: plots.heatmaps(TOKENS, weights=np.ones((2, 3))), r"rows has 4 names.*weights \(2, 3\)"),
        (lambda: plots.heatmaps(None, TOKENS, Q=np.ones((2, 4))), r"columns has 4 names.*Q \(2, 4\)"),
        (lambda: plots.heatmaps(hidden=[[True]], weights=np.eye(2)), r"hidden has shape \(1, 1\)"),
        (
            lambda: plots.lines([1, 2], "n", "loss", measured=[1, 2, 3]),
            r"measured has shape \(3,\).*2 numbers",
        ),
        (lambda: plots.lines([[1]], "n", "loss", measured=[1]), r"row of numbers x, got shape \(1, 1\)"),
        (lambda: plots.lines([1, 2], "n", "loss"), "1 to 6 named series, got 0"),
        (lambda: plots.bars([], weight=[]), "at least one label"),
        (lambda: plots.bars(["a"], **{f"head_{k}": [1] for k in range(7)}), "1 to 6 named series, got 7"),
        (lambda: plots.histogram("score", measured=[1, np.nan]), "finite numbers"),
        (lambda: plots.histogram("score"), "1 to 6 named series, got 0"),
        (lambda: plots.hull(np.ones((3, 3)), z=[1, 2]), r"\(3, 3\)"),
        (lambda: plots.hull(np.ones((3, 2)), ["a"], z=[1, 2]), "1 labels for 3 values"),
        (
            lambda: plots.attention_picture(TOKENS, RESULT.weights, V[:3], RESULT.context, VISIBLE, 0),
            r"4 tokens need.*\(3, 4\)",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_inputs_stay_as_they_are():
    weights, hidden = RESULT.weights.copy(), ~VISIBLE
    weights.flags.writeable = hidden.flags.writeable = False
    before = weights.copy()
    plots.heatmaps(TOKENS, hidden=hidden, weights=weights).png()
    np.testing.assert_array_equal(weights, before)


# ── Curves, bars, spread, hull ──────────────────────────────────────────────────────────────────────────────


def test_curves_hold_their_arrays_and_differ_in_marker_dashes_and_name(language):
    x, series = np.arange(1, 6), {f"head_{k}": np.arange(5.0) + k / 100 for k in range(1, 7)}
    picture = plots.lines(x, "d_k", "variance", **series)
    curves = picture.axes[0].lines
    for curve, y in zip(curves, series.values(), strict=True):
        np.testing.assert_array_equal(curve.get_xdata(), x)
        np.testing.assert_array_equal(curve.get_ydata(), y)
    assert len({curve.get_marker() for curve in curves}) == len({curve.get_color() for curve in curves}) == 6
    assert [curve.get_linestyle() for curve in curves].count("-") == 1
    names = plots.words(*series)
    places = [t.get_position()[1] for name in names for t in texts(picture) if t.get_text() == name]
    assert len(places) == 6 and np.diff(sorted(places)).min() >= 22  # though the curves end close together
    assert places == sorted(places, reverse=True)  # in the order of the curves
    assert picture.axes[0].get_ylim()[0] == 0


def test_log_axes_name_powers_of_two_or_decades(language):
    powers = plots.lines([1, 4, 16, 1024], "d_k", "variance", log="xy", measured=[1, 4, 15, 1000])
    powers.canvas.draw()
    assert [t.get_text() for t in powers.axes[0].get_xticklabels()] == ["1", "4", "16", "1024"]
    tiny = plots.lines([1, 2], "n", "error", log="y", measured=[1e-7, 1e-3], error=[1e-9, 0])
    tiny.canvas.draw()
    assert any("10^{-7}" in t.get_text() for t in tiny.axes[0].get_yticklabels())
    tiny.png()


def test_a_level_is_a_plain_line_and_gaps_are_left_open():
    picture = plots.lines([1, 2, 3], "step", "loss", entropy=0.867, measured=[2, np.nan, np.nan])
    level, curve = picture.axes[0].lines
    assert level.get_marker() == "" and set(level.get_ydata()) == {0.867} and curve.get_marker() == "o"
    assert "entropy: 0.87 throughout." in picture.alt and "measured: 2 throughout." in picture.alt


def test_curves_in_words():
    x = [1, 2, 3]
    picture = plots.lines(x, "n", "loss", measured=[2, 5, 1.234], predicted=[3, 2, 0.000456], chance=1e-15)
    assert picture.alt == (
        "Curves of loss against length n, from 1 to 3. measured: from 2 to 1.2, between 1.2 and 5. "
        "predicted: from 3 to 0.00046. chance: less than 1e−9 throughout."
    )
    trained = plots.lines(
        x, "step", "loss", trained=True, loss=[2, 1, 0.3], accuracy=[0.1, 0.5, 0.9], chance=0.1
    )
    assert trained.alt.endswith(
        "loss: ends lower than it starts. accuracy: ends higher than it starts. chance: level."
    )


def test_bars_end_at_their_values(language):
    values = {"weight": np.array([0.4, 0.0, 1.0]), "ablation": np.array([0.25, 0.5, np.nan])}
    picture = plots.bars(["a", "b", "c"], **values)
    sheet = picture.axes[0]
    filled = [p for p in sheet.patches if p.get_fill() and p.get_width() != 28]  # without the legend's
    full = max(p.get_width() for p in filled)
    np.testing.assert_allclose(
        np.reshape([p.get_width() / full for p in filled], (3, 2)), [[0.4, 0.25], [0, 0.5], [1, 0]], atol=1e-9
    )
    assert len({(p.get_facecolor(), p.get_hatch()) for p in filled}) == 2
    assert {"0.400", "0.000", "1.000", "0.250", "NaN"} <= {t.get_text() for t in texts(picture)}


def test_bars_in_words():
    assert plots.bars(["a", "b"], products=[0.09, -0.11]).alt == "Bars of products: a 0.09; b minus 0.11."
    two = plots.bars(["a", "b"], weight=[1, 2], error=[3, 40])
    assert two.alt == "Bars of weight; error: a 1, 3; b 2, 40."
    assert plots.bars(["a", "b"], trained=True, accuracy=[0.47, 1]).alt == "Bars of accuracy, for a, b."


@pytest.mark.parametrize("size, tick", [(0.55, "0.75"), (0.003, "0.005"), (4.26, "3"), (170, "150")])
def test_the_axis_of_bars_ends_at_a_fixed_step(size, tick):
    assert tick in {t.get_text() for t in texts(plots.bars(["a"], error=[size]))}


def test_histogram_counts_every_value_once():
    sample = np.random.default_rng(5).normal(size=(50, 40)) * 2
    picture = plots.histogram("score", d_k_4=sample)
    shares, edges, _ = picture.axes[0].patches[0].get_data()
    assert edges[0] == -edges[-1] and len(shares) % 2 == 1
    np.testing.assert_allclose(
        shares, [((sample >= a) & (sample < b)).mean() for a, b in zip(edges, edges[1:], strict=False)]
    )
    assert "d_k 4: 2000 values with standard deviation 2." in picture.alt


@pytest.mark.parametrize(
    "values, point, inside",
    [
        ([[0, 0], [2, 0], [0, 2], [0.5, 0.5]], [0.9, 0.9], True),
        ([[0, 0], [2, 0], [0, 2], [0.5, 0.5]], [1, 1], True),  # on the border
        ([[0, 0], [2, 0], [0, 2], [0.5, 0.5]], [1.01, 1.0], False),
        ([[0, 0], [1, 1], [2, 2]], [1.5, 1.5], True),  # a hull without area
        ([[0, 0], [1, 1], [2, 2]], [3, 3], False),
        ([[0, 0], [1, 1], [2, 2]], [1, 1.1], False),
        ([[1, 2]], [1, 2], True),
        ([[1, 2], [1, 2]], [1, 2.1], False),
    ],
)
def test_hull_says_what_lies_inside(values, point, inside):
    picture = plots.hull(values, z=point)
    assert picture.alt.endswith("z lies inside." if inside else "z lies outside.")
    picture.png()


def test_a_convex_combination_never_leaves_the_hull():
    draw = np.random.default_rng(8)
    for n in (2, 3, 7):
        values = draw.normal(size=(n, 2))
        for weights in softmax(4 * draw.normal(size=(20, n))):
            assert "inside" in plots.hull(values, z=weights @ values).alt


# ── The weighted sum ────────────────────────────────────────────────────────────────────────────────────────


def test_the_still_picture_of_the_lesson(language):
    picture = plots.attention_picture(TOKENS, RESULT.weights, V, RESULT.context, VISIBLE, 2, mask="causal")
    assert (
        picture.alt
        == {
            "en": "Attention over 4 tokens, d_k 4, causal mask, at step 5 of 5: Context vectors. "
            "The query “wages” gives most weight to “raises” (0.406).",
            "zh": "4 个词元的注意力，d_k = 4，因果掩码，第 5 步，共 5 步：上下文向量。"
            "查询“wages”把最大的权重给了“raises”（0.406）。",
        }[language]
    )
    arrays = [np.asarray(image.get_array()) for image in picture.axes[0].images[:4]]
    for drawn, array in zip(
        arrays, (RESULT.weights, V, RESULT.context, RESULT.weights[2, :, None]), strict=True
    ):
        np.testing.assert_array_equal(drawn, array.clip(-2, 2))
    shown = [t.get_text() for t in texts(picture)]
    assert shown.count("0.406") == 2 and shown.count("Σ = 1.000") == 4 and shown.count("wages") == 4
    weights, values, context, standing = [image.get_extent() for image in picture.axes[0].images[:4]]
    assert weights[3] == context[3] and values[:2] == context[:2]  # the result where row and column meet
    assert values[2:] == standing[2:] and standing[1] < values[0]  # the weights beside the values


def test_a_query_that_sees_nothing_is_said(language):
    nothing = VISIBLE & [[False], [True], [True], [True]]
    result = self_attention(H, W_Q, W_K, W_V, nothing)
    picture = plots.attention_picture(TOKENS, result.weights, V, result.context, nothing, 0)
    assert (
        "“policy” gives weight to nothing" if language == "en" else "“policy”没有分出任何权重"
    ) in picture.alt
    assert "Σ = 0.000" in {t.get_text() for t in texts(picture)}


@pytest.mark.parametrize("n, d_k", [(2, 1), (4, 8), (8, 12), (13, 3), (16, 64)])
def test_the_still_picture_in_every_size(language, n, d_k):
    tokens, H, W_Q, W_K, W_V = lesson(n, d_k)
    visible = causal_mask(n)
    result = self_attention(H, W_Q, W_K, W_V, visible)
    picture = plots.attention_picture(
        tokens, result.weights, H @ W_V, result.context, visible, n - 1, mask="window"
    )
    picture.canvas.draw()
    width, height = picture.get_size_inches() * 96
    for shown in texts(picture):
        box = shown.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, shown.get_text()
