"""A checkpoint's draft by rules, as the JSON that a model would reply with."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from strandline.errors import ModelRejected
from strandline.language.data import loader
from strandline.providers.offline import statement_rules
from strandline.providers.offline.clauses import Clause, clauses
from strandline.providers.offline.document_draft import of_document
from strandline.providers.offline.draft_fields import DraftFields, quoted_point
from strandline.providers.offline.extraction import said
from strandline.providers.offline.finding import TITLE_CHARACTERS, sentence, shortened
from strandline.providers.offline.names_and_titles import names

_SUMMARY_SENTENCES = 5
_SENTENCE_CHARACTERS = 200


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


def _drawn(given: Any) -> DraftFields:
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
        reading, skipped = statement_rules.without_fillers(clause.reading)
        found = said(clause, {}, greeted=False)
        kind, quote = (found[0].kind, found[1]) if found else ("", _verbatim(clause, skipped))
        if clause.question:
            if kind == "question":
                self.questions.append(sentence(quote) + "?")
        elif kind == "decision" or _patterns().settled.match(reading):
            self.decisions.append(quoted_point(_verbatim(clause, skipped), turn))
        elif kind == "commitment" or _patterns().to_do.match(reading):
            self.tasks.append(quoted_point(_verbatim(clause, skipped), turn))


def _of_turns(turns: Sequence[tuple[int, str]]) -> DraftFields:
    drawing = _Drawing()
    for number, text in turns:
        for clause in clauses(text):
            drawing.take(clause, number)
    texts = [text for _, text in turns]
    opening = next(_sentences(texts), "")
    return DraftFields(
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
        if _patterns().goals.match(statement_rules.without_fillers(clause.reading)[0])
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


@dataclass(frozen=True, slots=True)
class _Patterns:
    settled: re.Pattern[str]
    to_do: re.Pattern[str]
    goals: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    settled = loader.alternatives(lambda each: each.offline.drafts.settled)
    to_do = loader.alternatives(lambda each: each.offline.drafts.to_do)
    goals = loader.alternatives(lambda each: each.offline.drafts.goals)
    return _Patterns(*(re.compile(each, re.IGNORECASE) for each in (settled, to_do, goals)))
