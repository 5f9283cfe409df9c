"""The panels where learners meet them: in a real JupyterLab, worked by keyboard, and in a page without a kernel."""

import json
from pathlib import Path

import nbformat
import numpy as np
import pytest
from expected import head, heads, spread
from looks import LOOKS, PAPER, axe, faint_numbers, faint_words, rgb
from playwright.sync_api import TimeoutError
from stage import (
    D_K,
    EVERYTHING,
    LAB,
    LENGTH,
    MASK,
    OWN,
    PANEL,
    QUERY,
    SETTINGS,
    SLIDERS,
    STEPS,
    Lab,
    Stage,
    panel_notebook,
)

from attention_lab.panels import MASKS, TEMPERATURES, WIDTHS

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("[ez][nh]/0*.ipynb"))
PANELS = range(1, 7)


# The notebooks as they are shipped ----------------------------------------------------------------


def shows_stages(cell):
    """A code cell that shows panels or labs, one an output."""
    return cell.cell_type == "code" and ("al.panel(" in cell.source or "al.mechanism_lab(" in cell.source)


# What a reader should not see in rendered prose: marks of Markdown and TeX, formulas in error, lost pictures.
PROSE_FAULTS = """() => [...document.querySelectorAll('.jp-MarkdownOutput')].flatMap(cell => {
    const words = cell.cloneNode(true);
    words.querySelectorAll('code, mjx-container').forEach(part => part.remove());
    const lost = [...cell.querySelectorAll('img')].filter(image => !image.naturalWidth);
    return [
        ...words.textContent.matchAll(/.{0,20}[*$`].{0,20}/g),
        ...[...cell.querySelectorAll('mjx-merror, [data-mjx-error]')].map(formula => formula.textContent),
        ...lost.map(image => image.src),
    ].map(String);
})"""


PROSE_SHOWN = """n => {
    const cells = [...document.querySelectorAll('.jp-MarkdownOutput')];
    return cells.length === n && cells.every(cell => cell.textContent.trim());
}"""


def prose_faults(page, cells):
    """What is wrong with the rendered prose of a notebook with so many prose cells, once it is all typeset."""
    page.wait_for_function(PROSE_SHOWN, arg=cells)
    try:
        page.wait_for_function(f"() => ({PROSE_FAULTS})().length === 0", timeout=15_000)
    except TimeoutError:
        pass
    return page.evaluate(PROSE_FAULTS)


def test_marks_and_formulas_in_error_are_seen(lab_page):
    cells = ["**时间：**40 分钟", "**Fine** $x$ `a*b`", "$\\frac{1}$"]
    page = lab_page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(cell) for cell in cells]))
    marks, *errors = prose_faults(page.page, 3)
    assert marks == "**时间：**40 分钟" and errors


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem[:2]}")
def test_a_picture_stands_in_for_each_panel_until_run_all_puts_a_stage_there(lab_page, path):
    page = lab_page(path)
    notebook = nbformat.read(path, 4)
    assert prose_faults(page.page, sum(cell.cell_type == "markdown" for cell in notebook.cells)) == []
    places = {k: len(cell.outputs) for k, cell in enumerate(notebook.cells) if shows_stages(cell)}
    for k, outputs in places.items():
        images = page.page.locator(".jp-Cell").nth(k).locator(".jp-OutputArea-output img")
        images.first.scroll_into_view_if_needed()
        assert images.count() == outputs
        for image in images.all():
            assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
            assert len(image.get_attribute("alt")) > 25
    assert page.page.locator(".al-stage").count() == 0
    page.run_all()
    cells = page.code_cells()
    assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))
    noise = [output for cell in cells for output in cell["outputs"] if output.get("name") == "stderr"]
    assert noise == []
    shown = sum(places.values())
    assert shown >= 1
    for nth in range(shown):
        stage = Stage(page.page, nth)
        assert stage.drawn >= 1 and stage.cells()
    assert page.page.locator(".al-stage").count() == shown


# Keyboard -----------------------------------------------------------------------------------------

