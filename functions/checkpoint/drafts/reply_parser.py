"""Parses the reply of a draft call: repaired where possible, and bounded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from strandline.language.folding import fold_lower, one_line, strip_control_characters, truncate
from strandline.language.json_in_text import (
    JsonValues,
    NotJSON,
    extract_json,
    is_refusal,
    load_json,
)
from strandline.language.loose_json import as_list, as_quote, as_text, first_of
from strandline.models.job import Dropped

MAX_TITLE = 120
MAX_OBJECTIVE = 500
MAX_SUMMARY = 4_000
MAX_LINE = 500
MAX_LINES = 20
MAX_QUOTES = 3
MAX_QUOTE = 4_000
MAX_DROPPED = 60
_MAX_DEPTH = 3

FIELD_ALIASES = {
    "title": ("title", "name"),
    "objective": ("objective", "goal", "objectives"),
    "summary": ("summary", "overview"),
    "decisions": ("decisions", "decision", "key_decisions"),
    "tasks": ("tasks", "task", "open_tasks", "todos", "to_dos", "action_items", "next_steps"),
    "open_questions": ("open_questions", "questions", "open_question", "question"),
    "entities": ("entities", "entity", "key_entities"),
    "assumptions": ("assumptions", "assumption"),
}
"""The fields by name, and what models call them instead.

