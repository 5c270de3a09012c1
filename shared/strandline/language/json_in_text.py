"""Extracts JSON values from a model's reply, also from within prose."""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from strandline.language.data import loader
from strandline.language.folding import fold_lower

MAX_REPLY = 200_000
"""Characters of a reply that are looked at; ten memories at their limits are a tenth of it."""

MAX_STARTS = 200
MAX_UNENDED = 12
"""Opening brackets that are tried, and of those that never close: a reply may be all brackets."""

MAX_THOUGHTS = 50
"""Thoughts that are taken out of a reply; looking for the ends of more would take its square."""

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}


class NotJSON(ValueError):
    """This is not a JSON value."""


@dataclass(frozen=True, slots=True)
class JsonValues:
    """The values of a reply in order; `nested` ones stand inside a value that never ends."""

    values: tuple[Any, ...]
    nested: tuple[Any, ...] = ()
    cut_off: bool = False
    prose: str = ""


def extract_json(reply: str) -> JsonValues:
    """Returns the reply as one JSON value, or every object and list within its prose."""
    text = reply[:MAX_REPLY].strip().lstrip("\ufeff")
    try:
        return JsonValues((load_json(text),))
    except NotJSON:
        pass  # The usual reasons (a fence, prose, a thought before it) are dealt with below.
    few = len(_OPEN_THOUGHT.findall(text)) <= MAX_THOUGHTS
    answer = _THOUGHT.sub(" ", text) if few else text
    found = _scan_prose(answer)
    return JsonValues(
        found.values, found.nested, found.cut_off, _OPEN_THOUGHT.split(answer)[0].strip()
    )


def is_refusal(prose: str) -> bool:
    """Whether a reply without JSON is a refusal."""
    return _refusals().search(fold_lower(prose[:1_000])) is not None


def finds_nothing(prose: str) -> bool:
    """Whether a reply without JSON says that the model found nothing."""
    return _findings_of_nothing().search(fold_lower(prose)) is not None


def load_json(text: str) -> Any:
    """The text as one JSON value; commas before a closing bracket are forgiven.

    Raises NotJSON.
    """
    try:
        return _load_strict(text)
    except NotJSON:
        return _load_strict(_TRAILING_COMMA.sub(lambda match: match[1] or "", text))


def _load_strict(text: str) -> Any:
    try:
        return json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise NotJSON from error


def _scan_prose(text: str) -> JsonValues:
    values: list[Any] = []
    nested: list[Any] = []
    at, tried, unended = _next_open(text, 0), 0, 0
    while at >= 0 and tried < MAX_STARTS and unended < MAX_UNENDED:
        tried += 1
        end = _value_end(text, at)
        if end is None:
            unended += 1
        else:
            try:
                (nested if unended else values).append(load_json(text[at:end]))
                at = _next_open(text, end)
                continue
            except NotJSON:
                pass  # Brackets of prose; a value may still begin inside them.
        at = _next_open(text, at + 1)
    return JsonValues(tuple(values), tuple(nested), unended > 0)


def _next_open(text: str, start: int) -> int:
    positions = [p for p in (text.find("{", start), text.find("[", start)) if p >= 0]
    return min(positions, default=-1)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\]]', re.DOTALL)


def _value_end(text: str, start: int) -> int | None:
    """The position after the bracket that closes the one at `start`; None without one."""
    expected: list[str] = []
    for match in _TOKEN.finditer(text, start):
        mark = match[0]
        if mark in _CLOSES:
            expected.append(_CLOSES[mark])
        elif mark == '"':
            return None  # A string that never ends.
        elif mark in ("}", "]"):
            if expected.pop() != mark:
                return match.end()  # Crossed brackets: no JSON, and not cut off either.
            if not expected:
                return match.end()
    return None


@cache
def _refusals() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{loader.alternatives(lambda each: each.replies.refusals)})\b")


@cache
def _findings_of_nothing() -> re.Pattern[str]:
    anywhere = loader.alternatives(lambda each: each.replies.nothing)
    openings = loader.alternatives(lambda each: each.replies.nothing_openings)
    return re.compile(rf"\b(?:{anywhere})\b|^(?:{openings})")
