"""The content words of a text, as stems that can be compared."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import Stemmer

from strandline.language import words
from strandline.language.data import loader
from strandline.language.folding import fold_lower

_UNSPACED = re.compile(rf"[{words.WITHOUT_BLANKS}]")
_PARTS = re.compile(r"['\-\u2010\u2011/&+_]")


@lru_cache(maxsize=64)
def content_stems(text: str, language: str) -> tuple[str, ...]:
    """Stems of the text's content words, each once, in order; negations are not among them.

    Numbers stay whole. Scripts without blanks give their characters, small ones left out.
    """
    known = _known_words(language)
    stemmer = Stemmer.Stemmer(known.stemmer) if known.stemmer else None
    found: list[str] = []
    for word in words.split_words(_remove_phrases(fold_lower(text), known.light_phrases)):
        if _UNSPACED.match(word):
            found += [] if word in known.light_characters else [word]
        elif word not in known.ignored and not word.endswith(known.ignored_endings):
            parts = (part for part in _parts(word) if part not in known.ignored)
            found += [known.synonyms.get(part) or _stem(part, stemmer) for part in parts]
    return tuple(dict.fromkeys(found))


def count_shared(some: Collection[str], others: Collection[str]) -> int:
    """How many of `some` have a match among `others`: equal, or the same first four letters."""
    heads = {other[:4] for other in others if len(other) >= 4}
    return sum(word in others or (len(word) >= 4 and word[:4] in heads) for word in some)


def unmatched(some: Collection[str], others: Collection[str]) -> frozenset[str]:
    """Those of `some` without a match in `others`: equal, or with one letter more at the end.

    A number with one digit more is another number.
    """
    return frozenset(
        word
        for word in some
        if word not in others and not any(_is_same_word(word, o) for o in others)
    )


def _is_same_word(a: str, b: str) -> bool:
    shorter, longer = sorted((a, b), key=len)
    if any(character.isdigit() for character in longer):
        return False
    return len(shorter) >= 5 and longer.startswith(shorter) and len(longer) - len(shorter) <= 1


@dataclass(frozen=True, slots=True)
class _KnownWords:
    """What a language's file says of content words, ready to look up.

    `light_phrases` are the light words of a language without blanks, which has no words to look
    up. `stemmer` is a name: threads may not share a stemmer, and making one takes 0.3 µs.
    """

    ignored: frozenset[str]
    ignored_endings: tuple[str, ...]
    light_phrases: frozenset[str]
    light_characters: frozenset[str]
    synonyms: dict[str, str]
    stemmer: str


@lru_cache(maxsize=64)
def _known_words(language: str) -> _KnownWords:
    data = loader.language(language)
    return _KnownWords(
        ignored=data.words.function | data.words.light,
        ignored_endings=tuple(loader.words(lambda each: each.words.function_endings)),
        light_phrases=frozenset() if data.spaced else data.words.light,
        light_characters=loader.words(lambda each: each.words.light_characters),
        synonyms={word: stem for stem, alike in data.words.synonyms.items() for word in alike},
        stemmer=data.stemmer,
    )


def _remove_phrases(text: str, phrases: Collection[str]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, " ")
    return text


def _parts(word: str) -> list[str]:
    """A joined word's parts; numbers, dates and addresses stay whole."""
    if any(character.isdigit() for character in word):
        return [word]
    kept = [part.strip(".,:·@") for part in _PARTS.split(word)]
    return [part for part in kept if len(part) > 1 or (part and not part.isalpha())]


def _stem(word: str, stemmer: Any) -> str:
    stemmed: str = stemmer.stemWord(word) if stemmer and word.isalpha() else word
    apart = unicodedata.normalize("NFD", stemmed)
    bare = "".join(c for c in apart if not unicodedata.combining(c)) or stemmed
    return unicodedata.normalize("NFC", bare)
