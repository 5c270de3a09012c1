"""How much two texts speak of the same: their shared telling words, endings aside."""

import re
import unicodedata
from itertools import pairwise

from strandline.language.words import WITHOUT_BLANKS, split_words

_COMMON_WORDS = (
    "a about after again all also am an and any anything are as at back be because been before"
    " being but by can could did do does doing don't for from get give go going good got had has"
    " have he help her here hi him his how i i'd i'll i'm i've if in into is isn't it it's its"
    " just know let let's like list make may me mean more most my need no not now of off ok on one"
    " or our out over please recap recommend remember remind said say see she should show so some"
    " something suggest tell than that that's the their them then there these they thing things"
    " think this to too up us use user very want was we were what what's when where where's which"
    " while who whom whose why will with would yes you you're your idea ideas"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_ALONE = re.compile(rf"[{WITHOUT_BLANKS}]")
_ENDINGS = ("ingly", "ings", "ing", "edly", "ies", "ed", "es", "ly", "s", "y", "e")


def telling_words(text: str) -> frozenset[str]:
    """The words of `text` that tell something, without endings; in Han script, pairs of letters."""
    found = split_words(_folded(text))
    pairs = {a + b for a, b in pairwise(found) if _ALONE.match(a) and _ALONE.match(b)}
    whole = {_stem(word) for word in found if not _ALONE.match(word) and word not in _COMMON}
    return frozenset(pairs | whole)


def likeness(wanted: frozenset[str], text: str) -> int:
    """How many of the wanted words `text` holds."""
    return len(wanted & telling_words(text))


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
