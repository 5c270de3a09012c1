"""A turn's text as clauses that can each stand for one thing said.

What is quoted, supposed, reported of others or asked is marked, so that no rule takes it for a
fact. Every clause is a verbatim slice of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from strandline.providers.offline.openings import (
    CARRIED_AFTER_BE,
    CARRIED_VERBS,
    QUESTION_WORDS,
    START_OF_CLAUSE,
)

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]{1,1000}\"|“[^”]{1,1000}”|„[^“”]{1,1000}[“”]"
    r"|«[^»]{1,1000}»|「[^」]{1,1000}」|『[^』]{1,1000}』"
    r"|(?<!\w)'[^'\n]{2,300}'(?!\w)|(?<!\w)‘[^’\n]{2,300}’(?!\w)|^>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
# A wide gap parts, too: so no rule ever looks through a long run of blanks.
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|[。！？；]+|;(?=\s)|\n+|\s{8,}")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|prof|e\.g|i\.e|etc|vs|approx|no|a\.m|p\.m)|\b[A-Z])$", re.IGNORECASE
)
_CONNECTIVE = re.compile(
    r"(?:,?\s+(?:and|but|so|because|although|though|plus|yet|und|aber|et|mais|pero|y|ma|mas|e|en"
    r"|maar)\s+(?:also\s+|then\s+|now\s+|that\s+)?|,\s+|\s+[-–—]\s+)"
    rf"(?={START_OF_CLAUSE})"
    rf"|,?\s+(?:and|but)\s+(?:also\s+)?(?=(?:{CARRIED_VERBS}|{CARRIED_AFTER_BE})\b)"
    rf"|(?:,\s*(?:so\s+)?|\s+so\s+)(?=(?:{QUESTION_WORDS})\b)"
    r"|\s*[，、]\s*(?:但是|但|而且|而|所以|因为)?",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^\W*(?:(?:ok|okay|so|now|well|and|hey|hi),?\s+)*(?:let's\s+|let us\s+|just\s+)?"
    r"(?:suppose|supposing|imagine|pretend|hypothetically|assume|assuming|say i\b|say we\b"
    r"|say,|say that|picture this|for the sake of argument|role-?play"
    r"|angenommen|stell dir vor|supposons|imaginons|supongamos|imagina|supponiamo|immagina"
    r"|suponha|imagine|stel dat|stel je voor)|^\s*(?:假设|假如|想象|如果)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:what if|if (?:i|we|you|he|she|they|it|my|our|only|someone|there|the|that|this)\b"
    r"|if i'(?:m|d|ve)|unless|as if|as though|i wish|i would\b|i'd(?! (?:like|love|rather"
    r"|prefer))\b"
    r"|i'm (?:just )?(?:kidding|joking)|just kidding"
    r"|i might|we might|would i\b|were i\b|had i\b|i could\b|whether"
    r"|wenn ich|falls ich|si (?:je|j'|yo|me|mi)\b|se (?:io|eu|mi)\b|als ik)"
    r"|如果|假如|要是|假设|倘若|万一",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"^(?!\s*(?:i|we)\b).{0,80}?\b(?:said|says|told|tells|wrote|writes|claims?|claimed|thinks"
    r"|thought"
    r"|asked|asks|believes?|replied|shouted|quotes?|sings?|sagte?|dit|dice|disse|zei)\b|^[^我]*说",
    re.IGNORECASE,
)
_OPENS_WITH_I = re.compile(
    r"^(?:\w+,?\s+){0,4}?(?P<who>i|we)(?:(?P<be>'m| am)\b|\b)", re.IGNORECASE
)
_BE_LATER = re.compile(rf"^(?:{CARRIED_AFTER_BE})\b", re.IGNORECASE)
_MAX_CLAUSE = 600
"""Characters. What goes on for longer without a stop says more than one thing; no rule reads it."""

_CARRIED = re.compile(rf"^(?:{CARRIED_VERBS})\b", re.IGNORECASE)
_ASKS = re.compile(rf"^(?:{QUESTION_WORDS})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` as it stands in the turn; `reading` is what the rules read.

    The reading has plain apostrophes and, where the clause leaves it out, the subject of the
    clause before.
    """

    text: str
    reading: str
    question: bool


def clauses(text: str) -> list[Clause]:
    """The clauses that say or ask something in the speaker's own name, in order."""
    hidden = _QUOTED.sub(lambda match: "\0" * len(match[0]), text)
    found: list[Clause] = []
    supposing = False
    for start, end, stop in _sentences(hidden):
        if text[start - 1 : start] == "\n":
            supposing = False
        supposing = supposing or _FRAME.match(hidden[start:end]) is not None
        if not supposing:
            found += _of_sentence(text, hidden, start, end, asked="?" in stop or "？" in stop)
    return found


def _sentences(hidden: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for end in _SENTENCE_END.finditer(hidden):
        if end[0] == "." and _ABBREVIATION.search(hidden[start : end.start()]):
            continue
        yield start, end.start(), end[0]
        start = end.end()
    yield start, len(hidden), ""


def _of_sentence(text: str, hidden: str, start: int, end: int, *, asked: bool) -> list[Clause]:
    parts = [text[a:b] for a, b in _parts(hidden, start, end) if hidden[a] != "\0"]
    whole_asked = asked and not (parts and _ASKS.match(_plain(parts[-1])))
    found: list[Clause] = []
    before = ""
    for number, part in enumerate(parts, start=1):
        reading = _carried(before, _plain(part))
        if len(part) > _MAX_CLAUSE or _SUPPOSED.search(reading) or _REPORTED.search(reading):
            break
        question = whole_asked or (asked and number == len(parts))
        found.append(Clause(part, reading, question))
        before = reading
    return found


def _parts(hidden: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Slices between connectives, without white space, bullets and commas at their ends."""
    at = start
    cuts = [match.span() for match in _CONNECTIVE.finditer(hidden, start, end)]
    for a, b in [*cuts, (end, end)]:
        piece = hidden[at:a]
        left = len(piece) - len(piece.lstrip(" \t\r\n-*•·,:，"))
        kept = piece.strip(" \t\r\n-*•·,:，")
        if kept:
            yield at + left, at + left + len(kept)
        at = b


def _plain(part: str) -> str:
    return part.replace("’", "'").replace("ʼ", "'")


def _carried(before: str, reading: str) -> str:
    """`reading` with the subject it shares with the clause before."""
    opening = _OPENS_WITH_I.match(before)
    if opening is None:
        return reading
    if opening["be"] and _BE_LATER.match(reading):
        return f"{opening['who']}'m {reading}"
    if _CARRIED.match(reading):
        return f"{opening['who']} {reading}"
    return reading
