"""The panel from Python: every position of every slider, both languages, odd arrays, re-run cells."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from ipywidgets import IntSlider
from ipywidgets.widgets.widget import _instances

import attention_lab as al
from attention_lab import panels, wording
from attention_lab.stage import MASKS


@pytest.fixture(autouse=True)
def english():
    al.setup("en")
    yield
    al.setup("en")


def moved(panel, **settings):
    for name, value in settings.items():
        getattr(panel, name).value = value
    return panel


def test_starts_as_the_lesson_and_sends_the_stage_whole_arrays():
    panel = al.panel(5)
    assert panel.settings() == {"d_k": 4, "mask": "causal", "n": 4, "query": 3}
    longest = al.examples.lesson(16, 64)
    for name, rows in panel.stage.arrays.items():
        np.testing.assert_array_equal(rows, getattr(longest, name))
    assert panel.stage.tokens[:4] == ["policy", "raises", "wages", "jobs"]
    assert (
        panel.stage.widths[panel.stage.d_k],
        MASKS[panel.stage.mask],
        panel.stage.n,
        panel.stage.query,
    ) == (4, "causal", 4, 3)
    assert panel.stage.labels == ["d_k", "Mask", "Length n", "Query"]
    panel.close()


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_every_mask_and_length_gives_a_picture_in_words(language):
    al.setup(language)
    panel = al.panel(5)
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mask in MASKS:
            for n, d_k, query in [(2, 1, 2), (4, 4, 1), (9, 8, 7), (16, 64, 16)]:
                bundle = moved(panel, mask=mask, n=n, d_k=d_k, query=query)._repr_mimebundle_()
                alt = re.search(r'alt="([^"]+)"', bundle["text/html"]).group(1)
                assert "d_k" in alt and str(n) in alt
                seen.add(alt)
    assert len(seen) == 5 * 4, "each setting is described in its own words"
    panel.close()


def test_lengths_up_down_up_and_every_value_of_every_slider_raise_nothing():
    panel = al.panel(5)
    for n in [16, 2, 16, *range(2, 17)]:
        panel.n.value = n
    for value in panels.WIDTHS:
        panel.d_k.value = value
    for value in MASKS:
        panel.mask.value = value
    for value in range(1, panel.query.max + 1):
        panel.query.value = value
    assert panel.settings()["n"] == 16
    panel.close()


@pytest.mark.parametrize("n", range(2, 17))
def test_masks_say_what_they_hide(n):
    pads = max(1, n // 4)
    rows, columns = np.indices((n, n))
    expected = {
        "none": np.full((n, n), True),
        "causal": columns <= rows,
        "padding": columns < n - pads,
        "causal_padding": (columns <= rows) & (columns < n - pads),
        "window": (columns <= rows) & (rows - columns < 3),
    }
    assert set(expected) == set(MASKS)
    for mask, visible in expected.items():
        np.testing.assert_array_equal(panels.visibility(mask, n), visible, err_msg=mask)


def test_longer_and_wider_examples_never_change_a_number_already_shown():
    small, large = al.examples.lesson(3, 2), al.examples.lesson(16, 64)
    np.testing.assert_array_equal(small.H, large.H[:3])
    for name in ("W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(getattr(small, name), getattr(large, name)[:, :2])
    rng = np.random.default_rng(7)  # the lesson's own draws, in its order
    np.testing.assert_array_equal(large.H[:4], rng.normal(size=(4, 6)))
    for name in ("W_Q", "W_K", "W_V"):
        np.testing.assert_array_equal(getattr(large, name)[:, :4], rng.normal(size=(6, 4)) / np.sqrt(6))


def test_takes_the_learners_arrays_and_ends_its_sliders_there():
    rng = np.random.default_rng(2)
    mine = SimpleNamespace(tokens=["<b>a</b>", "词元", "c"], H=rng.normal(size=(3, 5)),
                           W_Q=rng.normal(size=(5, 3)), W_K=rng.normal(size=(5, 3)), W_V=rng.normal(size=(5, 3)))  # fmt: skip
    panel = al.panel(5, arrays=mine)
    assert (panel.n.max, panel.d_k.options[-1], panel.d_k.value) == (3, ("3", 3), 3)
    np.testing.assert_array_equal(panel.stage.arrays["W_V"], mine.W_V)
    html = panel._repr_mimebundle_()["text/html"]
    assert "<b>a" not in html, "tokens are text, never markup"
    panel.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"tokens": ["one"]}, "2 to 16 tokens, got 1"),
        ({"tokens": list("abcdefghijklmnopq")}, "2 to 16 tokens, got 17"),
        ({"H": np.ones((2, 6))}, r"3 tokens, H of shape \(2, 6\)"),
        ({"W_K": np.ones((6, 3))}, r"\(6, 4\), \(6, 3\) and \(6, 4\)"),
        ({"W_Q": np.ones((6, 0)), "W_K": np.ones((6, 0)), "W_V": np.ones((6, 0))}, "d_k from 1 to 64, got 0"),
        ({"H": np.full((3, 6), np.nan)}, "finite numbers"),
    ],
)
def test_refuses_arrays_that_do_not_fit_in_one_sentence(change, says):
    with pytest.raises(ValueError, match=says):
        al.panel(5, arrays=al.examples.lesson(3, 4)._replace(**change))


@pytest.mark.parametrize("step", [0, 7, "5", None])
def test_refuses_a_step_that_has_no_panel(step):
    with pytest.raises(ValueError, match="panel"):
        al.panel(step)
    with pytest.raises(ValueError, match="W_V is missing"):
        al.panel(5, arrays=SimpleNamespace(tokens=["a", "b"], H=1, W_Q=1, W_K=1))


def test_running_a_cell_again_leaves_the_models_of_one_panel(monkeypatch):
    class Shell:
        run = 0

        def get_parent(self):
            return {"metadata": {"cellId": "cell"}, "header": {"msg_id": str(self.run)}}

    shell = Shell()
    monkeypatch.setattr(panels, "get_ipython", lambda: shell)
    monkeypatch.setattr(panels, "_made", {})
    models = []
    for shell.run in range(4):
        extra = IntSlider()
        two = al.panel(5, controls=[extra]), al.panel(5)  # two panels of one run both stay
        assert all(p.stage.comm is not None for p in two)
        models.append(len(_instances))
    assert len(set(models)) == 1, models
