"""Normalizes, bounds and cleans texts without changing their meaning."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

ELLIPSIS = "…"
_GAP = "\n[…]\n"

_TYPOGRAPHIC = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"'})
_BLANKS = re.compile(r"\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SENTENCE_MARKS = re.compile(
    r"""[.,;:!…]+(?=\s|$)"""  # not within 1.5, and a question mark is a qualifier
    r"""|(?<!\d)["'«»()\[\]]+(?!\w)|(?<!\w)["'«»()\[\]]+"""  # not within user's, nor 5' and 5"
    r"""|(?<=[^\W\d_])[-‐‑–—]+(?=[^\W\d_])|(?<!\S)[-‐‑–—]+(?!\S)"""  # not those of -5, A- or 1-5
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text after folding; character i came from `starts[i]` up to `ends[i]` of the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


@lru_cache(maxsize=4)
def fold_with_offsets(text: str) -> Folded:
    """NFC, white space runs as one blank, typographic quotation marks as plain ones."""
    if unicodedata.is_normalized("NFC", text):
        return _fold_composed(text)
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _normalization_clusters(text):
        for character in unicodedata.normalize("NFC", text[start:end]).translate(_TYPOGRAPHIC):
            if character.isspace() and characters and characters[-1] == " ":
                ends[-1] = end
                continue
            characters.append(" " if character.isspace() else character)
            starts.append(start)
            ends.append(end)
    return Folded("".join(characters), tuple(starts), tuple(ends))


def fold_text(text: str) -> str:
    """The folded text alone, without blanks at its ends."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_TYPOGRAPHIC).split())


def fold_lower(text: str) -> str:
    """The folded text alone, in lower case, for looking words up."""
    return fold_text(text).casefold()


def normalize_wording(text: str) -> str:
    """The text without case, runs of blanks and the marks that only divide sentences.

    Everything else stays, signs within numbers and emoji included: it has a meaning.
    """
    # Twice: a full stop before a closing quotation mark ends the sentence only without it.
    for _ in range(2):
        text = fold_lower(_SENTENCE_MARKS.sub(" ", fold_lower(text)))
    return text


def strip_control_characters(text: str) -> str:
    """The text without what can't be stored or printed: lone surrogates, control characters."""
    return _CONTROL.sub("", _SURROGATE.sub("\ufffd", text)).strip()


def one_line(text: str) -> str:
    """The text on one line, white space and control characters folded to single blanks."""
    return " ".join(_CONTROL.sub(" ", _SURROGATE.sub("\ufffd", text)).split())


def truncate(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words where there is a blank, the cut marked."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    blank = max(head.rfind(" "), head.rfind("\n"))
    kept = head[:blank] if blank > limit // 2 else head
    return kept.rstrip() + ELLIPSIS


def truncate_middle(text: str, limit: int) -> str:
    """At most `limit` characters: the beginning and, a third as long, the end, cut at blanks."""
    if len(text) <= limit:
        return text
    tail = text[len(text) - limit // 4 :]
    head = text[: limit - len(tail) - len(_GAP)]
    head = head[: head.rfind(" ")] if head.rfind(" ") > len(head) // 2 else head
    blank = tail.find(" ")
    tail = tail[blank + 1 :] if 0 <= blank < len(tail) // 2 else tail
    return f"{head}{_GAP}{tail}"


def _fold_composed(text: str) -> Folded:
    """Folds a text that is in NFC already, as most are: ten times as fast."""
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for run in _BLANKS.finditer(text):
        starts.extend(range(at, run.start() + 1))
        ends.extend(range(at + 1, run.start() + 1))
        ends.append(run.end())
        at = run.end()
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    folded = _BLANKS.sub(" ", text.translate(_TYPOGRAPHIC))
    return Folded(folded, tuple(starts), tuple(ends))


def _normalization_clusters(text: str) -> list[tuple[int, int]]:
    """Bounds of the pieces that NFC can normalize on their own."""
    borders = [at for at in range(len(text)) if at == 0 or not _combines_with_previous(text, at)]
    return list(zip(borders, [*borders[1:], len(text)], strict=True))


def _combines_with_previous(text: str, at: int) -> bool:
    """Whether the character at `at` can combine with what stands before it."""
    character = text[at]
    if character < "\u0300":
        return False
    if unicodedata.combining(character) or "\u1160" <= character <= "\u11ff":
        return True  # Marks, and the Hangul letters that only follow others.
    return not unicodedata.is_normalized("NFC", text[at - 1] + character)
