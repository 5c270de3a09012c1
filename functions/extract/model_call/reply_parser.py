"""What the model replied, told apart: candidates, an honest nothing, or something unreadable."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from functions.extract.candidates.candidate import Candidate
from functions.extract.candidates.repair import candidate_from
from strandline.language.folding import fold_lower, one_line, truncate
from strandline.language.json_in_text import (
    JsonValues,
    NotJSON,
    extract_json,
    is_refusal,
    load_json,
)
from strandline.models.job import Dropped

MAX_MEMORIES = 10

WRAPPERS = (
    "memories", "memory", "items", "results", "candidates", "facts", "observations",
    "extracted_memories", "data", "output", "response", "result",
)  # fmt: skip
"""Keys under which models put their list."""

_MEMORY_KEYS = frozenset({"text", "quotes", "kind", "title", "fact", "statement"})
_NOTHING = re.compile(
    r"\b(?:nothing|no (?:new )?memor(?:y|ies)|none|null|n/a|not applicable|no facts|keine|rien|"
    r"nada|nulla|没有|無|なし)\b|^(?:没有|无)"
)
_EMPTY_WORDS = frozenset({"", "null", "none", "nil", "undefined", '""', "n/a"})


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the model proposed, at most MAX_MEMORIES, and what of it was no use at once."""

    items: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Nothing:
    """The model found nothing to remember, or refused; `reason` says which."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reply holds no usable JSON."""

    reason: str


def parse_reply(reply: str) -> Candidates | Nothing | Unreadable:
    """The reply of an extraction; never raises, whatever the reply is.

    Of several JSON values the last that holds memories counts: what a model writes before it is
    a draft.
    """
    if reply[:100].strip().casefold() in _EMPTY_WORDS and len(reply) < 100:
        return Nothing("the model's reply was empty")
    found = extract_json(reply)
    items = _chosen(found)
    if items is not None:
        return _candidates(items)
    if found.cut_off:
        return Unreadable("the model's reply breaks off within its JSON")
    if found.values:
        return Unreadable("the model's reply holds JSON, but no memories")
    return _prose(found.prose)


def _chosen(found: JsonValues) -> list[Any] | None:
    """The items of the last value that is a reply, one that says "memories" before any other.

    Inside a value that never ends only a whole reply counts: a memory there is a part of one
    that was cut off.
    """
    values = [value for value in found.nested if _wrapped(value)] if found.cut_off else found.values
    known = [(_wrapped(value), _items(value)) for value in values]
    replies = [(wrapped, items) for wrapped, items in known if items is not None]
    if not replies:
        return None
    best = [items for wrapped, items in replies if wrapped] or [items for _, items in replies]
    return best[-1]


def _wrapped(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in WRAPPERS)


def _items(value: Any, depth: int = 0) -> list[Any] | None:
    """The memories in a value: None if it isn't a reply at all, empty if it says there are none."""
    if value is None or value in ({}, []):
        return []
    if isinstance(value, str):
        return _items_in_text(value, depth)
    if isinstance(value, list):
        return value if any(isinstance(item, dict) for item in value) else None
    if not isinstance(value, dict):
        return None
    key = next((key for key in WRAPPERS if key in value), None)
    if key is None or (key == "memory" and isinstance(value[key], str)):
        return [value] if _MEMORY_KEYS & value.keys() or key else None
    return _unwrapped(value[key], depth)


def _unwrapped(inner: Any, depth: int) -> list[Any] | None:
    if isinstance(inner, dict) and inner and depth < 3:
        return _items(inner, depth + 1)
    if isinstance(inner, str):
        return [] if _says_nothing(inner) else [inner]
    return inner if isinstance(inner, list) else []


def _items_in_text(value: str, depth: int) -> list[Any] | None:
    """A reply that was encoded twice."""
    if not value.strip():
        return []
    try:
        return _items(load_json(value), depth + 1) if depth < 3 else None
    except NotJSON:
        return None


def _candidates(items: Sequence[Any]) -> Candidates | Nothing:
    if not items:
        return Nothing("the model found nothing to remember")
    read = [(item, candidate_from(item)) for item in items]
    kept = [candidate for _, candidate in read if candidate is not None]
    dropped = [Dropped(text=_shown(item), reason="no text") for item, made in read if made is None]
    dropped += [
        Dropped(text=candidate.text, reason=f"more than {MAX_MEMORIES} memories of one exchange")
        for candidate in kept[MAX_MEMORIES:]
    ]
    return Candidates(tuple(kept[:MAX_MEMORIES]), tuple(dropped[:MAX_MEMORIES]))


def _prose(text: str) -> Nothing | Unreadable:
    if not text:
        return Unreadable("the model's reply holds thoughts, but no answer")
    if is_refusal(text):
        return Nothing(f"the model refused: {truncate(one_line(text), 200)}")
    if _says_nothing(text):
        return Nothing("the model found nothing to remember")
    return Unreadable("the model's reply holds no JSON")


def _says_nothing(text: str) -> bool:
    return len(text) < 300 and (not text.strip() or _NOTHING.search(fold_lower(text)) is not None)


def _shown(item: Any) -> str:
    return truncate(one_line(str(item)), 100) if isinstance(item, str | int | float) else ""
