"""Request bodies: decoded and checked before anything else reads them."""

import base64
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from strandline.errors import Invalid, StrandlineError, UnsupportedMediaType

MAX_DEPTH = 32
"""How deeply objects and arrays may be nested."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


def normalized_event(event: Mapping[str, Any]) -> tuple[dict[str, Any], StrandlineError | None]:
    """Returns the event with its body as plain JSON, and the body's error, if any.

    An invalid body becomes `null`, so that a route that needs a body refuses it. So the caller's
    ownership of the addressed resource is checked first, and the body's error is reported after.
    """
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    body_error: StrandlineError | None = None
    body: Any = None
    try:
        text = _decoded_body(event)
        if text:
            _check_media_type(headers.get("content-type", ""))
            body = parse_json(text)
    except StrandlineError as error:
        body_error = error
    normalized = dict(event) | {
        "headers": headers | {"content-type": "application/json"},
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }
    return normalized, body_error


def parse_json(text: str) -> Any:
    """Returns the value of a JSON text.

    Raises Invalid for text that isn't JSON, and for duplicate keys, NaN, infinities, lone
    surrogates, NUL and nesting deeper than MAX_DEPTH.
    """
    if _depth(text) > MAX_DEPTH:
        raise Invalid("The body is nested too deeply.")
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_parse_finite,
            object_pairs_hook=_refuse_duplicates,
        )
    except ValueError:
        raise Invalid("The body is not valid JSON.") from None
    _check_text(value)
    return value


def _decoded_body(event: Mapping[str, Any]) -> str:
    body = event.get("body") or ""
    try:
        raw = (
            base64.b64decode(body, validate=True) if event.get("isBase64Encoded") else body.encode()
        )
        return raw.decode()
    except ValueError:
        # Invalid base64 and invalid UTF-8 both raise ValueErrors.
        raise Invalid("The body is not valid UTF-8.") from None


def _check_media_type(content_type: str) -> None:
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type and media_type != "application/json" and not media_type.endswith("+json"):
        raise UnsupportedMediaType


def _depth(text: str) -> int:
    """Returns how deeply brackets are nested, without those inside strings."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _parse_finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate key")
    return members


def _check_text(value: Any) -> None:
    """Raises Invalid if any string in the value holds NUL or a lone surrogate."""
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
