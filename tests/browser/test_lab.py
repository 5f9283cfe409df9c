"""The Mechanism Lab in a real JupyterLab: it plays, halts, keeps still and says where it is."""

import numpy as np
import pytest
from expected import head
from lab import LabPage, Server
from looks import LOOKS, PAPER, axe, faint_numbers, faint_words, rgb
from stage import D_K, LAB, LENGTH, MASK, QUERY, Lab, panel_notebook

from attention_lab.panels import MASKS, visibility

STOPS = ("1", "2", "3a", "3b", "4a", "4b", "4c", "5a", "5b")


def agree(model, settings):
    """The numbers of one moment are NumPy's for its settings."""
    for name, values in head(settings["n"], settings["d_k"], settings["mask"]).items():
        np.testing.assert_allclose(model[name], values, atol=1e-9, err_msg=name)


# Playing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "theme, language, start", [("light", "en", 0), ("dark", "zh", 6)], ids=lambda value: str(value)
)
def test_play_reaches_the_last_stop_says_each_on_arrival_and_leaves_the_pictures_that_steps_give(
    lab, theme, language, start
):
    page, stage = lab(language, theme=theme)
    stage.set(d_k=3, mask=1, n=2, query=2)
    stage.go(9)
    page.page.wait_for_timeout(400)
    stage.speed(2)
    if start:
        stage.go(start)
    else:
        stage.button("restart").click()
        stage.settle()
    assert (stage.T, stage.playing) == (start, False)
    page.page.wait_for_timeout(400)
    stage.film()
    stage.button("play").click()
    stage.wait("!player.playing", seconds=30)
    page.page.wait_for_timeout(500)
    film = stage.filmed()
    assert stage.T == 9 and not stage.playing, "it never loops"
    assert film["T"] == sorted(film["T"])
    assert max(np.diff(film["T"])) < 0.6, "it moves through what lies between"
    arrived = list(range(start + 1, 10))
    assert [T for T, _ in film["said"]] == arrived, "it speaks on arrival and is silent on its way"
    words = stage.get("stage.words")
    for T, said in film["said"]:
        stop = STOPS[T - 1]
        assert said.startswith(words["step_is"].format(k=stop[0], title=words[f"title_{stop}"]))
        assert "wages" in said
    page.page.emulate_media(reduced_motion="reduce")  # followed while it is open
    stage.go(arrived[0])
    for k in arrived:
        stage.settle()
        assert (stage.T, stage.layers()) == (k, film["stops"][k]), f"stop {STOPS[k - 1]}"
        stage.key("Space" if k % 2 else "ArrowRight")
    page.page.emulate_media(reduced_motion="no-preference")
    stage.button("play").wait_for()  # back again
    stage.key("Space")  # from the end, play is a replay
    stage.wait("player.playing && player.T > 0 && player.T < 2")
    stage.key("Space")


FRAMES = """(root, seconds) => {
    const {player} = root.alStage, seen = [];
    for (player.seek(0); player.T < 9 && seen.length < 1e5; player.advance(seconds)) seen.push(player.T);
    return seen;
}"""


@pytest.mark.parametrize("seconds", [1 / 60, 2 / 60, 1 / 100, 0.0167, 0.1, 0.2])
def test_no_frame_rate_passes_a_stop_without_a_rest(lab, seconds):
    _, stage = lab()
    seen = stage.root.evaluate(FRAMES, seconds)
    rests = [seen.count(stop) for stop in range(1, 9)]
    assert min(rests) >= 0.9 / seconds and max(rests) <= 0.9 / seconds + 2


def test_settings_change_while_it_plays_and_every_frame_has_numpys_numbers(lab):
    page, stage = lab()
    stage.film()
    stage.key("Space")
    for k in range(20):  # at speed 1, so that a slow machine gets through before the last stop
        stage.send(D_K, *["ArrowRight" if k < 4 else "ArrowLeft"] * 2)
        stage.send(MASK, "ArrowRight" if k < 4 else "ArrowLeft")
        stage.send(LENGTH, *["ArrowRight" if k < 4 else "ArrowLeft"] * 3)
        stage.send(QUERY, "ArrowRight")
        page.page.wait_for_timeout(700)
        assert stage.playing
        if k >= 6 and stage.root.evaluate("root => root.alStage.player.T") > 4:
            break
    stage.key("Space")
    film = stage.filmed()
    assert len(film["models"]) >= 20 and film["T"] == sorted(film["T"]) and film["T"][-1] > 4
    assert len({tuple(sorted(settings.items())) for _, settings, _ in film["models"]}) >= 20
    for _, settings, model in film["models"]:
        agree(model, settings)


