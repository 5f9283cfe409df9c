"""The edition's words: every string that pictures, sliders and answers show, in English and Chinese.

`en.json` and `zh.json` hold the same sections and the same keys; a test keeps it so.
"""

import json
import re
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "zh")
MARK = "[\u3001\u3002\uff00-\uffef]"  # full-width punctuation
WIDE = "[\u3000-\u9fff\uff00-\uffef]"  # it, and Chinese characters
SPACE = re.compile(f"(?<={MARK}) | (?={MARK})|(?<={WIDE}) (?={WIDE})")
_current = "en"


@cache
def _table(language):
    return json.loads(files(__name__).joinpath(f"{language}.json").read_text(encoding="utf-8"))


def use(language):
    """Choose the edition, "en" or "zh", for everything shown from now on. ValueError for any other."""
    global _current
    if language not in LANGUAGES:
        raise ValueError(f'language must be "en" or "zh", got {language!r}')
    _current = language


def language():
    """The edition in use: "en" or "zh"."""
    return _current


def section(name):
    """All words of one section, a dict of key -> string, in the edition in use."""
    return dict(_table(_current)[name])


def text(key, /, **values):
    """The words of "section.key" in the edition in use; {names} in them are filled from values."""
    name, _, rest = key.partition(".")
    return _closed(_table(_current)[name][rest].format(**values))


def sentences(*said):
    """Sentences one after the other, with a space between them in English and none in Chinese."""
    return _closed(" ".join(said))


def _closed(words):
    """Without spaces where Chinese sets none: at full-width punctuation and between two Chinese characters."""
    return SPACE.sub("", words)
