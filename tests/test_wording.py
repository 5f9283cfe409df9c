"""The two editions' words: same keys, same gaps to fill, nothing empty, every character drawable."""

import json
import re
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest
from fontTools.ttLib import TTFont
from matplotlib import font_manager

from attention_lab import style, wording

TABLES = {
    language: json.loads(
        files("attention_lab.wording").joinpath(f"{language}.json").read_text(encoding="utf-8")
    )
    for language in ("en", "zh")
}
KEYS = [(section, key) for section, words in TABLES["en"].items() for key in words]
AGAIN = "run notebooks/authoring/font.py again"


def test_both_editions_have_the_same_sections_and_keys():
    assert list(TABLES["en"]) == list(TABLES["zh"])
    for section, words in TABLES["en"].items():
        assert set(words) == set(TABLES["zh"][section]), section


def gaps(words):
    """The {names} of a string, with their formats."""
    return sorted((name, form) for _, name, form, _ in Formatter().parse(words) if name is not None)


@pytest.mark.parametrize("section, key", KEYS)
def test_both_strings_are_complete_and_fill_the_same_gaps(section, key):
    english, chinese = (TABLES[language][section][key] for language in ("en", "zh"))
    for words in (english, chinese):
        assert isinstance(words, str) and words.strip()
        assert not re.search(r"TODO|FIXME|XXX|lorem", words, re.IGNORECASE)
    assert gaps(english) == gaps(chinese)


@pytest.mark.parametrize("weight", ["regular", "bold"])
def test_the_shipped_font_draws_every_chinese_character(weight):
    shipped = set(TTFont(Path(style.__file__).parent / "data" / f"chinese-{weight}.otf").getBestCmap())
    latin = set(font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap())
    needed = set("".join(TABLES["zh"][section][key] for section, key in KEYS)) - {"\n"}
    han = {c for c in needed if "\u2e80" <= c <= "\u9fff" or "\uff00" <= c <= "\uffef"}
    assert not {c for c in han if ord(c) not in shipped}, AGAIN
    assert not {c for c in needed if ord(c) not in shipped | latin}, AGAIN  # the rest may fall to DejaVu Sans


@pytest.mark.parametrize("weight", ["regular", "bold"])
def test_the_shipped_font_draws_numbers_and_formulas(weight):
    shipped = set(TTFont(Path(style.__file__).parent / "data" / f"chinese-{weight}.otf").getBestCmap())
    assert set(map(ord, "AZaz09 .,:;()[]{}−−∞√×·±≤≥≈αβδεθλμσΣΔΩ‖→✓")) - shipped == set()


def test_sentences_and_filled_words_are_spaced_as_the_edition_is():
    wording.use("zh")
    try:
        assert wording.sentences("一句。", "又一句。", "Third.") == "一句。又一句。Third."
        assert wording.text("plots.alt_range", low="负 1.90", high="2.75") == "从负 1.90 到 2.75"
        assert wording.text("plots.alt_range", low="1.90", high="2.75") == "从 1.90 到 2.75"
    finally:
        wording.use("en")
    assert wording.sentences("One.", "Two.") == "One. Two."