def test_pause_stops_within_the_movement_and_the_buttons_go_where_they_say(lab):
    page, stage = lab()
    stage.button("play").click()
    stage.wait("player.T > 1.3")
    stage.button("play").click()
    stage.settle()
    T, picture = stage.T, stage.layers()
    assert 1.3 < T < 2
    page.page.wait_for_timeout(400)
    assert (stage.T, stage.layers()) == (T, picture)
    stage.button("previous").click()  # to the stop just left
    assert stage.T == 1
    stage.speed(2)
    stage.button("next").click()
    stage.wait("!player.playing")
    page.page.wait_for_timeout(700)
    assert stage.T == 2, "next halts at the stop, for a lecturer to talk"
    stage.button("previous").click()
    assert stage.T == 1
    stage.button("restart").click()
    assert stage.T == 0


def test_keys_play_step_and_jump(lab):
    _, stage = lab()
    stage.speed(2)
    for key, T in zip("12345", (1, 2, 3, 5, 8), strict=True):
        stage.key(key)
        assert (stage.T, stage.playing) == (T, False)
    stage.key("ArrowLeft")
    assert stage.T == 7
    stage.key("ArrowRight")
    assert stage.playing
    stage.wait("!player.playing")
    assert stage.T == 8
    stage.key("Home")
    assert stage.T == 0
    stage.key("Space")
    assert stage.playing
    stage.key("Space")
    assert not stage.playing and stage.T < 1
    stage.steps_slider.focus()
    for key, T in [
        ("End", 9),
        ("ArrowRight", 9),
        ("ArrowLeft", 8),
        ("Home", 1),
        ("ArrowLeft", 1),
        ("ArrowUp", 2),
    ]:
        stage.page.keyboard.press(key)
        stage.settle()
        value, words = (stage.steps_slider.get_attribute(f"aria-value{name}") for name in ("now", "text"))
        assert stage.T == T and value == str(T) and words.startswith(f"Step {STOPS[T - 1][0]} of 5, ")


def test_space_and_digits_on_a_slider_or_a_radio_button_play_nothing(lab):
    _, stage = lab()
    radios = stage.root.get_by_role("radio", checked=True)  # the query, then the speed
    assert radios.count() == 2
    for control in (*stage.handles.all(), stage.steps_slider, *radios.all()):
        control.focus()
        stage.page.keyboard.press("Space")
        assert not stage.playing and stage.T == 1
    radios.nth(0).focus()
    stage.page.keyboard.press("ArrowRight")
    stage.settle()
    assert (stage.settings["query"], stage.T) == (2, 1)
    radios.nth(1).focus()
    stage.page.keyboard.press("ArrowRight")
    assert (stage.get("stage.player.speed"), stage.T, stage.playing) == (2, 1, False)


def test_the_step_slider_scrubs_by_mouse_and_snaps_to_stops(lab):
    page, stage = lab()
    box = stage.steps_slider.bounding_box()
    at = lambda T: (box["x"] + box["width"] * (T - 1) / 8, box["y"] + 15)  # noqa: E731
    page.page.mouse.click(*at(3.2))
    assert stage.T == 3
    page.page.mouse.move(*at(3))
    page.page.mouse.down()
    page.page.mouse.move(*at(4.5), steps=4)
    stage.settle()
    assert stage.T == pytest.approx(4.5, abs=0.02) and not stage.playing
    page.page.mouse.move(*at(7.03), steps=4)
    page.page.mouse.up()
    stage.settle()
    assert stage.T == 7


# Reduced motion -----------------------------------------------------------------------------------


@pytest.mark.parametrize("theme, language", [("dark", "en"), ("light", "zh")])
def test_reduced_motion_takes_play_away_and_steps_at_once(lab, theme, language):
    page, stage = lab(language, theme=theme, reduced_motion=True)
    assert not stage.button("play").is_visible() and not stage.root.locator(".al-speeds").is_visible()
    assert stage.root.locator(".al-calm").inner_text() == stage.get("stage.words.reduced")
    ink, paper = (
        stage.root.evaluate(f"root => getComputedStyle(root).{name}") for name in ("color", "backgroundColor")
    )
    filled = [button for button in stage.root.locator(".al-button:visible").all()
              if button.evaluate("button => getComputedStyle(button).backgroundColor") == ink]  # fmt: skip
    assert [button.evaluate("button => getComputedStyle(button).color") for button in filled] == [paper]
    assert "al-next" in filled[0].get_attribute("class")
    stage.film()
    for key in ("Space", "ArrowRight", "4", "ArrowLeft", "Home"):
        stage.key(key)
        stage.settle()
        assert not stage.playing
    assert [T for T in stage.filmed()["T"] if T != int(T)] == []
    assert stage.T == 1
    stage.go(9)
    stage.key("Space")
    assert stage.T == 9


