"""HTTP API events of payload format 2.0, as API Gateway builds them.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
Seen on the real gateway, and not on that page: the path is decoded before it is matched (so that
`%2F` separates like `/`), the query stays encoded in `rawQueryString`, the cookie header moves
whole into `cookies`, and claims are text.
"""

import base64
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

from infra.local.template import Route

ACCOUNT_ID = "123456789012"
API_ID = "local"

Claims = Mapping[str, Any]
Event = dict[str, Any]

_TEXT = ("application/json", "application/xml", "application/javascript")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request as it came in: path and query still encoded, headers in order."""

    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    source_ip: str = "127.0.0.1"
    protocol: str = "HTTP/1.1"

    def header(self, name: str) -> str | None:
        """The values of that header joined by commas, or None."""
        return self.joined_headers().get(name.lower())

    def joined_headers(self) -> dict[str, str]:
        """The headers by name in lower case."""
        return joined((name.lower(), value) for name, value in self.headers)


def decoded_path(path: str) -> str:
    """The path as the gateway matches it."""
    return unquote(path, errors="replace")


def api_event(
    request: Request,
    route: Route,
    parameters: Mapping[str, str],
    claims: Claims | None,
    now: datetime,
) -> Event:
    """The event of a request that `route` serves. What is absent in a request is absent here."""
    body, is_base64 = _body(request)
    query = joined(parse_qsl(request.query, keep_blank_values=True))
    cookies = [c.strip() for c in (request.header("cookie") or "").split(";") if c.strip()]
    event: Event = {
        "version": "2.0",
        "routeKey": route.key,
        "rawPath": decoded_path(request.path),
        "rawQueryString": request.query,
        "cookies": cookies,
        "headers": {k: v for k, v in request.joined_headers().items() if k != "cookie"},
        "queryStringParameters": query,
        "requestContext": _context(request, route, claims, now),
        "pathParameters": dict(parameters),
        "body": body,
        "isBase64Encoded": is_base64,
    }
    optional = ("cookies", "queryStringParameters", "pathParameters", "body")
    return {key: value for key, value in event.items() if value or key not in optional}


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Pairs as a mapping; the values of a name that comes twice are joined by commas."""
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def claims_as_text(claims: Claims) -> dict[str, str]:
    """Claims as a handler gets them: `true`, `12`, `[a b]`, `map[k:v]`."""
    return {name: _as_text(value) for name, value in claims.items()}


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + " ".join(_as_text(inner) for inner in value) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{k}:{_as_text(v)}" for k, v in sorted(value.items())) + "]"
    return "<nil>" if value is None else json.dumps(value)


def _context(request: Request, route: Route, claims: Claims | None, now: datetime) -> Event:
    context: Event = {
        "accountId": ACCOUNT_ID,
        "apiId": API_ID,
        "domainName": request.header("host") or "",
        "domainPrefix": API_ID,
        "http": {
            "method": request.method,
            "path": decoded_path(request.path),
            "protocol": request.protocol,
            "sourceIp": request.source_ip,
            "userAgent": request.header("user-agent") or "",
        },
        "requestId": str(uuid.uuid4()),
        "routeKey": route.key,
        "stage": "$default",
        "time": now.strftime("%d/%b/%Y:%H:%M:%S %z"),
        "timeEpoch": int(now.timestamp() * 1000),
    }
    if claims is not None:
        context["authorizer"] = {"jwt": {"claims": claims_as_text(claims), "scopes": None}}
    return context


def _body(request: Request) -> tuple[str, bool]:
    """Text as text where the content type says so and it is UTF-8; all else as base64."""
    if not request.body:
        return "", False
    if _is_text(request.header("content-type") or ""):
        try:
            return request.body.decode("utf-8"), False
        except UnicodeDecodeError:
            pass  # what calls itself text and isn't travels like any other bytes
    return base64.b64encode(request.body).decode("ascii"), True


def _is_text(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TEXT or kind.endswith(("+json", "+xml"))
