"""Splits a text into sentences and clauses, by punctuation and a few words."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from strandline.language.data import loader

CONTEXT_CHARACTERS = 400
"""Characters before and after a place that are read: a "sentence" may be a whole book."""

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s|$)|[。！？؟]+[」』”]?|\n+")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Characters `start` up to `end` of a text, and what they are."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=16)
def split_sentences(text: str) -> tuple[TextSpan, ...]:
    """The sentences of a text, closing mark included, nothing in between lost."""
    ends = [m.end() for m in _END.finditer(text) if not _abbreviates(text, m)]
    return _spans_between(text, ends)


@lru_cache(maxsize=16)
def split_clauses(text: str) -> tuple[TextSpan, ...]:
    """The parts of a text that each make a statement of their own."""
    found: list[TextSpan] = []
    for sentence in split_sentences(text):
        borders = {m.end() for m in _asides().finditer(sentence.text)}
        borders |= {m.start() for m in _clause_openings().finditer(sentence.text) if m.start()}
        found += [
            TextSpan(sentence.start + piece.start, sentence.start + piece.end, piece.text)
            for piece in _spans_between(sentence.text, sorted(borders))
        ]
    return tuple(found)


def spans_near(pieces: tuple[TextSpan, ...], start: int, end: int) -> tuple[TextSpan, ...]:
    """The pieces that touch characters `start` up to `end`, clipped to CONTEXT_CHARACTERS."""
    touched = (piece for piece in pieces if piece.start < end and start < piece.end)
    return tuple(
        _clip(piece, start - CONTEXT_CHARACTERS, end + CONTEXT_CHARACTERS) for piece in touched
    )


def _clip(piece: TextSpan, start: int, end: int) -> TextSpan:
    first, last = max(piece.start, start), min(piece.end, end)
    return TextSpan(first, last, piece.text[first - piece.start : last - piece.start])


def _spans_between(text: str, ends: list[int]) -> tuple[TextSpan, ...]:
    borders = [0, *ends, len(text)]
    return tuple(
        TextSpan(start, end, text[start:end])
        for start, end in pairwise(borders)
        if text[start:end].strip()
    )


def _abbreviates(text: str, mark: re.Match[str]) -> bool:
    if mark[0] != ".":
        return False
    word = re.search(r"[^\W\d_]+(?:\.[^\W\d_]+)*$", text[max(0, mark.start() - 12) : mark.start()])
    return word is not None and word[0].casefold() in _abbreviations()


@cache
def _abbreviations() -> frozenset[str]:
    return loader.words(lambda each: each.sentences.abbreviations)


@cache
def _asides() -> re.Pattern[str]:
    """Marks between clauses, and commas before a word that begins a new statement."""
    characters = "".join(sorted(loader.words(lambda each: each.sentences.comma_openers)))
    openers = f"[{characters}]" if characters else "(?!)"
    consequences = loader.alternatives(lambda each: each.sentences.consequences)
    marks = r"[;:；：—–()（）]|\s-\s"
    return re.compile(rf"{marks}|[，、](?={openers})|,(?=\s*(?:{consequences})\b)", re.IGNORECASE)


@cache
def _clause_openings() -> re.Pattern[str]:
    """A comma or a linking word, with a word behind it that a new statement begins with."""
    openers = _longest_first(loader.words(lambda each: each.sentences.openers))
    links = _longest_first(loader.words(lambda each: each.sentences.links))
    joining = _longest_first(loader.words(lambda each: each.sentences.joining))
    joint = rf"(?:,\s*(?:{joining})?\s*|\s(?:{joining})\s+)(?={openers})"
    follows = r"(?:\b|(?<='))"
    return re.compile(rf"(?:{joint}(?:{openers}){follows}|[\s,]+(?:{links})\b)", re.IGNORECASE)


def _longest_first(words: frozenset[str]) -> str:
    """The words as alternatives, longer ones first: "i" must not hide "i'm"."""
    return "|".join(sorted(map(re.escape, sorted(words)), key=len, reverse=True)) or "(?!)"