FOCUSED = """panel => {
    const node = document.activeElement;
    return panel.contains(node) && {
        role: node.getAttribute('role'), editable: node.isContentEditable,
        kept: node.dataset.lmSuppressShortcuts === 'true',
        slider: [...panel.querySelectorAll('.al-controls .noUi-handle')].indexOf(node),
    };
}"""


def test_tab_reaches_every_control_and_arrows_move_it(panel):
    page, stage = panel()
    keyboard = page.page.keyboard
    stage.handles.first.focus()
    keyboard.press("Shift+Tab")
    stops = []
    for _ in range(20):
        keyboard.press("Tab")
        stop = stage.panel.evaluate(FOCUSED)
        if not stop:
            break
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


@pytest.mark.parametrize("step", PANELS)
def test_every_value_of_every_control_is_drawn_in_numbers_and_words(panel, step):
    _, stage = panel(step=step)
    steps = [stage.steps(slider) for slider in range(stage.handles.count())]
    assert steps[:QUERY] == [11 if step == 3 else 12, 5, 15]
    assert steps[OWN:] == {2: [16], 4: [7], 6: [4]}.get(step, [])
    stage.set(d_k=3, mask=1, n=14, query=6)
    stage.heed()
    for slider, count in enumerate(steps):
        seen = set()
        for key in ("Home", *["ArrowRight"] * (count - 1)):
            stage.press(slider, key)
            seen.add(json.dumps(stage.get("stage.settings")))
        # W_Q has 64 columns: with 16 tokens and d_k 64, as the first slider leaves it, one head is all there is
        assert len(seen) == (1 if (step, slider) == (6, OWN) else count)
    assert stage.heeded() == []


def agree(stage, expected):
    """The stage's model has NumPy's numbers, up to the rounding of another order of summation."""
    model = stage.get("stage.scene.m")
    for name, values in expected.items():
        found = model["softened"][name] if name in ("none", "root", "full") else model[name]
        np.testing.assert_allclose(found, values, atol=1e-9, err_msg=name)


SETTINGS_TO_TRY = [(0, 0, 0), (3, 1, 14), (3, 2, 2), (5, 3, 8), (7, 4, 14), (1, 3, 0)]


@pytest.mark.parametrize("step", (1, 2, 5))
def test_every_setting_is_drawn_as_numpy_computes_it(panel, step):
    _, stage = panel(step=step)
    for d_k, mask, length in [*SETTINGS_TO_TRY, (11, 1, 14)]:
        stage.set(d_k, mask, length)
        n, width, name = length + 2, WIDTHS[d_k], MASKS[mask]
        assert stage.settings == {"d_k": width, "mask": name, "n": n, "query": 1}
        agree(stage, head(n, width, name))
        assert np.isfinite([[cell[key] for key in "xywh"] for cell in stage.cells()]).all()


def test_panel_2_says_and_adds_up_the_products_of_the_chosen_cell(panel):
    _, stage = panel(step=2)
    for d_k, query, key in [(3, 2, 0), (1, 0, 3), (5, 3, 1)]:
        stage.set(d_k=d_k, n=2, query=query, own=key)
        one = head(4, WIDTHS[d_k], "none")
        products = one["Q"][query] * one["K"][key]
        sentence = stage.root.locator(".al-say").inner_text().replace("−", "-")
        assert sentence.endswith(f"= {products.sum():.2f}.".replace("-0.00", "0.00"))
        bars = stage.root.locator("svg.al-over text").all_text_contents()
        shown = [
            float(bar.translate({9650: "", 9660: "", 8722: "-", 43: ""})) for bar in bars if bar[0] in "▲▼"
        ]
        np.testing.assert_allclose(shown, products, atol=0.00501)


def test_panel_3_softens_the_scores_of_the_spread_as_numpy_does(panel):
    _, stage = panel(step=3)
    for d_k, mask, length in [*SETTINGS_TO_TRY, (10, 1, 14)]:
        stage.set(d_k, mask, length, query=1)
        n, width, name = length + 2, 2**d_k, MASKS[mask]
        assert stage.settings == {"d_k": width, "mask": name, "n": n, "query": 2}
        expected = spread(n, width, name)
        agree(stage, expected)
        largest = [f"{expected[scale][1].max():.3f}" for scale in ("none", "root", "full")]
        assert set(largest) <= set(stage.root.locator("svg.al-over text").all_text_contents())


