"""A turn's text as clauses that can each stand for one thing said.

Quotations, suppositions and reported speech are left out, and questions are marked, so that no rule
takes them for facts. Every clause is a verbatim slice of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]{1,1000}\"|“[^”]{1,1000}”|„[^“”]{1,1000}[“”]"
    r"|«[^»]{1,1000}»|「[^」]{1,1000}」|『[^』]{1,1000}』"
    r"|(?<!\w)'[^'\n]{2,300}'(?!\w)|(?<!\w)‘[^’\n]{2,300}’(?!\w)|^>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
# A wide gap parts, too: so no rule ever looks through a long run of blanks.
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？；]+|;(?=\s)|\n+|\s{8,}")
_MAX_CLAUSE = 600
"""Characters. No rule reads a longer clause: it states more than one thing."""


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` is a slice of the turn; `reading` is what the rules read.

    The reading has plain apostrophes and, where the clause leaves it out, the subject of the
    clause before.
    """

    text: str
    reading: str
    question: bool


def split_into_clauses(text: str) -> list[Clause]:
    """The clauses that state or ask something in the speaker's own name, in order."""
    hidden = _QUOTED.sub(lambda match: "\0" * len(match[0]), text)
    found: list[Clause] = []
    supposing = False
    for start, end, stop in _sentence_spans(hidden):
        if text[start - 1 : start] == "\n":
            supposing = False
        supposing = (
            supposing or _patterns().supposition_opening.match(hidden[start:end]) is not None
        )
        if not supposing:
            found += _clauses_of_sentence(
                text, hidden, start, end, asked="?" in stop or "？" in stop
            )
    return found


def _sentence_spans(hidden: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for end in _SENTENCE_END.finditer(hidden):
        if end[0] == "." and _patterns().abbreviation.search(hidden[start : end.start()]):
            continue
        yield start, end.start(), end[0]
        start = end.end()
    yield start, len(hidden), ""


def _clauses_of_sentence(
    text: str, hidden: str, start: int, end: int, *, asked: bool
) -> list[Clause]:
    parts = [text[a:b] for a, b in _part_spans(hidden, start, end) if hidden[a] != "\0"]
    whole_asked = asked and not (
        parts and _patterns().question.match(_plain_apostrophes(parts[-1]))
    )
    found: list[Clause] = []
    before = ""
    for number, part in enumerate(parts, start=1):
        reading = _with_shared_subject(before, _plain_apostrophes(part))
        if len(part) > _MAX_CLAUSE or _states_nothing(reading):
            break
        question = whole_asked or (asked and number == len(parts))
        found.append(Clause(part, reading, question))
        before = reading
    return found


def _part_spans(hidden: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Slices between connectives, without white space, bullets and commas at their ends."""
    at = start
    cuts = [match.span() for match in _patterns().border.finditer(hidden, start, end)]
    for a, b in [*cuts, (end, end)]:
        piece = hidden[at:a]
        left = len(piece) - len(piece.lstrip(" \t\r\n-*•·,:，"))
        kept = piece.strip(" \t\r\n-*•·,:，")
        if kept:
            yield at + left, at + left + len(kept)
        at = b


def _plain_apostrophes(part: str) -> str:
    return part.replace("’", "'").replace("ʼ", "'")


def _states_nothing(reading: str) -> bool:
    """Whether the clause only supposes something, or reports another's words."""
    patterns = _patterns()
    supposes = patterns.supposition.search(reading) is not None
    return supposes or patterns.reporting.search(reading) is not None


def _with_shared_subject(before: str, reading: str) -> str:
    """`reading` with the subject of the clause before, if it leaves out its own."""
    for shared in _shared_subjects():
        opening = shared.subject.match(before)
        if opening is None:
            continue
        if opening["be"] and shared.state.match(reading):
            return f"{opening['who']}{shared.be} {reading}"
        if shared.verb.match(reading):
            return f"{opening['who']} {reading}"
    return reading


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What the languages' sections `offline.clauses` come to. `border` parts clauses."""

    abbreviation: re.Pattern[str]
    border: re.Pattern[str]
    supposition_opening: re.Pattern[str]
    supposition: re.Pattern[str]
    reporting: re.Pattern[str]
    question: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    abbreviations = loader.alternatives(lambda each: each.offline.clauses.abbreviations)
    questions = loader.alternatives(lambda each: each.offline.clauses.questions)
    return _Patterns(
        abbreviation=re.compile(rf"(?:\b(?:{abbreviations})|\b[A-Z])$", re.IGNORECASE),
        border=re.compile(_border(), re.IGNORECASE),
        supposition_opening=re.compile(_supposition_opening(), re.IGNORECASE),
        supposition=re.compile(_supposition(), re.IGNORECASE),
        reporting=re.compile(_reporting(), re.IGNORECASE),
        question=re.compile(rf"^(?:{questions})\b", re.IGNORECASE),
    )


def _border() -> str:
    """A connective, comma or dash where a clause starts behind it, and what else parts clauses."""
    connectives = loader.alternatives(lambda each: each.offline.clauses.connectives)
    adverbs = loader.alternatives(lambda each: each.offline.clauses.after_connectives)
    starts = loader.alternatives(lambda each: each.offline.clauses.starts)
    breaks = loader.alternatives(lambda each: each.offline.clauses.breaks)
    joint = rf",?\s+(?:{connectives})\s+(?:(?:{adverbs})\s+)?"
    return rf"(?:{joint}|,\s+|\s+[-–—]\s+)(?=(?:{starts}))|{breaks}"


def _supposition_opening() -> str:
    fillers = loader.alternatives(
        lambda each: each.offline.clauses.supposition_fillers, otherwise=""
    )
    spaced, unspaced = (
        loader.alternatives(lambda each: each.offline.clauses.supposition_openers, spaced=blanks)
        for blanks in (True, False)
    )
    return rf"^\W*(?:{fillers})(?:{spaced})|^\s*(?:{unspaced})"


def _supposition() -> str:
    spaced, unspaced = (
        loader.alternatives(lambda each: each.offline.clauses.suppositions, spaced=blanks)
        for blanks in (True, False)
    )
    return rf"\b(?:{spaced})|{unspaced}"


def _reporting() -> str:
    own = loader.alternatives(lambda each: each.offline.clauses.own_subjects)
    spaced, unspaced = (
        loader.alternatives(lambda each: each.offline.clauses.reporting, spaced=blanks)
        for blanks in (True, False)
    )
    return rf"^(?!\s*(?:{own})\b).{{0,80}}?\b(?:{spaced})\b|{unspaced}"


@dataclass(frozen=True, slots=True)
class _SharedSubject:
    """How a language leaves out a subject; see the section `offline.shared_subject`."""

    subject: re.Pattern[str]
    verb: re.Pattern[str]
    state: re.Pattern[str]
    be: str


@cache
def _shared_subjects() -> tuple[_SharedSubject, ...]:
    given = (each.offline.shared_subject for each in loader.languages())
    return tuple(
        _SharedSubject(
            subject=re.compile(each.subject, re.IGNORECASE),
            verb=re.compile(rf"^(?:{each.verbs or '(?!)'})\b", re.IGNORECASE),
            state=re.compile(rf"^(?:{each.states or '(?!)'})\b", re.IGNORECASE),
            be=each.be,
        )
        for each in given
        if each.subject
    )
