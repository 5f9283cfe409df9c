"""al.predict: questions, guesses of every kind, answers that are computed, words in both editions."""

import re
import unicodedata
import warnings
from fractions import Fraction

import numpy as np
import pytest

import attention_lab as al
from attention_lab import predictions, wording

ANSWERS = {
    "parameters": 72,
    "turned_scores": "c",
    "partner": "d",
    "largest_cell": "b",
    "rank_of_scores": 2,
    "rank_of_weights": "c",
    "spread_of_scores": 16,
    "largest_weight": "b",
    "trains_without_scale": "b",
    "shared_shift": "c",
    "row_sums": "b",
    "half_temperature": 9,
    "average_gradient": "b",
    "zero_pads": 0.556,
    "padding_under_causal": "c",
    "empty_row": "c",
    "heads_parameters": "b",
    "no_transposes": "c",
    "merge_unmasked": 0,
    "hidden_note": "b",
    "window_on_sink": "c",
}
CHOICES = {
    "turned_scores": "abc",
    "partner": "abcd",
    "largest_cell": "abcd",
    "rank_of_weights": "abc",
    "largest_weight": "abcd",
    "trains_without_scale": "abcd",
    "shared_shift": "abc",
    "row_sums": "abc",
    "average_gradient": "abc",
    "padding_under_causal": "abc",
    "empty_row": "abcd",
    "heads_parameters": "abc",
    "no_transposes": "abc",
    "hidden_note": "abc",
    "window_on_sink": "abc",
}


@pytest.fixture(autouse=True, params=["en", "zh"])
def edition(request):
    wording.use(request.param)
    yield request.param
    wording.use("en")


def test_every_question_has_an_expected_answer_here():
    assert set(ANSWERS) == set(predictions._QUESTIONS)


@pytest.mark.parametrize("name", ANSWERS)
def test_without_a_guess_it_asks_and_gives_nothing_away(name):
    asked = al.predict(name)
    words = wording.section("predict")
    assert asked.right is None and words[f"{name}.question"] in asked.message
    for letter in CHOICES.get(name, ""):
        assert f"  {letter}) {words[f'{name}.{letter}']}" in asked.message
        assert words[f"{name}.{letter}.why"].split("{")[0] not in asked.message
    assert "0.556" not in asked.message


@pytest.mark.parametrize("name", sorted(set(ANSWERS) - set(CHOICES)))
def test_the_number_expected_is_right_and_another_is_not(name):
    assert al.predict(name, ANSWERS[name]).right is True
    assert al.predict(name, ANSWERS[name] + 1e6).right is False


@pytest.mark.parametrize("name", CHOICES)
def test_each_choice_is_judged_and_explained(name):
    for letter in CHOICES[name]:
        said = al.predict(name, letter)
        own = wording.section("predict")[f"{name}.{letter}.why"].split("{")[0]
        assert said.right is (letter == ANSWERS[name])
        assert own in said.message
        assert (f"{ANSWERS[name]}) " in said.message) is not said.right


@pytest.mark.parametrize(
    "guess", ["C", " c ", "(c)", "( c )", "c)", "c.", "ｃ", "（Ｃ）", np.str_("c"), np.array("c")]
)
def test_a_letter_may_be_written_in_many_ways(guess):
    assert al.predict("empty_row", guess).right is True


@pytest.mark.parametrize(
    "guess", [0.556, 0.5, 0.65, "0.6", ".5", " .6 ", "(.6).", "０.６", np.float32(0.6), np.array(0.6)]
)
def test_a_number_near_enough_is_right(guess):
    assert al.predict("zero_pads", guess).right is True


@pytest.mark.parametrize("guess", [0, 0.45, 0.66, 1, -0.556, np.int8(1), 1e300])
def test_a_number_too_far_off_is_wrong_and_learns_the_answer(guess):
    said = al.predict("zero_pads", guess)
    assert said.right is False and "0.556" in said.message


class Hostile:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __eq__ = __float__ = __array__ = __str__


