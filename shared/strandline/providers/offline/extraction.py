"""Memories of an exchange by rules, as the JSON that a model would reply with."""

import json
from dataclasses import asdict, replace
from typing import Any

from strandline.errors import ModelRejected
from strandline.providers.offline import quoted_statements, statement_rules
from strandline.providers.offline.clauses import Clause, split_into_clauses
from strandline.providers.offline.finding import Finding, truncate_at_word
from strandline.providers.offline.third_parties import antecedents

MAX_MEMORIES = 10
MAX_SUGGESTIONS = 3
"""Of one reply of the assistant. A long list of ideas is in the turn itself."""

_QUOTE_CHARACTERS = 300
_LEAST_IMPORTANCE_OF_MEMOS = 0.7
"""The least importance of what the user asks to be remembered."""

QuotedFinding = tuple[Finding, str]
"""A finding and its verbatim quote."""


def extract_memories(exchange: str) -> str:
    """Returns `{"memories": [...]}` for an exchange given as JSON. Deterministic.

    Only the texts of the user's and the assistant's turn are read, not the earlier turns.
    Raises ModelRejected for anything that isn't such an exchange.
    """
    try:
        given = json.loads(exchange)
        asked, replied = given["user"]["text"], given["assistant"]["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelRejected("The offline rules need the exchange as a JSON object.") from None
    if not (isinstance(asked, str) and isinstance(replied, str)):
        raise ModelRejected("The offline rules need the texts of both turns.")
    by_user = [_as_memory(found, "user") for found in _user_findings(asked)]
    by_assistant = [_as_memory(found, "assistant") for found in _assistant_findings(replied)]
    return json.dumps({"memories": _most_important(by_user + by_assistant)}, ensure_ascii=False)


def _most_important(memories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The memories without repetitions, at most MAX_MEMORIES, in the order of the turn."""
    unique = list({(m["subject"], m["text"]): m for m in reversed(memories)}.values())[::-1]
    ranked = sorted(range(len(unique)), key=lambda at: (-unique[at]["importance"], at))
    return [unique[at] for at in sorted(ranked[:MAX_MEMORIES])]


def _as_memory(found: QuotedFinding, turn: str) -> dict[str, Any]:
    finding, quote = found
    return {**asdict(finding), "quotes": [{"turn": turn, "quote": quote}]}


def _user_findings(text: str) -> list[QuotedFinding]:
    known: dict[str, str] = {}
    found: list[QuotedFinding] = []
    for number, clause in enumerate(split_into_clauses(text)):
        greeted = number < 2 and statement_rules.greets(text)
        result = find_in_clause(clause, known, greeted=greeted)
        if result is None:
            continue
        found.append(result)
        if result[0].subject != "user":
            known = antecedents(result[0].subject)
    return found


def _assistant_findings(text: str) -> list[QuotedFinding]:
    found = []
    for clause in split_into_clauses(text):
        reading, skipped = statement_rules.without_fillers(clause.reading)
        if finding := statement_rules.find_suggestion(reading):
            found.append((finding, _verbatim_quote(clause, skipped)))
    return found[:MAX_SUGGESTIONS]


def find_in_clause(clause: Clause, known: dict[str, str], *, greeted: bool) -> QuotedFinding | None:
    """What the first matching rule finds in a clause; `known` maps "he" and "she" to a person."""
    reading, skipped = statement_rules.without_fillers(clause.reading)
    if clause.question:
        asked = statement_rules.find_question(reading)
        return (asked, _verbatim_quote(clause, skipped)) if asked else None
    if wanted := statement_rules.memo_request(reading):
        words, begins = wanted
        finding = _find_statement(words, known) or statement_rules.as_memo(words)
        finding = replace(finding, importance=max(_LEAST_IMPORTANCE_OF_MEMOS, finding.importance))
        return finding, _verbatim_quote(clause, skipped + begins)
    stated = _find_statement(reading, known, greeted=greeted)
    return (stated, _verbatim_quote(clause, skipped)) if stated else None


def _find_statement(
    reading: str, known: dict[str, str], *, greeted: bool = False
) -> Finding | None:
    return statement_rules.find_statement(
        reading, known, greeted=greeted
    ) or quoted_statements.find_quoted_statement(reading)


def _verbatim_quote(clause: Clause, skipped: int) -> str:
    """The clause as the turn has it, without the first `skipped` characters."""
    # A reading that got its subject from the clause before begins with "I": nothing is skipped.
    start = skipped if len(clause.reading) == len(clause.text) else 0
    return truncate_at_word(clause.text[start:], _QUOTE_CHARACTERS).strip()
