"""What the model replied to a draft, repaired where it can be, and bounded."""

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
_DEPTH = 3

NAMES = {
    "title": ("title", "name"),
    "objective": ("objective", "goal", "objectives"),
    "summary": ("summary", "overview"),
    "decisions": ("decisions", "decision", "key_decisions"),
    "tasks": ("tasks", "task", "open_tasks", "todos", "to_dos", "action_items", "next_steps"),
    "open_questions": ("open_questions", "questions", "open_question", "question"),
    "entities": ("entities", "entity", "key_entities"),
    "assumptions": ("assumptions", "assumption"),
}
"""The fields, and what models call them instead; case and the marks between words don't count."""

WRAPPERS = (
    "checkpoint", "draft", "checkpoint_draft", "result", "results", "data", "output", "response",
)  # fmt: skip

_TEXT_KEYS = (
    "text", "decision", "task", "question", "open_question", "assumption", "entity", "name",
    "statement", "title", "summary", "objective", "description", "content", "value", "item",
)  # fmt: skip
_QUOTE_KEYS = ("quotes", "quote", "citations", "citation", "evidence", "sources", "source")
_TURN_KEYS = ("turn", "turn_number", "sequence_number", "turn_id", "number", "sequence")
_KNOWN = frozenset(alias for names in NAMES.values() for alias in names)
_BETWEEN_WORDS = re.compile(r"[\s\-]+|(?<=[a-z])(?=[A-Z])")
_LAST_NUMBER = re.compile(r"(\d{1,8})\D*\Z")
_BULLET = re.compile(r"^(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Quote:
    """Words the model says it took from a turn; `turn` is None where it didn't say which."""

    turn: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Point:
    """A line as the model proposed it, and what it says the line rests on."""

    text: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft as the model proposed it, repaired and bounded, not yet believed."""

    title: str = ""
    objective: str = ""
    summary: str = ""
    decisions: tuple[Point, ...] = ()
    tasks: tuple[Point, ...] = ()
    open_questions: tuple[Point, ...] = ()
    entities: tuple[Point, ...] = ()
    assumptions: tuple[Point, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Unusable:
    """The reply holds no draft; `reason` is a sentence."""

    reason: str


def parse(reply: str) -> Proposal | Unusable:
    """The draft in a reply; never raises, whatever the reply is.

    Of several JSON values the last that is a draft counts: what a model writes before it is a
    draft of the draft.
    """
    found = extract_json(reply)
    fields = _chosen(found)
    if fields is not None:
        return _proposal(fields)
    if found.cut_off:
        return Unusable("The model's reply breaks off within its JSON.")
    if found.values:
        return Unusable("The model's reply holds JSON, but no draft.")
    if is_refusal(found.prose):
        return Unusable("The model refused to make a draft.")
    return Unusable("The model's reply holds no JSON.")


def _chosen(found: JsonValues) -> dict[str, Any] | None:
    values = [*found.values, *found.nested]
    drafts = [fields for value in values if (fields := _fields(value)) is not None]
    if drafts:
        return drafts[-1]
    # Nothing at all, said as JSON, is an honest empty draft.
    return {} if found.values and all(value in (None, [], {}) for value in found.values) else None


def _fields(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """A draft's fields by the names that models give them; None if the value is no draft."""
    if depth > _DEPTH:
        return None
    if isinstance(value, str):
        return _encoded_twice(value, depth)
    if isinstance(value, list):
        drafts = [fields for item in value if (fields := _fields(item, depth + 1)) is not None]
        return drafts[-1] if drafts else None
    return _of_object(value, depth) if isinstance(value, dict) else None


def _of_object(value: dict[Any, Any], depth: int) -> dict[str, Any] | None:
    named = {_folded(name): inner for name, inner in value.items()}
    if len(_KNOWN & named.keys()) > 1 or "decisions" in named or "tasks" in named:
        return named
    inner = first_of(named, WRAPPERS)
    if isinstance(inner, dict | list | str):
        return {} if inner in ({}, []) else _fields(inner, depth + 1)
    return None


def _encoded_twice(value: str, depth: int) -> dict[str, Any] | None:
    try:
        return _fields(load_json(value), depth + 1) if value.strip()[:1] in ("{", "[") else None
    except NotJSON:
        return None


def _folded(name: str) -> str:
    return _BETWEEN_WORDS.sub("_", name.strip()).casefold()


def _proposal(fields: dict[str, Any]) -> Proposal:
    lists = {name: _points(first_of(fields, NAMES[name])) for name in list(NAMES)[3:]}
    dropped = [
        Dropped(text=point.text, reason=f"more than {MAX_LINES} {name.replace('_', ' ')}")
        for name, points in lists.items()
        for point in points[MAX_LINES:]
    ]
    kept = {name: tuple(points[:MAX_LINES]) for name, points in lists.items()}
    return Proposal(
        title=truncate(one_line(_prose(fields, "title")), MAX_TITLE),
        objective=truncate(one_line(_prose(fields, "objective")), MAX_OBJECTIVE),
        summary=truncate(strip_control_characters(_prose(fields, "summary")), MAX_SUMMARY),
        **kept,
        dropped=tuple(dropped[:MAX_DROPPED]),
    )


def _prose(fields: dict[str, Any], name: str) -> str:
    """A text; of several, one behind the other."""
    texts = (_said(item) for item in _items(first_of(fields, NAMES[name])))
    return " ".join(text for text in texts if text)


def _points(value: Any) -> list[Point]:
    """Each line that says anything, once."""
    made = (_point(item) for item in _items(value))
    once: dict[str, Point] = {}
    for point in made:
        if point.text and (key := fold_lower(point.text)) not in once:
            once[key] = point
    return list(once.values())


def _items(value: Any, depth: int = 0) -> Iterator[Any]:
    """What a field lists: null is nothing, a text or an object that says one is one item."""
    if isinstance(value, dict) and value and not any(key in value for key in _TEXT_KEYS):
        value = list(value.values())
    for item in as_list(value):
        if isinstance(item, list) and depth < _DEPTH:
            yield from _items(item, depth + 1)
        else:
            yield item


def _point(item: Any) -> Point:
    text = truncate(_BULLET.sub("", one_line(_said(item))), MAX_LINE)
    return Point(text, _quotes(item) if isinstance(item, dict) else ())


def _said(item: Any, depth: int = 0) -> str:
    """The text in an item: itself, or what an object says under the name of a text."""
    if not isinstance(item, dict):
        return as_text(item)
    said = first_of(item, _TEXT_KEYS)
    return _said(said, depth + 1) if depth < _DEPTH else ""


def _quotes(item: dict[Any, Any]) -> tuple[Quote, ...]:
    turn = _turn(first_of(item, _TURN_KEYS))
    found = (_quote(part, turn) for part in as_list(first_of(item, _QUOTE_KEYS)))
    return tuple(dict.fromkeys(quote for quote in found if quote.text))[:MAX_QUOTES]


def _quote(part: Any, turn: int | None) -> Quote:
    if not isinstance(part, dict):
        return Quote(turn, as_quote(part, MAX_QUOTE))
    named = _turn(first_of(part, _TURN_KEYS))
    text = first_of(part, ("quote", "text"))
    return Quote(turn if named is None else named, as_quote(text, MAX_QUOTE))


def _turn(value: Any) -> int | None:
    """The number of a turn: 9, 9.0, "9", "turn 9" or its id."""
    match = _LAST_NUMBER.search(as_text(value)[-60:].removesuffix(".0"))
    return int(match[1]) if match else None