def test_panel_4_divides_by_the_temperature_as_numpy_does(panel):
    _, stage = panel(step=4)
    for own, temperature in enumerate(TEMPERATURES):
        stage.set(d_k=5, mask=4, n=6, query=5, own=own)
        expected = head(8, 8, "window", temperature=temperature)
        agree(stage, expected)
        assert f"{expected['weights'][5].max():.3f}" in stage.root.locator(".al-say").inner_text()


def test_panel_6_computes_and_joins_its_heads_as_numpy_does(panel):
    _, stage = panel(step=6)
    for d_k, mask, length, count in [(3, 1, 2, 2), (7, 3, 8, 4), (0, 0, 14, 3), (11, 4, 5, 1)]:
        stage.set(d_k, mask, length, own=count - 1)
        expected = heads(length + 2, WIDTHS[d_k], MASKS[mask], count)
        model = stage.get("stage.scene.m")
        for name in ("weights", "V"):
            np.testing.assert_allclose([one[name] for one in model["heads"]], expected[name], atol=1e-9)
        agree(stage, {name: expected[name] for name in ("concat", "output")})


def test_heads_beyond_the_arrays_move_to_what_fits_and_the_slider_follows(panel):
    page, stage = panel(step=6)
    readout = stage.panel.locator(".al-controls .widget-readout").nth(OWN)
    note = stage.root.locator(".al-note")
    for d_k, count, fits in ((8, 4, 2), (10, 2, 1)):  # W_Q has 64 columns: 4 heads of 16, 2 of 32
        stage.set(d_k=d_k - 1, n=2, own=count - 1)
        assert (stage.get("stage.settings.heads"), note.inner_text()) == (count, "")
        stage.press(D_K, "ArrowRight")
        assert stage.get("stage.settings.heads") == fits
        assert readout.inner_text() == stage.handles.nth(OWN).get_attribute("aria-valuetext") == str(fits)
        assert str(fits) in note.inner_text() and str(WIDTHS[d_k]) in note.inner_text()
    stage.press(OWN, "End")  # the slider itself cannot leave what fits
    assert stage.get("stage.settings.heads") == 1 and readout.inner_text() == "1" and note.inner_text()
    stage.press(D_K, "ArrowLeft")
    assert note.inner_text() == ""


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


FORGET = "root => { root.alStage.painter.shape = null; root.alStage.schedule(); }"  # what it has painted


def test_what_is_repainted_in_part_equals_a_whole_repaint(panel):
    _, stage = panel()
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
        stage.root.evaluate(FORGET)
        stage.settle()
        assert stage.picture() == picture


def test_a_theme_that_changes_while_the_panel_is_hidden_is_there_when_it_is_shown(panel):
    page, stage = panel()
    hide = "(root, hidden) => { root.closest('.jp-OutputArea').style.display = hidden ? 'none' : ''; }"
    for theme in ("dark", "light"):
        stage.root.evaluate(hide, True)
        page.theme(theme)
        page.page.wait_for_timeout(200)
        stage.root.evaluate(hide, False)
        stage.settle()
        assert stage.get("stage.theme") == theme


@pytest.mark.parametrize("slider", SLIDERS, ids=SETTINGS)
def test_nothing_flickers_or_jumps_while_a_slider_moves(panel, slider):
    page, stage = panel()
    stage.press(slider, "Home")  # focus may scroll it into view
    stage.watch()
    for key in (*["ArrowRight"] * (STEPS[slider] - 1), "Home", "End"):
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
    page = lab_page(panel_notebook("en", *EVERYTHING), reduced_motion=reduced_motion)
    page.run_all()
    stages = [Stage(page.page, nth) for nth in range(len(EVERYTHING))]
    before = [(stage.drawn, stage.layers()) for stage in stages]
    page.page.wait_for_timeout(1000)
    assert [(stage.drawn, stage.layers()) for stage in stages] == before
    assert Lab(page.page, 6).T == 1
    running = "root => document.getAnimations().filter(a => root.contains(a.effect.target)).length"
    assert [stage.root.evaluate(running) for stage in stages] == [0] * len(stages)