def test_what_moves_arrives_when_the_setting_is_switched_on(lab):
    page, stage = lab()
    stage.key("Space")
    stage.wait("player.T > 1.2")
    page.page.emulate_media(reduced_motion="reduce")
    stage.wait("!player.playing")
    stage.settle()
    assert stage.T == 2
    page.page.wait_for_timeout(600)
    assert stage.T == 2


# What is shown ------------------------------------------------------------------------------------


def shown(cells, name):
    """The numbers on the canvas in one matrix: {(row, column): text}."""
    return {(c["row"], c["col"]): c["text"] for c in cells if c["matrix"] == name and c.get("text")}


@pytest.mark.parametrize("mask, query", [(1, 2), (3, 0)])
def test_every_number_on_the_nine_pictures_is_numpys(lab, mask, query):
    page, stage = lab(reduced_motion=True)
    page.output_width(1064)
    stage.set(d_k=3, mask=mask, n=2, query=query)
    one, visible = head(4, 4, MASKS[mask]), visibility(MASKS[mask], 4)
    masked = np.where(visible, one["scaled"], -np.inf)
    row = np.arange(4)[:, None] == query
    weights = ("A", one["weights"], 0.00051)
    scores = [
        ("S", np.where(row, one["raw"], np.nan)),
        ("S", one["raw"]),
        ("S", one["scaled"]),
        ("S", masked),
    ]
    at = [*[None] * 2, *scores, weights, weights, weights]
    for k in range(9):
        stage.go(k + 1)
        cells = stage.cells()
        found = [("H", one["H"])] + [("Q", one["Q"]), ("V", one["V"])] * (k > 0)
        found += [("K", one["K"] if k == 1 else one["K"].T)] * (k > 0) + [("Q below", one["Q"])] * (k > 1)
        found += [at[k]] * (k > 1) + [("a", one["weights"][query][:, None], 0.00051)] * (k > 6)
        found += [("Z", one["context"] if k == 8 else np.where(row, one["context"], np.nan))] * (k > 6)
        for name, values, *error in found:
            texts = shown(cells, name)
            assert set(texts) == set(map(tuple, np.argwhere(~np.isnan(values)).tolist())), (STOPS[k], name)
            for place, text in texts.items():
                number = float(text.replace("−∞", "-inf").replace("−", "-"))
                np.testing.assert_allclose(number, values[place], atol=error[0] if error else 0.00501, rtol=0)


def test_the_chosen_row_is_announced_with_its_numbers(lab):
    _, stage = lab()
    stage.set(d_k=3, mask=1, n=2, query=2)
    one = head(4, 4, "causal")
    number = lambda v: f"{v:.2f}".replace("-", "minus ")  # noqa: E731
    stage.go(3)
    stage.page.wait_for_timeout(400)
    assert all(number(score) in stage.live for score in one["raw"][2])
    stage.press(QUERY, "ArrowLeft")
    stage.page.wait_for_timeout(400)
    assert "Scores of raises: " in stage.live
    stage.go(7)
    stage.page.wait_for_timeout(400)
    assert (
        all(f"{w:.3f}" in stage.live for w in one["weights"][1][:2]) and "hidden: wages, jobs" in stage.live
    )


def test_a_weight_is_traced_by_key_and_by_click_and_escape_ends_it(lab):
    _, stage = lab()
    stage.set(d_k=3, mask=1, n=2, query=2)
    stage.go(9)
    one = head(4, 4, "causal")
    rails = stage.root.locator("svg.al-over polyline, svg.al-over path, svg.al-over line")
    plain, picture = rails.count(), stage.layers()
    for how in ("t", "Enter"):
        stage.key("Enter", "ArrowRight", how)  # reading begins at the query's first weight
        stage.settle()
        stage.page.wait_for_timeout(400)
        assert stage.get("[stage.trace, stage.scene.i, stage.scene.j]") == [True, 2, 1]
        assert f"raises gives {one['weights'][2, 1]:.3f} times " in stage.live
        assert rails.count() > plain
        stage.key("Escape")
        stage.settle()
        assert not stage.get("stage.trace")
        assert stage.layers() == picture
    cell = next(c for c in stage.cells() if (c["matrix"], c["row"], c["col"]) == ("A", 3, 0))
    stage.root.locator(".al-picture").click(position={"x": cell["x"] + 5, "y": cell["y"] + 5})
    stage.settle()
    assert stage.get("[stage.trace, stage.scene.i, stage.scene.j]") == [True, 3, 0]
    stage.go(8)
    assert not stage.get("stage.trace")


