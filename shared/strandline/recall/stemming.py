"""Stemming: the terms of a text for BM25, as stem ids with their counts.

A text is folded (NFKC, case), split into words, freed of stop words and stemmed by Snowball
(https://snowballstem.org). Accents are removed last, from the stems: Snowball's German, French
and Spanish rules need them ("größe", "préféré"), but a user may leave them out. A stem's id is 32
bits of BLAKE2b. Two given stems collide with odds of 1 in 4.3 billion; some pair among an
account's 10,000 stems with 1 in 86. A collision adds one wrong word to a score, nothing worse.
"""

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.language import words
from strandline.language.stop_words import stop_words
from strandline.models.index_entry import BYTES_PER_TERM

MAX_TERMS = 400
"""Distinct terms stored of one memory: 2,000 bytes, so that a log entry stays a small item."""

TERM = np.dtype([("id", "<u4"), ("count", "u1")])
"""A packed term: BYTES_PER_TERM bytes without padding."""

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip

_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'"})
_JOINTS = re.compile(r"[_'.,:\-\u2010\u2011·@/&+]+")
_HYPHENS = re.compile(r"[\-\u2010\u2011]")
_HANGUL = "\uac00-\ud7a3"
_PIECE = re.compile(rf"[{_HANGUL}]|[^{_HANGUL}]+")
_PAIRED = re.compile(rf"[{words.WITHOUT_BLANKS}{_HANGUL}]")
"""Scripts whose characters are indexed in pairs: those written without blanks, and Hangul.

Hangul has blanks, but Snowball has no stemmer for the particles on its words.
"""

_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
"""Marks that users may leave out: Latin, Greek and Cyrillic accents, Hebrew and Arabic points.

Other combining marks stay: in Devanagari or Thai they are vowels.
"""

_stemmers = threading.local()


def stem_counts(text: str, language: str) -> dict[int, int]:
    """Returns the count of each stem id, in order of first occurrence.

    `language` is a BCP 47 tag. Without a Snowball stemmer or a stop list for it, that step is
    skipped. A joined word ("well-being") counts as a whole and by its parts. A single Latin
    letter or digit is no term.
    """
    tag = re.split("[-_]", language.casefold())[0]
    found = Counter(
        _fold_accents(stem) for word in _tokens(_fold_case(text)) for stem in _stems_of(word, tag)
    )
    return {stem_id(stem): count for stem, count in found.items() if stem}


@lru_cache(maxsize=20_000)
def stem_id(stem: str) -> int:
    """Returns the 32-bit id of a stem: BLAKE2b of its UTF-8 bytes, little-endian."""
    return int.from_bytes(blake2b(stem.encode(), digest_size=4).digest(), "little")


def pack_terms(terms: Mapping[int, int]) -> bytes:
    """Returns terms as bytes, sorted by id, with counts capped at 255.

    Of more than MAX_TERMS terms, only the most frequent are kept; ties go to the first.
    """
    kept = sorted(terms.items(), key=lambda term: -term[1])[:MAX_TERMS]
    return np.array([(key, min(count, 255)) for key, count in sorted(kept)], dtype=TERM).tobytes()


def unpack_terms(packed: bytes) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Returns the stem ids, ascending, and their counts, both of shape (n,).

    Raises ValueError for bytes that aren't whole terms.
    """
    if len(packed) % BYTES_PER_TERM:
        raise ValueError("packed terms come in fives of bytes")
    terms = np.frombuffer(packed, dtype=TERM)
    return terms["id"].astype(np.uint32), terms["count"].astype(np.uint8)


def _fold_case(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_APOSTROPHES)


def _fold_accents(word: str) -> str:
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word)))


def _tokens(text: str) -> Iterator[str]:
    """Yields words, and pairs of neighbouring characters for the scripts of `_PAIRED`."""
    run: list[str] = []
    end = -1
    for start, piece in _pieces(text):
        paired = _PAIRED.match(piece) is not None
        if run and (start != end or not paired):
            yield from _pairs(run)
            run = []
        if paired:
            run.append(piece)
        else:
            yield piece
        end = start + len(piece)
    yield from _pairs(run)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yields each word with its start; Hangul syllable by syllable."""
    for span in words.word_spans(text):
        for match in _PIECE.finditer(text, span.start, span.end):
            yield match.start(), match[0]


def _pairs(run: list[str]) -> list[str]:
    """Returns each pair of neighbours joined; a single character stays alone."""
    if len(run) < 2:
        return run
    return [first + second for first, second in pairwise(run)]


def _stems_of(word: str, language: str) -> list[str]:
    """Returns a word's stem and, if the word is joined, the stems of its parts."""
    stopped = _folded_stop_words(language)
    if word in stopped:
        return []
    forms = [_HYPHENS.sub("", word), *_JOINTS.split(word)] if _JOINTS.search(word) else [word]
    kept = [form for form in forms if form not in stopped and not _is_single_character(form)]
    return list(dict.fromkeys(_stem(form, language) for form in kept))


def _is_single_character(word: str) -> bool:
    return len(word) < 2 and word.isalnum() and not _PAIRED.match(word)


def _stem(word: str, language: str) -> str:
    """Returns a word's stem. Stemmers aren't thread-safe, so each thread has its own."""
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None:
        return word
    cached: dict[str, Any] = _stemmers.__dict__
    if algorithm not in cached:
        import Stemmer  # noqa: PLC0415 - a chat without recall never needs it

        cached[algorithm] = Stemmer.Stemmer(algorithm)
    stem: str = cached[algorithm].stemWord(word)
    return stem


@lru_cache(maxsize=64)
def _folded_stop_words(language: str) -> frozenset[str]:
    """Returns the language's stop words, case-folded, with and without their accents."""
    listed = {_fold_case(word) for word in stop_words(language)}
    return frozenset(listed | {_fold_accents(word) for word in listed})
