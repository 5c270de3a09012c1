"""The words of a text that carry its meaning, made comparable."""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Any

import Stemmer

from strandline.language import words
from strandline.language.folding import fold_lower
from strandline.language.function_words import FUNCTION_WORDS, LIGHT_WORDS, SAME_WORDS

_ALGORITHMS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian",
    "pt": "portuguese", "nl": "dutch", "sv": "swedish", "ru": "russian",
}  # fmt: skip
_UNSPACED = re.compile(rf"[{words.WITHOUT_BLANKS}]")
_PARTS = re.compile(r"['\-\u2010\u2011/&+_]")
_HAN_TRIFLES = frozenset("我你您他她它们的了是在有和也都很吧呢啊吗就这那个不没沒无未别非")
_KANA_TRIFLES = frozenset("はがをにでとのもへやかねよだですま")


@lru_cache(maxsize=64)
def content_stems(text: str, language: str) -> tuple[str, ...]:
    """Stems of the text's content words, each once, in order; negations are not among them.

    Numbers stay whole. Scripts without blanks give their characters, small ones left out.
    """
    small = FUNCTION_WORDS.get(language, frozenset()) | LIGHT_WORDS.get(language, frozenset())
    stemmer = _stemmer(language)
    found: list[str] = []
    for word in words.split_words(_without_light_phrases(fold_lower(text), language)):
        if _UNSPACED.match(word):
            found += [] if word in _HAN_TRIFLES | _KANA_TRIFLES else [word]
        elif word not in small and not word.endswith("n't"):
            found += [_stem(part, language, stemmer) for part in _parts(word) if part not in small]
    return tuple(dict.fromkeys(found))


def count_shared(some: Collection[str], others: Collection[str]) -> int:
    """How many of `some` have a kindred word among `others`: equal, or with four letters alike."""
    heads = {other[:4] for other in others if len(other) >= 4}
    return sum(word in others or (len(word) >= 4 and word[:4] in heads) for word in some)


def unmatched(some: Collection[str], others: Collection[str]) -> frozenset[str]:
    """Those of `some` that `others` hold in no form.

    One letter more or less is the same word; one digit more is another number.
    """
    return frozenset(
        word for word in some if word not in others and not any(_alike(word, o) for o in others)
    )


def _alike(a: str, b: str) -> bool:
    shorter, longer = sorted((a, b), key=len)
    if any(character.isdigit() for character in longer):
        return False
    return len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 1


def _without_light_phrases(text: str, language: str) -> str:
    """Scripts without blanks have no words to look up: their light ones go as phrases."""
    if language in ("zh", "ja"):
        for phrase in LIGHT_WORDS[language]:
            text = text.replace(phrase, " ")
    return text


def _parts(word: str) -> list[str]:
    """A joined word's parts; numbers, dates and addresses stay whole."""
    if any(character.isdigit() for character in word):
        return [word]
    kept = [part.strip(".,:·@") for part in _PARTS.split(word)]
    return [part for part in kept if len(part) > 1 or (part and not part.isalpha())]


def _stem(word: str, language: str, stemmer: Any) -> str:
    if language == "en" and word in SAME_WORDS:
        return SAME_WORDS[word]
    stemmed: str = stemmer.stemWord(word) if stemmer and word.isalpha() else word
    apart = unicodedata.normalize("NFD", stemmed)
    bare = "".join(c for c in apart if not unicodedata.combining(c)) or stemmed
    return unicodedata.normalize("NFC", bare)


def _stemmer(language: str) -> Any:
    """A stemmer for one call: threads may not share one, and making it takes 0.3 µs."""
    if language not in _ALGORITHMS:
        return None
    return Stemmer.Stemmer(_ALGORITHMS[language])
