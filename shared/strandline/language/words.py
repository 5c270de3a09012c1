"""Words of a text, as citations count them.

A word is a run of letters, digits and combining marks, with apostrophes, hyphens, full stops
and the like inside it ("don't", "3.5"). In scripts without blanks (Han, kana, Thai, Lao, Khmer,
Burmese) each letter with its marks is one. A symbol that isn't punctuation, an emoji say, is one.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

WITHOUT_BLANKS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
"""A character class of the scripts written without blanks."""

_LAST = 0x1FC00
"""The end of the planes that hold marks and symbols in use."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to, not including, `end`."""

    start: int
    end: int


def word_spans(text: str) -> list[Span]:
    """Where each word of `text` stands, in order."""
    return [Span(*match.span()) for match in _pattern().finditer(text)]


def split_words(text: str) -> list[str]:
    """The words of `text`, in order."""
    return _pattern().findall(text)


def quote_words(text: str, word_start: int, word_end: int) -> str:
    """What stands from the first of those words to the last, verbatim; empty if out of range."""
    # A turn may be long and be cited often: what stands behind the quote isn't looked at.
    found = list(islice(_pattern().finditer(text), word_start, word_end))
    return text[found[0].start() : found[-1].end()] if found else ""


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """Built on first use: the marks and symbols come from Python's own Unicode data."""
    marks = _class_of("M")
    symbols = _class_of("So", "Sk", "Sc")
    alone = rf"[{WITHOUT_BLANKS}][{marks}]*"
    run = rf"(?:(?![{WITHOUT_BLANKS}])[^\W_][{marks}\u200c\u200d]*)+"
    joined = rf"{run}(?:[_'’.,:\-\u2010\u2011·@/&+]{run})*"
    return re.compile(rf"{alone}|{joined}|[{symbols}][{marks}\u200d\U0001f3fb-\U0001f3ff]*")


def _class_of(*categories: str) -> str:
    """The inside of a character class of those general categories, as ranges."""
    ranges: list[list[int]] = []
    for code in range(0xA2, _LAST):
        if unicodedata.category(chr(code)).startswith(categories):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges)
