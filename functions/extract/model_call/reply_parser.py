"""Parses the reply of the extraction call: candidates, no memories, or an unreadable reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from functions.extract.candidates.candidate import Candidate
from functions.extract.candidates.repair import repair_candidate
from strandline.language.folding import one_line, truncate
from strandline.language.json_in_text import (
    JsonValues,
    NotJSON,
    extract_json,
    finds_nothing,
    is_refusal,
    load_json,
)
from strandline.models.job import Dropped

MAX_MEMORIES = 10

WRAPPER_KEYS = (
    "memories", "memory", "items", "results", "candidates", "facts", "observations",
    "extracted_memories", "data", "output", "response", "result",
)  # fmt: skip
"""Keys under which models put their list of memories."""

_MEMORY_KEYS = frozenset({"text", "quotes", "kind", "title", "fact", "statement"})
_EMPTY_REPLIES = frozenset({"", "null", "none", "nil", "undefined", '""', "n/a"})


@dataclass(frozen=True, slots=True)
class ParsedCandidates:
    """The proposed candidates, at most MAX_MEMORIES, and the items dropped while parsing."""

    items: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class NoMemories:
    """The model found nothing to remember or refused; `reason` says which."""

    reason: str


@dataclass(frozen=True, slots=True)
class UnreadableReply:
    """The reply has no usable JSON; `reason` says why."""

    reason: str


def parse_reply(reply: str) -> ParsedCandidates | NoMemories | UnreadableReply:
    """Parses the reply of an extraction call. Never raises.

    Of several JSON values the last one with memories counts; what a model writes before it is a
    draft.
    """
    if reply[:100].strip().casefold() in _EMPTY_REPLIES and len(reply) < 100:
        return NoMemories("the model's reply was empty")
    found = extract_json(reply)
    items = _last_reply_items(found)
    if items is not None:
        return _parse_items(items)
    if found.cut_off:
        return UnreadableReply("the model's reply breaks off within its JSON")
    if found.values:
        return UnreadableReply("the model's reply holds JSON, but no memories")
    return _classify_prose(found.prose)


def _last_reply_items(found: JsonValues) -> list[Any] | None:
    """Returns the items of the last JSON value that is a reply; None if there is none.

    A value with a wrapper key ("memories") is preferred. Inside a value that was cut off only a
    whole reply counts: a single memory there is part of the broken one.
    """
    values = (
        [value for value in found.nested if _has_wrapper(value)] if found.cut_off else found.values
    )
    candidates = [(_has_wrapper(value), _items(value)) for value in values]
    replies = [(wrapped, items) for wrapped, items in candidates if items is not None]
    if not replies:
        return None
    best = [items for wrapped, items in replies if wrapped] or [items for _, items in replies]
    return best[-1]


def _has_wrapper(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in WRAPPER_KEYS)


def _items(value: Any, depth: int = 0) -> list[Any] | None:
    """Returns the memories in a value: None if it is no reply, empty if it says there are none."""
    if value is None or value in ({}, []):
        return []
    if isinstance(value, str):
        return _decode_text(value, depth)
    if isinstance(value, list):
        return value if any(isinstance(item, dict) for item in value) else None
    if not isinstance(value, dict):
        return None
    key = next((key for key in WRAPPER_KEYS if key in value), None)
    if key is None or (key == "memory" and isinstance(value[key], str)):
        return [value] if _MEMORY_KEYS & value.keys() or key else None
    return _unwrap(value[key], depth)


def _unwrap(inner: Any, depth: int) -> list[Any] | None:
    if isinstance(inner, dict) and inner and depth < 3:
        return _items(inner, depth + 1)
    if isinstance(inner, str):
        return [] if _says_nothing(inner) else [inner]
    return inner if isinstance(inner, list) else []


def _decode_text(value: str, depth: int) -> list[Any] | None:
    """Returns the items of a reply that was encoded as JSON twice; None if it is no JSON."""
    if not value.strip():
        return []
    try:
        return _items(load_json(value), depth + 1) if depth < 3 else None
    except NotJSON:
        return None


def _parse_items(items: Sequence[Any]) -> ParsedCandidates | NoMemories:
    if not items:
        return NoMemories("the model found nothing to remember")
    repaired = [(item, repair_candidate(item)) for item in items]
    kept = [candidate for _, candidate in repaired if candidate is not None]
    dropped = [
        Dropped(text=_excerpt(item), reason="no text")
        for item, candidate in repaired
        if candidate is None
    ]
    dropped += [
        Dropped(text=candidate.text, reason=f"more than {MAX_MEMORIES} memories of one exchange")
        for candidate in kept[MAX_MEMORIES:]
    ]
    return ParsedCandidates(tuple(kept[:MAX_MEMORIES]), tuple(dropped[:MAX_MEMORIES]))


def _classify_prose(text: str) -> NoMemories | UnreadableReply:
    if not text:
        return UnreadableReply("the model's reply holds thoughts, but no answer")
    if is_refusal(text):
        return NoMemories(f"the model refused: {truncate(one_line(text), 200)}")
    if _says_nothing(text):
        return NoMemories("the model found nothing to remember")
    return UnreadableReply("the model's reply holds no JSON")


def _says_nothing(text: str) -> bool:
    return len(text) < 300 and (not text.strip() or finds_nothing(text))


def _excerpt(item: Any) -> str:
    return truncate(one_line(str(item)), 100) if isinstance(item, str | int | float) else ""
