"""The ASGI application: the gateway on every path, and /local for what only local runs have."""

import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictBool, ValidationError
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.local.api_events import Request
from infra.local.gateway import MAX_BODY_BYTES, Gateway
from infra.local.http_responses import Answer, message
from infra.local.queue_worker import Worker
from infra.local.tokens import TokenRequest, Tokens

_log = logging.getLogger("infra.local")

Local = Callable[[bytes], Answer]


class HoldRequest(BaseModel):
    """Whether to hold the queue."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    held: StrictBool


def application(gateway: Gateway, tokens: Tokens, worker: Worker) -> ASGIApp:
    """The whole local front. Only loopback names are served: no page of elsewhere can get in."""
    front = _Front(gateway, local_routes(tokens, worker))
    return TrustedHostMiddleware(front, allowed_hosts=["127.0.0.1", "localhost"])


def local_routes(tokens: Tokens, worker: Worker) -> dict[tuple[str, str], Local]:
    """What exists in the local runner only, by method and path."""

    def token(body: bytes) -> Answer:
        return _json(201, {"token": tokens.issue(TokenRequest.model_validate_json(body))})

    def hold(body: bytes) -> Answer:
        worker.hold(HoldRequest.model_validate_json(body).held)
        return queue(body)

    def queue(_: bytes) -> Answer:
        return _json(200, {"held": worker.held, **worker.counts()})

    return {
        ("POST", "/local/token"): token,
        ("POST", "/local/queue"): hold,
        ("GET", "/local/queue"): queue,
    }


class _Front:
    """Reads a request, has it answered and writes one line about it: no query, body or token."""

    def __init__(self, gateway: Gateway, local: dict[tuple[str, str], Local]) -> None:
        self._gateway = gateway
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.monotonic()
        http = HttpRequest(scope, receive)
        try:
            answer, route = await self._answer(http)
        except ClientDisconnect:
            return
        _log.info(
            "%s %s %d %d ms",
            scope["method"],
            # The route's own words where there is one: a path may hold anything, a line break too.
            route.partition(" ")[2] or json.dumps(scope["path"][:200]),
            answer.status,
            (time.monotonic() - started) * 1000,
        )
        await _http(answer)(scope, receive, send)

    async def _answer(self, http: HttpRequest) -> tuple[Answer, str]:
        body = await _read(http.stream())
        if body is None:
            return message(413, "Request Entity Too Large"), "-"
        local = self._local.get((http.method, http.scope["path"]))
        if local is None:
            return await self._gateway.answer(_request(http, body))
        try:
            return local(body), f"{http.method} {http.scope['path']}"
        except ValidationError as error:
            return message(400, _sentence(error)), f"{http.method} {http.scope['path']}"


async def _read(stream: AsyncIterator[bytes]) -> bytes | None:
    """The body, or None when it is larger than the gateway takes. It is read to its end."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in stream:
        size += len(chunk)
        if size <= MAX_BODY_BYTES:
            chunks.append(chunk)
        else:
            chunks.clear()
    return None if size > MAX_BODY_BYTES else b"".join(chunks)


def _request(http: HttpRequest, body: bytes) -> Request:
    scope = http.scope
    return Request(
        method=http.method,
        path=scope["raw_path"].decode("latin-1"),
        query=scope["query_string"].decode("latin-1"),
        headers=[(k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"]],
        body=body,
        source_ip=http.client.host if http.client else "127.0.0.1",
        protocol=f"HTTP/{scope['http_version']}",
    )


def _http(answer: Answer) -> Response:
    response = Response(answer.body, status_code=answer.status)
    for name, value in answer.headers:
        response.headers.append(name, value)
    return response


def _json(status: int, value: dict[str, Any]) -> Answer:
    return Answer(status, (("content-type", "application/json"),), json.dumps(value).encode())


def _sentence(error: ValidationError) -> str:
    """What is wrong, without what was sent."""
    return "; ".join(
        f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}"
        for e in error.errors(include_input=False, include_url=False, include_context=False)
    )