ODD = [
    "",
    "e",
    "ab",
    "none",
    (),
    [],
    ["c"],
    {"c": 1},
    {"c"},
    2j,
    b"c",
    float("nan"),
    np.nan,
    float("inf"),
    True,
    np.True_,
]
ODD += [np.array(["c"]), np.zeros((2, 3)), object(), ..., lambda: 0, Hostile(), Fraction(1, 3), "x" * 10_000]


@pytest.mark.parametrize("guess", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_no_answer_is_told_what_is_one_and_never_raises(name, guess):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = al.predict(name, guess)
    assert said.right is None
    unreadable = wording.section("predict")["unreadable_choice" if name in CHOICES else "unreadable_number"]
    assert said.message == unreadable.format(
        letters=wording.text("predict.comma").join(CHOICES.get(name, ""))
    )


def test_an_unknown_name_is_told_the_known_ones():
    with pytest.raises(ValueError, match=f"'colour'.*{', '.join(predictions._QUESTIONS)}$"):
        al.predict("colour")


def test_the_answer_follows_the_mathematics(monkeypatch):
    """Were the course's mathematics different, so would be the answers: nothing is written down."""
    monkeypatch.setattr(
        predictions, "softmax", lambda s: np.full(len(s), 1 / 3) if s.max() < -1 else al.softmax(s)
    )
    assert al.predict("empty_row", "b").right is True
    monkeypatch.setattr(predictions, "causal_mask", lambda n: np.ones((n, n), bool))
    assert al.predict("padding_under_causal", "a").right is True
    monkeypatch.setattr(
        predictions, "lesson", lambda n=4, d_k=4: al.examples.lesson(4)._replace(H=np.zeros((4, 6)))
    )
    assert al.predict("zero_pads", 5 / 9 + 0.099).right is True  # nine equal scores: five of nine


def test_the_numbers_in_the_reasons_are_those_of_the_notebook():
    H, *W = al.examples.lesson()[1:]
    shares = al.self_attention(np.vstack([H, np.zeros((5, 6))]), *W).weights[:4, 4:].sum(axis=1)
    said = al.predict("zero_pads", 0.5).message
    assert re.findall(r"0\.\d{3}", said) == [f"{x:.3f}" for x in (shares.mean(), shares.min(), shares.max())]
    row = np.exp([0.3, -1.2, 2.0]) / np.exp([0.3, -1.2, 2.0]).sum()
    assert ", ".join(f"{w:.3f}" for w in row) in al.predict("empty_row", "c").message


def test_both_editions_ask_the_same_questions():
    tables = [
        {k: set(re.findall(r"{(\w+)", v)) for k, v in wording._table(e)["predict"].items()}
        for e in ("en", "zh")
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("name", ANSWERS)
def test_lines_are_short_enough_for_an_output_area(name, edition):
    for guess in (None, 0, "?", *CHOICES.get(name, "")):
        said = al.predict(name, guess)
        lines = repr(said).splitlines()
        assert max(sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line) for line in lines) <= 84
        assert "".join(repr(said).split()) == "".join(said.message.split())


def test_shown_as_plain_text_only():
    formatters = pytest.importorskip("IPython.core.formatters").DisplayFormatter().format
    shown, _ = formatters(al.predict("empty_row"))
    assert set(shown) == {"text/plain"} and shown["text/plain"] == repr(al.predict("empty_row"))


@pytest.mark.parametrize(
    "line, room, rows",
    [
        ("one two three", 8, ["one two", "  three"]),
        ("一二三四五，六七八九十", 14, ["一二三四五，", "  六七八九十"]),
        ("一二三四五六七八九十", 14, ["一二三四五六七", "  八九十"]),
        ("一，二三四五六七八九", 14, ["一，二三四五六", "  七八九"]),
    ],
    ids=["blank", "mark", "no mark", "mark too far back"],
)
def test_long_lines_break_at_blanks_and_after_chinese_marks(line, room, rows):
    assert predictions._folded(line, room).split("\n") == rows