FOCUS = """() => {
    const node = document.activeElement, panel = node.closest('.al-panel');
    if (!panel) return null;
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    return {role: node.getAttribute('role') ?? node.tagName, name: node.getAttribute('aria-label') ?? node.innerText,
        editable: node.isContentEditable, y: (box.top + box.bottom) / 2, x: box.left, ring: style.outlineStyle !== 'none' || style.boxShadow !== 'none'};
}"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_focus_goes_through_the_controls_in_the_order_of_the_eye(lab, language):
    page, stage = lab(language)
    stage.handles.first.focus()
    page.page.keyboard.press("Shift+Tab")
    found = []
    while len(found) < 30:
        page.page.keyboard.press("Tab")
        focus = page.page.evaluate(FOCUS)
        if focus is None and found:
            break
        if focus and not focus["editable"]:
            found.append(focus)
    roles = [focus["role"] for focus in found]
    assert roles == ["slider"] * 4 + ["radio", "application"] + ["BUTTON"] * 4 + ["slider", "radio"]
    assert all(focus["name"] and focus["ring"] for focus in found)
    player = [(round(focus["y"] / 30), focus["x"]) for focus in found[6:]]
    assert player == sorted(player)
    words = stage.get("stage.words")
    assert [focus["name"] for focus in found[6:11]] == [
        words[w] for w in ("restart", "previous", "play", "next", "step_slider")
    ]


LONGEST = {"d_k": 3, "mask": 3, "n": 10, "query": 7}  # n 12, causal + padding: the longest sentence


@pytest.mark.parametrize("theme, language, width", LOOKS)
def test_all_nine_pictures_are_readable_complete_and_accessible(window, theme, language, width):
    page = window(language, zoomed=width == "projector", theme=theme)
    if width != "projector":
        page.output_width(width)
    stage, found = Lab(page.page, 6), []
    page.page.set_viewport_size(
        page.page.viewport_size | {"height": 1400}
    )  # a screenshot shows what no scroller hides
    assert rgb(stage.root.evaluate("root => getComputedStyle(root).backgroundColor")) == PAPER[theme]
    for settings in ({"d_k": 3, "mask": 1, "n": 2, "query": 2}, LONGEST):
        stage.set(**settings)
        stage.heed()
        heights = set()
        for k in range(1, 10):
            stage.go(k)
            heights.add(stage.panel.bounding_box()["height"])
            wrong = [stage.cut_off(), stage.false_colours(), faint_numbers(stage), faint_words(stage)]
            found += [(settings["n"], STOPS[k - 1], wrong)] if any(wrong) else []
        found += stage.heeded()
        found += [(settings["n"], "heights", heights)] if len(heights) > 1 else []
    for k in (1, 9):
        stage.go(k)
        found += [(k, violation) for violation in axe(stage)]
    stage.set(d_k=3, n=2)
    assert found == []


# Over time, elsewhere -----------------------------------------------------------------------------


def test_three_hundred_steps_leave_nothing_behind(lab):
    page, stage = lab(reduced_motion=True)
    session = page.page.context.new_cdp_session(page.page)
    session.send("Performance.enable")

    def counted():
        stage.go(1)
        page.page.wait_for_timeout(400)
        session.send("HeapProfiler.collectGarbage")
        metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
        models = page.value("len(get_ipython().kernel.comm_manager.comms)")
        return metrics["Nodes"], metrics["JSEventListeners"], metrics["JSHeapUsedSize"], models

    def walk(steps):
        for k in range(steps):
            stage.page.keyboard.press("ArrowRight" if k % 16 < 8 else "ArrowLeft")
            if k % 10 == 0:
                stage.send(QUERY, "ArrowRight" if k % 20 else "ArrowLeft")
                stage.key()

    stage.key()
    walk(32)
    nodes, listeners, heap, models = counted()
    stage.key()
    walk(300)
    later = counted()
    assert later[3] == models
    assert later[0] <= nodes + 50 and later[1] <= listeners
    assert later[2] < heap + 3e6, "bytes on the heap"


def test_it_works_in_notebook_7(chromium, tmp_path):
    server = Server(tmp_path, app="notebook")
    try:
        page = LabPage(chromium, server, panel_notebook("zh", LAB))
        try:
            page.problems.clear()  # Notebook 7.6 trips over a schema of its own as it opens
            page.run_all()
            stage = Lab(page.page)
            stage.press(LENGTH, "End")
            stage.press(MASK, "ArrowRight")
            agree(stage.get("stage.scene.m"), {"n": 16, "d_k": 4, "mask": "padding"})
            stage.speed(2)
            stage.key("Space")
            stage.wait("player.T > 1.5")
            stage.key("Space")
            assert not stage.playing
            stage.go(9)
            assert stage.cut_off() == [] and axe(stage) == []
            page.theme("dark")
            stage.settle()
            assert rgb(stage.root.evaluate("root => getComputedStyle(root).backgroundColor")) == PAPER["dark"]
            assert (page.problems, page.foreign) == ([], [])
        finally:
            page.close()
    finally:
        server.stop()
