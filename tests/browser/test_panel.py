"""The panel where learners meet it: in a real JupyterLab, worked by keyboard, and in a page without a kernel."""

from io import BytesIO
from pathlib import Path

import nbformat
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from stage import D_K, LENGTH, MASK, PANEL, QUERY, SETTINGS, SLIDERS, STEPS, Stage, panel_notebook

import attention_lab as al
from attention_lab.panels import MASKS, WIDTHS

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[ez][nh]/05_*.ipynb"))


# Notebook 05 as it is shipped ---------------------------------------------------------------------


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.parent.name)
def test_run_all_leaves_no_error_and_one_stage_a_panel(lab_page, path):
    page = lab_page(path)
    page.run_all()
    cells = page.code_cells()
    assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))
    noise = [output for cell in cells for output in cell["outputs"] if output.get("name") == "stderr"]
    assert noise == []
    sources = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    panels = sum("al.panel(" in source for source in sources)
    assert panels >= 1
    for nth in range(panels):
        stage = Stage(page.page, nth)
        assert stage.drawn >= 1 and stage.cells()
    assert page.page.locator(".al-stage").count() == panels


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.parent.name)
def test_before_run_all_a_picture_with_words_stands_in_for_the_panel(lab_page, path):
    page = lab_page(path)
    notebook = nbformat.read(path, 4)
    panels = [
        k for k, cell in enumerate(notebook.cells) if cell.cell_type == "code" and "al.panel(" in cell.source
    ]
    for k in panels:
        image = page.page.locator(".jp-Cell").nth(k).locator(".jp-OutputArea-output img")
        image.scroll_into_view_if_needed()
        assert image.count() == 1
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
        assert len(image.get_attribute("alt")) > 40
    assert page.page.locator(".al-stage").count() == 0


# Keyboard -----------------------------------------------------------------------------------------

FOCUSED = """() => {
    const node = document.activeElement;
    return node.closest('.al-panel') && {
        role: node.getAttribute('role'), editable: node.isContentEditable,
        kept: node.dataset.lmSuppressShortcuts === 'true',
        slider: [...document.querySelectorAll('.al-controls .noUi-handle')].indexOf(node),
    };
}"""


def test_tab_reaches_every_control_and_arrows_move_it(panel):
    page, stage = panel()
    keyboard = page.page.keyboard
    page.page.locator(".jp-Cell .cm-content").nth(1).click()
    keyboard.press("Escape")
    stops = []
    for _ in range(20):
        keyboard.press("Tab")
        stop = page.page.evaluate(FOCUSED)
        if not stop:
            continue
        stops.append(stop)
        if stop["role"] in ("slider", "radio"):
            settings, picture = stage.settings, stage.picture()
            keyboard.press("ArrowDown" if stop["role"] == "radio" else "ArrowRight")
            stage.settle()
            expected = SETTINGS[stop["slider"]] if stop["role"] == "slider" else "query"
            assert {name for name in SETTINGS if stage.settings[name] != settings[name]} == {expected}
            assert stage.picture() != picture
    roles = [stop["role"] for stop in stops if not stop["editable"]]
    assert roles == [*["slider"] * 4, "radio", "application"]
    assert [stop["slider"] for stop in stops if stop["role"] == "slider"] == list(SLIDERS)
    assert all(stop["kept"] for stop in stops if not stop["editable"])


NOTEBOOK = """() => {
    const notebook = jupyterapp.shell.currentWidget.content;
    return [notebook.widgets.map(cell => cell.model.id), notebook.activeCellIndex, notebook.mode,
        notebook.widgets.map(cell => cell.model.sharedModel.source)];
}"""


def test_keys_on_a_control_never_reach_the_notebook(panel):
    page, stage = panel()
    radio, picture = stage.root.get_by_role("radio", checked=True), stage.root.locator(".al-picture")
    controls = [*stage.handles.all(), radio, picture]
    for control in controls:
        control.focus()
        before = page.page.evaluate(NOTEBOOK)
        for key in "ArrowDown ArrowUp d d a b x m 0 0 Shift+m Enter Escape".split():
            page.page.keyboard.press(key)
        assert page.page.evaluate(NOTEBOOK) == before
    stage.settle()