# Looks: every pair of theme, language and width ---------------------------------------------------

LOOKS_AT = (
    {"d_k": 3, "mask": 1, "n": 2, "query": 2},
    {"d_k": 5, "mask": 3, "n": 6, "query": 3},
    {"d_k": 10, "mask": 4, "n": 14, "query": 9},
    {},
)


@pytest.mark.parametrize("theme, language, width", LOOKS)
def test_readable_complete_and_accessible(window, theme, language, width):
    page = window(language, zoomed=width == "projector", theme=theme)
    if width != "projector":
        page.output_width(width)
    page.page.set_viewport_size(
        page.page.viewport_size | {"height": 1400}
    )  # a screenshot shows what no scroller hides
    found = []
    for step in PANELS:
        stage = Stage(page.page, step - 1)
        assert rgb(stage.root.evaluate("root => getComputedStyle(root).backgroundColor")) == PAPER[theme]
        for settings in LOOKS_AT:
            stage.set(**settings, own={2: 1, 4: 1, 6: 3}.get(step))
            wrong = [stage.cut_off(), stage.false_colours(), faint_numbers(stage), faint_words(stage)]
            found += [(step, settings, wrong)] if any(wrong) else []
        found += [(step, violation) for violation in axe(stage)]
    assert found == []


# More than one panel, other arrays ----------------------------------------------------------------


def test_running_a_cell_again_leaves_one_stage_and_as_many_models(lab_page):
    page = lab_page(panel_notebook("en", PANEL, LAB))
    page.run_all()
    Lab(page.page, 1)
    models = "len(get_ipython().kernel.comm_manager.comms)"
    before = page.value(models)
    for _ in range(2):
        page.page.evaluate("() => { jupyterapp.shell.currentWidget.content.activeCellIndex = 1; }")
        page.command("notebook:run-cell")
        stage = Stage(page.page)
        stage.press(LENGTH, "End")
        assert stage.settings["n"] == 16
        assert page.page.locator(".al-stage").count() == 2
        assert page.page.locator(".al-controls .noUi-handle").count() == 2 * len(SLIDERS)
        assert page.value(models) == before
        page.command("notebook:run-cell")  # the cell below: running one selects the next
        lab = Lab(page.page, 1)
        lab.speed(2)
        lab.key("Space")
        lab.wait("player.T > 0.3")
        assert page.page.locator(".al-stage").count() == 2 and page.value(models) == before


def test_two_panels_and_two_labs_on_one_page_are_independent(lab_page):
    page = lab_page(panel_notebook("en", PANEL, PANEL, LAB, LAB))
    page.run_all()
    first, second = Stage(page.page, 0), Stage(page.page, 1)
    settings, picture = second.settings, second.picture()
    first.set(d_k=6, mask=2, n=7)
    assert first.settings == {"d_k": 12, "mask": "padding", "n": 9, "query": first.settings["query"]}
    assert (second.settings, second.picture()) == (settings, picture)
    second.set(d_k=6, mask=2, n=7)
    assert second.picture() == first.picture()
    one, other = Lab(page.page, 2), Lab(page.page, 3)
    picture = other.layers()
    one.key("Space")
    one.wait("player.T > 1.4")
    assert (other.T, other.playing, other.layers()) == (1, False, picture)
    other.go(7)
    other.speed(2)
    assert one.playing and one.T < 7 and one.get("stage.player.speed") == 1
    one.key("Space")
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


def test_sliders_and_player_drive_the_picture_in_a_saved_page_without_a_kernel(saved_page):
    page = saved_page(panel_notebook("en", PANEL, LAB))
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
    assert page.page.locator(".al-stage").count() == 2
    lab = Lab(page.page, 1)
    lab.button("next").click()
    lab.wait("player.T === 2 && !player.playing")
    lab.speed(2)
    lab.key("Space")
    lab.wait("player.T > 2.5")
    lab.send(LENGTH, "End")
    lab.button("play").click()
    lab.settle()
    agree(lab, head(16, 4, "causal"))
    assert 2.5 < lab.T < 9 and not lab.playing
