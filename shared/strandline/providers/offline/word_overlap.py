"""How many content words two texts share, endings and accents aside."""

import re
import unicodedata
from functools import cache
from itertools import pairwise

from strandline.language.data import loader
from strandline.language.words import WITHOUT_BLANKS, split_words

_ALONE = re.compile(rf"[{WITHOUT_BLANKS}]")


def content_words(text: str) -> frozenset[str]:
    """The content words of `text` without endings; in scripts without blanks, pairs of letters."""
    found = split_words(_folded(text))
    pairs = {a + b for a, b in pairwise(found) if _ALONE.match(a) and _ALONE.match(b)}
    common = _common_words()
    whole = {_stem(word) for word in found if not _ALONE.match(word) and word not in common}
    return frozenset(pairs | whole)


def count_shared_words(wanted: frozenset[str], text: str) -> int:
    """How many of the wanted words `text` holds."""
    return len(wanted & content_words(text))


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _stem(word: str) -> str:
    for possessive in _possessives():
        word = word.removesuffix(possessive)
    for ending in _endings():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


@cache
def _common_words() -> frozenset[str]:
    return loader.words(lambda each: each.offline.overlap.common)


@cache
def _endings() -> tuple[str, ...]:
    return tuple(ending for each in loader.languages() for ending in each.offline.overlap.endings)


@cache
def _possessives() -> tuple[str, ...]:
    given = (each.offline.overlap.possessive for each in loader.languages())
    return tuple(possessive for possessive in given if possessive)
