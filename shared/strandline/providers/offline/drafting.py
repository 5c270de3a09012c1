"""A checkpoint's draft by rules, as the JSON that a model would reply with."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from strandline.errors import ModelRejected
from strandline.providers.offline import remarks
from strandline.providers.offline.clauses import Clause, clauses
from strandline.providers.offline.documents import of_document
from strandline.providers.offline.extraction import said
from strandline.providers.offline.finding import TITLE_CHARACTERS, sentence, shortened
from strandline.providers.offline.naming import names
from strandline.providers.offline.points import Points, point

_SUMMARY_SENTENCES = 5
_SENTENCE_CHARACTERS = 200
_SETTLED = re.compile(
    r"^(?!what\b|that's\b|how\b|who\b|where\b)[^?]{2,80}\bit is(?: then)?$"
    r"|^(?:we|i)(?:'ll| will|'re going to|'m going to)\s+"
    r"(?:use|take|choose|pick|adopt|skip|drop|keep|do without)\b"
    r"|^(?:agreed|decided|settled|decision)\s*:",
    re.IGNORECASE,
)
_TO_DO = re.compile(
    r"^(?:to-?do|task|action item|next step)s?\s*:"
    r"|^(?:i|we)(?:'ve got| still have| have| still need| need|'ll have)\s+to\s+\w"
    r"|^(?:please\s+)?(?:remind (?:me|us)|don't forget) to\s+\w"
    r"|^(?:i|we)\s+must\s+\w",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"^(?:i|we)(?:'d like| want| need| would like| plan|'m planning|'re planning)\b"
    r"|^(?:my|our|the) (?:goal|aim|objective|plan)\b|^help me\b",
    re.IGNORECASE,
)


def draft(given_text: str) -> str:
    """The draft of a window (`turns`) or a document given as JSON; the same gives the same text.

    Of a window only what users say counts. Raises ModelRejected for anything else.
    """
    try:
        given = json.loads(given_text)
        found = _drawn(given)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelRejected("The offline rules need turns or a document as JSON.") from None
    return json.dumps(found.as_reply(), ensure_ascii=False)


def _drawn(given: Any) -> Points:
    if "document" in given:
        return of_document(given["document"])
    turns = [
        (int(turn["turn"]), str(turn["text"])) for turn in given["turns"] if turn["role"] == "user"
    ]
    return _of_turns(turns)


@dataclass
class _Drawing:
    """What the turns so far came to; filled turn by turn."""

    decisions: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def take(self, clause: Clause, turn: int) -> None:
        """Put a clause where it belongs, by the first rule that fits."""
        reading, skipped = remarks.opened(clause.reading)
        found = said(clause, {}, greeted=False)
        kind, quote = (found[0].kind, found[1]) if found else ("", _verbatim(clause, skipped))
        if clause.question:
            if kind == "question":
                self.questions.append(sentence(quote) + "?")
        elif kind == "decision" or _SETTLED.match(reading):
            self.decisions.append(point(_verbatim(clause, skipped), turn))
        elif kind == "commitment" or _TO_DO.match(reading):
            self.tasks.append(point(_verbatim(clause, skipped), turn))


def _of_turns(turns: Sequence[tuple[int, str]]) -> Points:
    drawing = _Drawing()
    for number, text in turns:
        for clause in clauses(text):
            drawing.take(clause, number)
    texts = [text for _, text in turns]
    opening = next(_sentences(texts), "")
    return Points(
        title=shortened(opening.rstrip(".!?… "), TITLE_CHARACTERS),
        objective=_objective(texts) or opening,
        summary=" ".join(_summary(texts)),
        decisions=tuple(drawing.decisions),
        tasks=tuple(drawing.tasks),
        open_questions=tuple(dict.fromkeys(drawing.questions)),
        entities=tuple(names(texts)),
    )


def _objective(texts: Sequence[str]) -> str:
    """The first thing that somebody wants."""
    wanted = (
        sentence(clause.text)
        for text in texts
        for clause in clauses(text)
        if _GOAL.match(remarks.opened(clause.reading)[0])
    )
    return shortened(next(wanted, ""), _SENTENCE_CHARACTERS)


def _summary(texts: Sequence[str]) -> list[str]:
    """How each of the first turns begins, in the users' own words."""
    return [opening for text in texts[:_SUMMARY_SENTENCES] for opening in [_first(text)] if opening]


def _sentences(texts: Sequence[str]) -> Iterator[str]:
    return (opening for text in texts for opening in [_first(text)] if opening)


def _first(text: str) -> str:
    """A turn's first sentence, on one line."""
    flat = " ".join(text.split())
    end = re.search(r"[.!?…](?=\s|$)|[。！？]", flat)
    return shortened(flat[: end.end()] if end else flat, _SENTENCE_CHARACTERS)


def _verbatim(clause: Clause, skipped: int) -> str:
    """The clause as it stands in the turn, without greetings in front."""
    start = skipped if len(clause.reading) == len(clause.text) else 0
    return clause.text[start:].strip()