@pytest.mark.parametrize(
    "language, words",
    [("en", ("d_k", "Mask", "Length n", "Query")), ("zh", ("d_k", "掩码", "序列长度", "查询"))],
)
def test_every_slider_says_its_name_and_its_value(panel, language, words):
    _, stage = panel(language)
    names = [handle.get_attribute("aria-label") for handle in stage.handles.all()]
    assert all(word in name for word, name in zip(words, names, strict=True))
    for slider, handle in enumerate(stage.handles.all()):
        said = []
        stage.press(slider, "Home")
        for _ in range(STEPS[slider]):
            said.append(handle.get_attribute("aria-valuetext"))
            readout = stage.panel.locator(".al-controls .widget-readout").nth(slider).inner_text()
            assert readout in said[-1]
            stage.press(slider, "ArrowRight")
        assert len(set(said)) == STEPS[slider]


# The picture while sliders move -------------------------------------------------------------------


def test_every_setting_is_drawn_as_numpy_computes_it(panel):
    _, stage = panel()
    for d_k, mask, length in [(0, 0, 0), (11, 1, 14), (3, 2, 2), (5, 3, 8), (7, 4, 14), (1, 3, 0)]:
        stage.set(d_k, mask, length)
        n, width, name = length + 2, WIDTHS[d_k], MASKS[mask]
        assert stage.settings == {"d_k": width, "mask": name, "n": n, "query": 1}
        padding = al.padding_mask(n - max(1, n // 4), n)
        masks = {
            "none": None,
            "causal": al.causal_mask(n),
            "padding": padding,
            "causal_padding": al.causal_mask(n) & padding,
            "window": al.window_mask(n, 3),
        }
        example = al.examples.lesson(n, width)
        expected = al.self_attention(*example[1:], masks[name])
        model = stage.get("({weights: stage.scene.m.weights, context: stage.scene.m.context})")
        np.testing.assert_allclose(model["weights"], expected.weights, atol=1e-9)
        np.testing.assert_allclose(model["context"], expected.context, atol=1e-9)
        assert np.isfinite([[cell[key] for key in "xywh"] for cell in stage.cells()]).all()


def test_length_goes_from_16_to_2_and_back_under_every_mask(panel):
    _, stage = panel()
    for mask in range(STEPS[MASK]):
        stage.set(d_k=3, mask=mask, n=14, query=1)
        full = stage.picture()
        stage.press(QUERY, "End")
        assert stage.settings["query"] == 16
        stage.press(LENGTH, "Home")
        assert (stage.settings["n"], stage.settings["query"]) == (2, 2)
        assert (
            "2" in stage.root.locator(".al-note").inner_text()
        )  # the query was moved, and the panel says so
        stage.press(LENGTH, "End")
        assert (stage.settings["n"], stage.settings["query"]) == (16, 2)
        assert stage.picture() == full


def test_what_is_repainted_in_part_equals_a_whole_repaint(panel):
    page, stage = panel()
    for slider, key in (
        (MASK, "End"),
        (QUERY, "End"),
        (D_K, "Home"),
        (MASK, "Home"),
        (LENGTH, "End"),
        (MASK, "End"),
    ):
        stage.press(slider, key)
        picture = stage.picture()
        for theme in ("dark", "light"):  # each paints every cell anew
            page.theme(theme)
            stage.settle()
        assert stage.picture() == picture


@pytest.mark.parametrize("slider", SLIDERS, ids=SETTINGS)
def test_nothing_flickers_or_jumps_while_a_slider_moves(panel, slider):
    page, stage = panel()
    stage.watch()
    for key in ("Home", *["ArrowRight"] * (STEPS[slider] - 1), "Home", "End"):
        stage.press(slider, key)
    seen = stage.seen()
    assert seen["frames"] > STEPS[slider]
    assert seen["blank"] == 0 and seen["replaced"] == 0
    assert len(seen["tops"]) == 1
    assert seen["heights"] == sorted(seen["heights"]), "it may grow, but what stands below never jumps back"
    if slider not in (D_K, LENGTH):
        assert len(seen["heights"]) == 1


def test_thirty_fast_keys_leave_the_last_value_and_nothing_to_catch_up(panel):
    page, stage = panel()
    stage.set(d_k=3, n=8)
    slowly = stage.picture()
    stage.press(LENGTH, "Home")
    drawn = stage.drawn
    stage.press(LENGTH, *["ArrowRight"] * 14, *["ArrowLeft"] * 11, *["ArrowRight"] * 5)
    assert stage.settings["n"] == 10
    assert stage.picture() == slowly
    assert 1 <= stage.drawn - drawn <= 30
    drawn = stage.drawn
    page.page.wait_for_timeout(300)
    assert stage.drawn == drawn


@pytest.mark.parametrize("reduced_motion", [False, True])
def test_nothing_moves_by_itself(lab_page, reduced_motion):
    page = lab_page(panel_notebook(), reduced_motion=reduced_motion)
    page.run_all()
    stage = Stage(page.page)
    drawn, picture = stage.drawn, stage.picture()
    page.page.wait_for_timeout(700)
    assert (stage.drawn, stage.picture()) == (drawn, picture)
    running = "root => document.getAnimations().filter(a => root.contains(a.effect.target)).length"
    assert stage.root.evaluate(running) == 0


# Looks: every pair of theme, language and width ---------------------------------------------------

LOOKS = [
    ("light", "en", 960), ("dark", "zh", 960), ("dark", "en", 848), ("light", "zh", 848),
    ("light", "en", "projector"), ("dark", "zh", "projector"),
]  # fmt: skip
PAPER = {"light": (255, 255, 255), "dark": (17, 17, 17)}  # JupyterLab's own
LOOKS_AT = (
    {"d_k": 3, "mask": 1, "n": 2, "query": 2},
    {"d_k": 5, "mask": 3, "n": 6, "query": 3},
    {"d_k": 11, "mask": 4, "n": 14, "query": 9},
    {},
)


def luminance(colour):
    """Relative luminance after WCAG 2.1 of (red, green, blue), 0 … 255 each."""
    share = np.asarray(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """Contrast after WCAG 2.1 of two colours, 1 … 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def rgb(colour):
    """(red, green, blue) of "#rrggbb" or "rgb(r, g, b)"."""
    if colour.startswith("#"):
        return tuple(bytes.fromhex(colour[1:7]))
    return tuple(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])


def faint_numbers(stage):
    """Numbers in cells whose contrast with their ground is below 4.5 : 1."""
    ratios = [
        (cell, contrast(rgb(cell["fill"]), rgb(cell["ink"]))) for cell in stage.cells() if cell.get("text")
    ]
    return [f"{cell['matrix']} {cell['text']}: {ratio:.2f}" for cell, ratio in ratios if ratio < 4.5]


def faint_words(stage):
    """Words over the canvas whose contrast with the ground that a screenshot shows there is below 4.5 : 1."""
    image = np.asarray(Image.open(BytesIO(stage.root.locator(".al-picture").screenshot())).convert("RGB"))
    found = []
    for word in stage.words():
        left, top, right, bottom = (round(side * image.shape[1] / word["of"]) for side in word["box"])
        colours, counts = np.unique(image[top:bottom, left:right].reshape(-1, 3), axis=0, return_counts=True)
        ratio = contrast(colours[counts.argmax()], rgb(word["fill"]))
        if ratio < 4.5:
            found.append(f"{word['text']}: {ratio:.2f}")
    return found


@pytest.mark.parametrize("theme, language, width", LOOKS)
def test_readable_complete_and_accessible(panel, theme, language, width):
    page, stage = panel(language, zoomed=width == "projector", theme=theme)
    if width != "projector":
        page.output_width(width)
    assert rgb(stage.root.evaluate("root => getComputedStyle(root).backgroundColor")) == PAPER[theme]
    for settings in LOOKS_AT:
        stage.set(**settings)
        assert stage.cut_off() == []
    found = Axe().run(page.page, context=".al-panel").response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []
    window = page.page.viewport_size
    page.page.set_viewport_size(window | {"height": 1300})  # a screenshot shows what no scroller hides
    for settings in LOOKS_AT:
        stage.set(**settings)
        assert stage.false_colours() == []
        assert faint_numbers(stage) == []
        assert faint_words(stage) == []
    page.page.set_viewport_size(window)


# More than one panel, other arrays ----------------------------------------------------------------


def test_running_a_cell_again_leaves_one_stage_and_as_many_models(lab_page):
    page = lab_page(panel_notebook())
    page.run_all()
    Stage(page.page)
    models = "len(get_ipython().kernel.comm_manager.comms)"
    before = page.value(models)
    for _ in range(2):
        page.page.evaluate("() => { jupyterapp.shell.currentWidget.content.activeCellIndex = 1; }")
        page.command("notebook:run-cell")
        stage = Stage(page.page)
        stage.press(LENGTH, "End")
        assert stage.settings["n"] == 16
        assert page.page.locator(".al-stage").count() == 1
        assert page.page.locator(".al-controls .noUi-handle").count() == len(SLIDERS)
        assert page.value(models) == before


def test_two_panels_on_one_page_are_independent(lab_page):
    page = lab_page(panel_notebook("en", PANEL, PANEL))
    page.run_all()
    first, second = Stage(page.page, 0), Stage(page.page, 1)
    settings, picture = second.settings, second.picture()
    first.set(d_k=6, mask=2, n=7)
    assert first.settings == {"d_k": 12, "mask": "padding", "n": 9, "query": first.settings["query"]}
    assert (second.settings, second.picture()) == (settings, picture)
    second.set(d_k=6, mask=2, n=7)
    assert second.picture() == first.picture()
    ids = page.page.evaluate("() => [...document.querySelectorAll('.al-panel [id]')].map(node => node.id)")
    assert len(ids) == len(set(ids))


HOSTILE = ["<img src=x onerror=alert(1)>", "<hr>", "</table><script>alert(2)</script>", "<b>{n}"]


def test_a_learners_tokens_are_drawn_as_text(lab_page):
    source = f"al.panel(5, arrays=al.examples.lesson(4, 8)._replace(tokens={HOSTILE!r}))"
    page = lab_page(panel_notebook("en", source))
    page.run_all()
    stage = Stage(page.page)
    assert stage.settings["n"] == 4
    for key in ["ArrowUp"] * 3 + ["ArrowDown"] * 3:  # every token speaks as the query once
        stage.root.get_by_role("radio", checked=True).press(key)
        stage.settle()
    page.page.wait_for_timeout(400)  # until the table and the live region are written
    assert stage.panel.locator("img, script, hr, b").count() == 0
    assert stage.root.get_by_role("radio").nth(1).inner_text() == "<hr>"
    table = stage.root.locator("table.al-table").first.text_content()
    assert all(token in table for token in HOSTILE)


# Without a kernel ---------------------------------------------------------------------------------


def test_sliders_drive_the_picture_in_a_saved_page_without_a_kernel(saved_page):
    page = saved_page(panel_notebook())
    stage = Stage(page.page)
    for slider, name in ((D_K, "d_k"), (MASK, "mask"), (LENGTH, "n")):
        settings, picture = stage.settings, stage.picture()
        stage.press(slider, "ArrowRight")
        assert {key for key, value in stage.settings.items() if value != settings[key]} == {name}
        assert stage.picture() != picture
    stage.set(d_k=11, mask=1, n=14)
    assert (stage.settings["d_k"], stage.settings["mask"], stage.settings["n"]) == (64, "causal", 16)
    for handle in stage.handles.all():
        assert handle.get_attribute("aria-label") and handle.get_attribute("aria-valuetext")
    assert page.page.locator(".al-stage").count() == 1
