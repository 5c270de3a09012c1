"""Memories of an exchange by rules, as the JSON that a model would reply with."""

import json
from dataclasses import asdict, replace
from typing import Any

from strandline.errors import ModelRejected
from strandline.providers.offline import quoted_statements, statement_rules
from strandline.providers.offline.clauses import Clause, clauses
from strandline.providers.offline.finding import Finding, shortened

MAX_MEMORIES = 10
MAX_SUGGESTIONS = 3
"""Of one reply of the assistant. A long list of ideas is in the turn itself."""

_QUOTE_CHARACTERS = 300
_ASKED_FOR = 0.7
"""The least importance of what the user asks to be remembered."""

Found = tuple[Finding, str]
"""A finding and its verbatim quote."""


def extraction(exchange: str) -> str:
    """`{"memories": [...]}` of an exchange given as JSON; the same exchange gives the same text.

    Of the exchange only the user's and the assistant's own text counts; earlier turns don't.
    Raises ModelRejected for anything else.
    """
    try:
        given = json.loads(exchange)
        asked, replied = given["user"]["text"], given["assistant"]["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelRejected("The offline rules need the exchange as a JSON object.") from None
    if not (isinstance(asked, str) and isinstance(replied, str)):
        raise ModelRejected("The offline rules need the texts of both turns.")
    by_user = [_memory(found, "user") for found in _of_user(asked)]
    by_assistant = [_memory(found, "assistant") for found in _of_assistant(replied)]
    return json.dumps({"memories": _best(by_user + by_assistant)}, ensure_ascii=False)


def _best(memories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each said thing once, the most important ones if there are too many, in the order said."""
    once = list({(m["subject"], m["text"]): m for m in reversed(memories)}.values())[::-1]
    ranked = sorted(range(len(once)), key=lambda at: (-once[at]["importance"], at))
    return [once[at] for at in sorted(ranked[:MAX_MEMORIES])]


def _memory(found: Found, turn: str) -> dict[str, Any]:
    finding, quote = found
    return {**asdict(finding), "quotes": [{"turn": turn, "quote": quote}]}


def _of_user(text: str) -> list[Found]:
    known: dict[str, str] = {}
    found: list[Found] = []
    for number, clause in enumerate(clauses(text)):
        greeted = number < 2 and statement_rules.greets(text)
        result = said(clause, known, greeted=greeted)
        if result is None:
            continue
        found.append(result)
        if result[0].subject != "user":
            known = dict.fromkeys(("he", "she", "they"), result[0].subject)
    return found


def _of_assistant(text: str) -> list[Found]:
    found = []
    for clause in clauses(text):
        reading, skipped = statement_rules.without_fillers(clause.reading)
        if finding := statement_rules.suggestion(reading):
            found.append((finding, _quote(clause, skipped)))
    return found[:MAX_SUGGESTIONS]


def said(clause: Clause, known: dict[str, str], *, greeted: bool) -> Found | None:
    """What a clause says, by the first rule that fits; `known` tells who "he" and "she" are."""
    reading, skipped = statement_rules.without_fillers(clause.reading)
    if clause.question:
        asked = statement_rules.question(reading)
        return (asked, _quote(clause, skipped)) if asked else None
    if wanted := statement_rules.remembered(reading):
        words, begins = wanted
        finding = _statement(words, known) or statement_rules.as_data(words)
        finding = replace(finding, importance=max(_ASKED_FOR, finding.importance))
        return finding, _quote(clause, skipped + begins)
    stated = _statement(reading, known, greeted=greeted)
    return (stated, _quote(clause, skipped)) if stated else None


def _statement(reading: str, known: dict[str, str], *, greeted: bool = False) -> Finding | None:
    return statement_rules.statement(
        reading, known, greeted=greeted
    ) or quoted_statements.statement(reading)


def _quote(clause: Clause, skipped: int) -> str:
    """The clause as it stands in the turn, without as many characters in front."""
    # A reading that got its subject from the clause before begins with "I": nothing is skipped.
    start = skipped if len(clause.reading) == len(clause.text) else 0
    return shortened(clause.text[start:], _QUOTE_CHARACTERS).strip()
