"""The Mechanism Lab from Python: where it opens, what it sends, what stands in for it without a browser."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import attention_lab as al
from attention_lab import wording
from attention_lab.mechanism import STOPS


@pytest.fixture(autouse=True)
def english():
    al.setup("en")
    yield
    al.setup("en")


@pytest.mark.parametrize(
    ("state", "stop"),
    [(1, 1), (2, 2), (3, 3), (4, 5), (5, 8), ("1", 1), ("5", 8),
     ("3a", 3), ("3b", 4), ("4a", 5), ("4b", 6), ("4c", 7), ("5a", 8), ("5b", 9)],
)  # fmt: skip
def test_opens_at_a_step_or_at_one_of_its_stops(state, stop):
    lab = al.mechanism_lab(state)
    assert (lab.stage.view, lab.stage.stop) == ("lab", stop)
    lab.close()


@pytest.mark.parametrize("state", [0, 6, 9, -1, 1.5, True, None, "", "a", "1a", "2b", "3c", "5c", "3A", [3]])
def test_refuses_any_other_state_and_names_the_valid_ones(state):
    with pytest.raises(ValueError, match="1 to 5 or a stop 3a, 3b, 4a, 4b, 4c, 5a, 5b, got"):
        al.mechanism_lab(state)


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_sends_a_name_and_a_sentence_for_every_stop_and_control(language):
    al.setup(language)
    lab = al.mechanism_lab()
    words = lab.stage.words
    controls = (
        "lab",
        "player",
        "restart",
        "previous",
        "play",
        "pause",
        "next",
        "speed",
        "step_slider",
        "reduced",
    )
    needed = [*controls, *(f"{part}_{stop}" for part in ("title", "say") for stop in STOPS)]
    assert [name for name in needed if not words.get(name)] == []
    for step, stops in (("3", 2), ("4", 3), ("5", 2)):
        assert len(words[f"trail_{step}"].split("|")) == stops
    spaces = {name: set(re.findall(r"\{(\w+)\}", words[f"say_{name}"])) for name in STOPS}
    assert spaces["1"] == {"n", "d_model"} and spaces["3a"] == {"t", "i"} and spaces["4a"] == {"root"}
    lab.close()


def test_has_the_panels_sliders_and_the_lessons_arrays():
    lab = al.mechanism_lab(3)
    assert lab.settings() == {"d_k": 4, "mask": "causal", "n": 4, "query": 3}
    assert lab.stage.labels == ["d_k", "Mask", "Length n", "Query"]
    longest = al.examples.lesson(16, 64)
    for name, rows in lab.stage.arrays.items():
        np.testing.assert_array_equal(rows, getattr(longest, name))
    lab.close()


def test_plays_the_learners_arrays_and_refuses_what_does_not_fit():
    rng = np.random.default_rng(5)
    W = {name: rng.normal(size=(5, 3)) for name in ("W_Q", "W_K", "W_V")}
    mine = SimpleNamespace(tokens=["one", "two", "<b>"], H=rng.normal(size=(3, 5)), **W)
    lab = al.mechanism_lab("4c", arrays=mine)
    assert (lab.n.max, lab.d_k.value, lab.stage.tokens) == (3, 3, ["one", "two", "<b>"])
    np.testing.assert_array_equal(lab.stage.arrays["W_K"], W["W_K"])
    assert "<b>" not in lab._repr_mimebundle_()["text/html"]
    lab.close()
    mine.W_K = rng.normal(size=(5, 2))
    with pytest.raises(ValueError, match=r"\(5, 3\), \(5, 2\) and \(5, 3\)"):
        al.mechanism_lab(arrays=mine)


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_a_still_picture_with_words_stands_in_for_it(language):
    al.setup(language)
    lab = al.mechanism_lab(5)
    bundle = lab._repr_mimebundle_()
    alt = re.search(r'alt="([^"]+)"', bundle["text/html"]).group(1)
    weights = al.self_attention(*al.examples.lesson(4, 4)[1:], al.causal_mask(4)).weights
    assert "d_k" in alt and "raises" in alt and f"{weights[2].max():.3f}" in alt
    assert wording.text("panel.static_lab") in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    lab.close()
