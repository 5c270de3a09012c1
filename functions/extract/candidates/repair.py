"""Repairs one memory of the model's reply into a bounded candidate."""

import math
import re
from typing import Any

from functions.extract.candidates.candidate import Candidate, Quote
from strandline.language.folding import one_line, strip_control_characters, truncate
from strandline.language.loose_json import as_list, as_quote, as_text, first_of
from strandline.language.people import canonical_subject
from strandline.models.memory import (
    MAX_LABEL,
    MAX_LABELS,
    MAX_SUBJECT,
    MAX_TEXT,
    MAX_TITLE,
    MAX_TOPIC,
    Kind,
)
from strandline.models.turn import Role

MAX_QUOTES = 3
MAX_QUOTE = 4_000
DEFAULT_IMPORTANCE = 0.5

KINDS: dict[str, Kind] = {
    **{kind.value: kind for kind in Kind},
    **dict.fromkeys(("idea", "suggestion", "recommendation"), Kind.PROPOSAL),
    **dict.fromkeys(("task", "todo", "to-do", "promise", "plan", "reminder"), Kind.COMMITMENT),
    **dict.fromkeys(("choice", "agreement"), Kind.DECISION),
    **dict.fromkeys(("open question",), Kind.QUESTION),
}
"""Kinds by their names and by what models call them; anything else is an observation."""

IMPORTANCES = {
    "critical": 0.95, "very high": 0.95, "high": 0.8, "important": 0.8, "medium": 0.5,
    "moderate": 0.5, "normal": 0.5, "low": 0.2, "minor": 0.2, "very low": 0.1, "none": 0.0,
}  # fmt: skip

ROLES = {
    **dict.fromkeys(("user", "human", "u"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "a"), Role.ASSISTANT),
}

_TEXT_KEYS = ("text", "memory", "content", "fact", "statement", "observation")
_QUOTE_KEYS = ("quotes", "quote", "evidence", "citations", "sources", "source")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_SCALE = re.compile(r"(?:/|out of|of)\s*(\d+)")


def repair_candidate(item: Any) -> Candidate | None:
    """Returns the candidate in one item of the reply; None if the item has no text."""
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, dict):
        return None
    title = one_line(as_text(item.get("title")))
    text = (
        truncate(strip_control_characters(as_text(first_of(item, _TEXT_KEYS))), MAX_TEXT) or title
    )
    if not text:
        return None
    return Candidate(
        kind=parse_kind(item.get("kind", item.get("type"))),
        title=truncate(title or one_line(text), MAX_TITLE),
        text=text,
        importance=parse_importance(item.get("importance")),
        labels=parse_labels(first_of(item, ("labels", "tags"))),
        subject=canonical_subject(truncate(one_line(as_text(item.get("subject"))), MAX_SUBJECT)),
        topic=truncate(one_line(as_text(item.get("topic"))), MAX_TOPIC),
        quotes=parse_quotes(first_of(item, _QUOTE_KEYS)),
    )


def parse_kind(value: Any) -> Kind:
    """Returns the kind named, in any case, singular or plural; else an observation."""
    name = one_line(as_text(value)).casefold()
    return KINDS.get(name) or KINDS.get(name.removesuffix("s")) or Kind.OBSERVATION


def parse_importance(value: Any) -> float:
    """Returns the importance from 0 to 1.

    Understands words, percentages and scales of ten or a hundred.
    """
    if isinstance(value, str):
        return _importance_from_text(one_line(value).casefold())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return DEFAULT_IMPORTANCE
    # The bound keeps an integer from overflowing the float.
    return _to_unit_interval(
        float(min(value, 1e9)) if value > 0 else -1.0 if value < 0 else float(value)
    )


def parse_labels(value: Any) -> tuple[str, ...]:
    """Returns at most MAX_LABELS distinct labels; a text is split at its commas."""
    parts = re.split("[,;]", value) if isinstance(value, str) else as_list(value)
    found = (truncate(one_line(as_text(part)), MAX_LABEL) for part in parts)
    return tuple(dict.fromkeys(label for label in found if label))[:MAX_LABELS]


def parse_quotes(value: Any) -> tuple[Quote, ...]:
    """Returns at most MAX_QUOTES distinct quotes that are not empty."""
    found = (_parse_quote(part) for part in as_list(value))
    return tuple(dict.fromkeys(quote for quote in found if quote.text))[:MAX_QUOTES]


def _parse_quote(part: Any) -> Quote:
    if not isinstance(part, dict):
        return Quote(None, as_quote(part, MAX_QUOTE))
    turn = first_of(part, ("turn", "role", "speaker"))
    text = first_of(part, ("quote", "text", "content"))
    return Quote(ROLES.get(one_line(as_text(turn)).casefold()), as_quote(text, MAX_QUOTE))


def _importance_from_text(text: str) -> float:
    if text in IMPORTANCES:
        return IMPORTANCES[text]
    number = _NUMBER.search(text)
    if number is None:
        return DEFAULT_IMPORTANCE
    value = float(number[0].replace(",", ".")[:20])
    scale = _SCALE.search(text, number.end())
    if "%" in text:
        return min(1.0, max(0.0, value / 100))
    if scale is not None and int(scale[1][:9]) > 0:
        return min(1.0, max(0.0, value / int(scale[1][:9])))
    return _to_unit_interval(value)


def _to_unit_interval(value: float) -> float:
    if math.isnan(value):
        return DEFAULT_IMPORTANCE
    if value <= 1:
        return max(0.0, value)
    return value / 10 if value <= 10 else min(1.0, value / 100)