Case, spaces and hyphens don't count.
"""

WRAPPER_KEYS = (
    "checkpoint", "draft", "checkpoint_draft", "result", "results", "data", "output", "response",
)  # fmt: skip

_TEXT_KEYS = (
    "text", "decision", "task", "question", "open_question", "assumption", "entity", "name",
    "statement", "title", "summary", "objective", "description", "content", "value", "item",
)  # fmt: skip
_QUOTE_KEYS = ("quotes", "quote", "citations", "citation", "evidence", "sources", "source")
_TURN_KEYS = ("turn", "turn_number", "sequence_number", "turn_id", "number", "sequence")
_KNOWN_FIELDS = frozenset(alias for names in FIELD_ALIASES.values() for alias in names)
_WORD_BREAK = re.compile(r"[\s\-]+|(?<=[a-z])(?=[A-Z])")
_LAST_NUMBER = re.compile(r"(\d{1,8})\D*\Z")
_BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Quote:
    """Words the model says it copied from a turn; `turn` is None where it didn't say which."""

    turn: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ProposedLine:
    """A line that the model proposed, and the quotes it gave for it."""

    text: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftProposal:
    """A draft that the model proposed: repaired and bounded, not yet verified."""

    title: str = ""
    objective: str = ""
    summary: str = ""
    decisions: tuple[ProposedLine, ...] = ()
    tasks: tuple[ProposedLine, ...] = ()
    open_questions: tuple[ProposedLine, ...] = ()
    entities: tuple[ProposedLine, ...] = ()
    assumptions: tuple[ProposedLine, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusableReply:
    """The reply has no draft; `reason` is a sentence."""

    reason: str


def parse_draft(reply: str) -> DraftProposal | UnusableReply:
    """Parses the reply of a draft call. Never raises.

    Of several JSON values the last one that is a draft counts.
    """
    found = extract_json(reply)
    fields = _last_draft_fields(found)
    if fields is not None:
        return _build_proposal(fields)
    if found.cut_off:
        return UnusableReply("The model's reply breaks off within its JSON.")
    if found.values:
        return UnusableReply("The model's reply holds JSON, but no draft.")
    if is_refusal(found.prose):
        return UnusableReply("The model refused to make a draft.")
    return UnusableReply("The model's reply holds no JSON.")


def _last_draft_fields(found: JsonValues) -> dict[str, Any] | None:
    values = [*found.values, *found.nested]
    drafts = [fields for value in values if (fields := _draft_fields(value)) is not None]
    if drafts:
        return drafts[-1]
    # Empty JSON is an empty draft.
    return {} if found.values and all(value in (None, [], {}) for value in found.values) else None


def _draft_fields(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """Returns a draft's fields by normalised key; None if the value is no draft."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, str):
        return _decode_text(value, depth)
    if isinstance(value, list):
        drafts = [
            fields for item in value if (fields := _draft_fields(item, depth + 1)) is not None
        ]
        return drafts[-1] if drafts else None
    return _fields_of_object(value, depth) if isinstance(value, dict) else None


def _fields_of_object(value: dict[Any, Any], depth: int) -> dict[str, Any] | None:
    named = {_normalise_key(name): inner for name, inner in value.items()}
    if len(_KNOWN_FIELDS & named.keys()) > 1 or "decisions" in named or "tasks" in named:
        return named
    inner = first_of(named, WRAPPER_KEYS)
    if isinstance(inner, dict | list | str):
        return {} if inner in ({}, []) else _draft_fields(inner, depth + 1)
    return None


def _decode_text(value: str, depth: int) -> dict[str, Any] | None:
    try:
        return (
            _draft_fields(load_json(value), depth + 1) if value.strip()[:1] in ("{", "[") else None
        )
    except NotJSON:
        return None


def _normalise_key(name: str) -> str:
    return _WORD_BREAK.sub("_", name.strip()).casefold()


def _build_proposal(fields: dict[str, Any]) -> DraftProposal:
    lists = {
        name: _proposed_lines(first_of(fields, FIELD_ALIASES[name]))
        for name in list(FIELD_ALIASES)[3:]
    }
    dropped = [
        Dropped(text=line.text, reason=f"more than {MAX_LINES} {name.replace('_', ' ')}")
        for name, lines in lists.items()
        for line in lines[MAX_LINES:]
    ]
    kept = {name: tuple(lines[:MAX_LINES]) for name, lines in lists.items()}
    return DraftProposal(
        title=truncate(one_line(_joined_text(fields, "title")), MAX_TITLE),
        objective=truncate(one_line(_joined_text(fields, "objective")), MAX_OBJECTIVE),
        summary=truncate(strip_control_characters(_joined_text(fields, "summary")), MAX_SUMMARY),
        **kept,
        dropped=tuple(dropped[:MAX_DROPPED]),
    )


def _joined_text(fields: dict[str, Any], name: str) -> str:
    """Returns a field's text; several texts are joined."""
    texts = (_item_text(item) for item in _items(first_of(fields, FIELD_ALIASES[name])))
    return " ".join(text for text in texts if text)


def _proposed_lines(value: Any) -> list[ProposedLine]:
    """Returns the distinct lines that are not empty."""
    lines = (_proposed_line(item) for item in _items(value))
    distinct: dict[str, ProposedLine] = {}
    for line in lines:
        if line.text and (key := fold_lower(line.text)) not in distinct:
            distinct[key] = line
    return list(distinct.values())


def _items(value: Any, depth: int = 0) -> Iterator[Any]:
    """Returns the items of a field: null has none, a text or an object with a text is one."""
    if isinstance(value, dict) and value and not any(key in value for key in _TEXT_KEYS):
        value = list(value.values())
    for item in as_list(value):
        if isinstance(item, list) and depth < _MAX_DEPTH:
            yield from _items(item, depth + 1)
        else:
            yield item


def _proposed_line(item: Any) -> ProposedLine:
    text = truncate(_BULLET.sub("", one_line(_item_text(item))), MAX_LINE)
    return ProposedLine(text, _parse_quotes(item) if isinstance(item, dict) else ())


def _item_text(item: Any, depth: int = 0) -> str:
    """Returns the text of an item: itself, or an object's value under a key for texts."""
    if not isinstance(item, dict):
        return as_text(item)
    text = first_of(item, _TEXT_KEYS)
    return _item_text(text, depth + 1) if depth < _MAX_DEPTH else ""


def _parse_quotes(item: dict[Any, Any]) -> tuple[Quote, ...]:
    turn = _turn_number(first_of(item, _TURN_KEYS))
    found = (_parse_quote(part, turn) for part in as_list(first_of(item, _QUOTE_KEYS)))
    return tuple(dict.fromkeys(quote for quote in found if quote.text))[:MAX_QUOTES]


def _parse_quote(part: Any, turn: int | None) -> Quote:
    if not isinstance(part, dict):
        return Quote(turn, as_quote(part, MAX_QUOTE))
    named = _turn_number(first_of(part, _TURN_KEYS))
    text = first_of(part, ("quote", "text"))
    return Quote(turn if named is None else named, as_quote(text, MAX_QUOTE))


def _turn_number(value: Any) -> int | None:
    """Returns the number of a turn written as 9, 9.0, "9", "turn 9" or its id."""
    match = _LAST_NUMBER.search(as_text(value)[-60:].removesuffix(".0"))
    return int(match[1]) if match else None
