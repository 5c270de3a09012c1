"""What a handler returned, turned back into HTTP as API Gateway does for format 2.0.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response; `headers` may hold a name more than once."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def message(status: int, text: str, *headers: tuple[str, str]) -> Answer:
    """The gateway's own answer: `{"message": text}`."""
    return _json_answer(status, json.dumps({"message": text}, separators=(",", ":")), *headers)


def from_handler(result: Any) -> Answer:
    """The answer in a handler's result.

    Without a statusCode the whole result is the JSON body of a 200. What can't be an answer
    is the gateway's own 500.
    """
    if not isinstance(result, dict) or "statusCode" not in result:
        text = result if isinstance(result, str) else json.dumps(result)
        return _json_answer(200, text)
    try:
        return _from_response(result)
    except (TypeError, ValueError, AttributeError, binascii.Error):
        return message(500, "Internal Server Error")


def _from_response(result: Mapping[str, Any]) -> Answer:
    status = int(result["statusCode"])
    if not 100 <= status <= 599:
        raise ValueError(f"no such status: {status}")
    body = result.get("body") or ""
    raw = base64.b64decode(body, validate=True) if result.get("isBase64Encoded") else body.encode()
    headers = [(str(k).lower(), _header(v)) for k, v in (result.get("headers") or {}).items()]
    headers += [("set-cookie", str(cookie)) for cookie in result.get("cookies") or []]
    # The server counts the bytes it really sends.
    kept = [(k, v) for k, v in headers if k not in ("content-length", "transfer-encoding")]
    if raw and not any(name == "content-type" for name, _ in kept):
        kept.append(("content-type", "text/plain; charset=utf-8"))
    return Answer(status, tuple(kept), raw)


def _header(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _json_answer(status: int, text: str, *headers: tuple[str, str]) -> Answer:
    return Answer(status, (("content-type", "application/json"), *headers), text.encode())
