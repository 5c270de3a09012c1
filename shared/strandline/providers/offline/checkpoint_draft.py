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
from strandline.providers.offline.clauses import Clause, split_into_clauses
from strandline.providers.offline.document_draft import draft_document
from strandline.providers.offline.draft_fields import DraftFields, quoted_point
from strandline.providers.offline.extraction import find_in_clause
from strandline.providers.offline.finding import TITLE_CHARACTERS, as_sentence, truncate_at_word
from strandline.providers.offline.names_and_titles import find_names

_SUMMARY_SENTENCES = 5
_SENTENCE_CHARACTERS = 200


def draft_checkpoint(given_text: str) -> str:
    """Returns the draft of a window (`turns`) or a document given as JSON. Deterministic.

    Of a window only the users' turns are read. Raises ModelRejected for anything else.
    """
    try:
        given = json.loads(given_text)
        found = _draft_input(given)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelRejected("The offline rules need turns or a document as JSON.") from None
    return json.dumps(found.as_reply(), ensure_ascii=False)


def _draft_input(given: Any) -> DraftFields:
    if "document" in given:
        return draft_document(given["document"])
    turns = [
        (int(turn["turn"]), str(turn["text"])) for turn in given["turns"] if turn["role"] == "user"
    ]
    return _draft_turns(turns)


@dataclass
class _DraftBuilder:
    """The points of the turns so far."""

    decisions: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def add_clause(self, clause: Clause, turn: int) -> None:
        """Adds the clause to the list that the first matching rule names, if one matches."""
        reading, skipped = statement_rules.without_fillers(clause.reading)
        found = find_in_clause(clause, {}, greeted=False)
        kind, quote = (
            (found[0].kind, found[1]) if found else ("", _verbatim_clause(clause, skipped))
        )
        if clause.question:
            if kind == "question":
                self.questions.append(as_sentence(quote) + "?")
        elif kind == "decision" or _patterns().settled.match(reading):
            self.decisions.append(quoted_point(_verbatim_clause(clause, skipped), turn))
        elif kind == "commitment" or _patterns().to_do.match(reading):
            self.tasks.append(quoted_point(_verbatim_clause(clause, skipped), turn))


def _draft_turns(turns: Sequence[tuple[int, str]]) -> DraftFields:
    builder = _DraftBuilder()
    for number, text in turns:
        for clause in split_into_clauses(text):
            builder.add_clause(clause, number)
    texts = [text for _, text in turns]
    opening = next(_first_sentences(texts), "")
    return DraftFields(
        title=truncate_at_word(opening.rstrip(".!?… "), TITLE_CHARACTERS),
        objective=_objective(texts) or opening,
        summary=" ".join(_summary(texts)),
        decisions=tuple(builder.decisions),
        tasks=tuple(builder.tasks),
        open_questions=tuple(dict.fromkeys(builder.questions)),
        entities=tuple(find_names(texts)),
    )


def _objective(texts: Sequence[str]) -> str:
    """The first clause that states a goal."""
    wanted = (
        as_sentence(clause.text)
        for text in texts
        for clause in split_into_clauses(text)
        if _patterns().goals.match(statement_rules.without_fillers(clause.reading)[0])
    )
    return truncate_at_word(next(wanted, ""), _SENTENCE_CHARACTERS)


def _summary(texts: Sequence[str]) -> list[str]:
    """The first sentences of the first turns."""
    return [
        opening
        for text in texts[:_SUMMARY_SENTENCES]
        for opening in [_first_sentence(text)]
        if opening
    ]


def _first_sentences(texts: Sequence[str]) -> Iterator[str]:
    return (opening for text in texts for opening in [_first_sentence(text)] if opening)


def _first_sentence(text: str) -> str:
    """A turn's first sentence, on one line."""
    flat = " ".join(text.split())
    end = re.search(r"[.!?…](?=\s|$)|[。！？]", flat)
    return truncate_at_word(flat[: end.end()] if end else flat, _SENTENCE_CHARACTERS)


def _verbatim_clause(clause: Clause, skipped: int) -> str:
    """The clause as the turn has it, without greetings in front."""
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
