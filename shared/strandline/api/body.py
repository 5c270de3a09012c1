"""A request's body, made safe before anything else reads it."""

import base64
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from strandline.errors import Invalid, StrandlineError, UnsupportedMediaType

MAX_DEPTH = 32
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


def normalized_event(event: Mapping[str, Any]) -> tuple[dict[str, Any], StrandlineError | None]:
    """The event with its body as plain JSON, and what was wrong with the body, if anything.

    A wrong body becomes `null`, so that a route that needs one refuses it: whether the addressed
    thing is the caller's is decided first, and only then is the body's fault told.
    """
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    fault: StrandlineError | None = None
    body: Any = None
    try:
        text = _text(event)
        if text:
            _check_media_type(headers.get("content-type", ""))
            body = parse_json(text)
    except StrandlineError as error:
        fault = error
    clean = dict(event) | {
        "headers": headers | {"content-type": "application/json"},
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }
    return clean, fault


def parse_json(text: str) -> Any:
    """The JSON value of a text that is strictly JSON.

    Raises Invalid for duplicate keys, NaN and infinities, lone surrogates, NUL and deep nesting.
    """
    if _depth(text) > MAX_DEPTH:
        raise Invalid("The body is nested too deeply.")
    try:
        value = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=_finite,
            object_pairs_hook=_no_duplicates,
        )
    except ValueError:
        raise Invalid("The body is not valid JSON.") from None
    _check_text(value)
    return value


def _text(event: Mapping[str, Any]) -> str:
    body = event.get("body") or ""
    try:
        raw = (
            base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode()
        )
        return raw.decode()
    except ValueError:
        # Neither base64 nor UTF-8; both of their errors are ValueErrors.
        raise Invalid("The body is not valid UTF-8.") from None


def _check_media_type(content_type: str) -> None:
    kind = content_type.partition(";")[0].strip().lower()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMediaType


def _depth(text: str) -> int:
    """How deeply brackets nest, those inside strings left out."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("duplicate key")
    return made


def _check_text(value: Any) -> None:
    if isinstance(value, str):
        if "\x00" in value or any("\ud800" <= c <= "\udfff" for c in value):
            raise Invalid("The body holds NUL or half a character.")
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_text(key)
            _check_text(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_text(inner)
