"""The HTTP API in front of the functions: which route, which token, which answer."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from infra.local.api_events import Event, Request, api_event, decoded_path
from infra.local.http_responses import Answer, from_handler, message
from infra.local.lambda_environments import FunctionFailed, Lambdas
from infra.local.template import Function, Route, serving
from infra.local.tokens import Tokens

INTEGRATION_SECONDS = 30
MAX_BODY_BYTES = 10 * 1024 * 1024

_log = logging.getLogger("infra.local")


class Gateway:
    """Answers requests as API Gateway would in front of these functions."""

    def __init__(
        self,
        routes: tuple[Route, ...],
        functions: Mapping[str, Function],
        tokens: Tokens,
        lambdas: Lambdas,
    ) -> None:
        self._routes = routes
        self._functions = functions
        self._tokens = tokens
        self._lambdas = lambdas

    async def answer(self, request: Request) -> tuple[Answer, str]:
        """The answer, and the key of the route that gave it (`-` where none did)."""
        found = self._find(request)
        if found is None:
            return message(404, "Not Found"), "-"
        route, parameters = found
        claims = None
        if route.needs_token:
            claims = self._tokens.verify(request.header("authorization"))
            if claims is None:
                return message(401, "Unauthorized", ("www-authenticate", "Bearer")), route.key
        event = api_event(request, route, parameters, claims, datetime.now(UTC))
        return await self._invoke(self._functions[route.function], event), route.key

    def _find(self, request: Request) -> tuple[Route, dict[str, str]] | None:
        return serving(self._routes, request.method, decoded_path(request.path))

    async def _invoke(self, function: Function, event: Event) -> Answer:
        future = asyncio.wrap_future(self._lambdas.submit(function, event))
        patience = min(function.timeout, INTEGRATION_SECONDS)
        try:
            return from_handler(await asyncio.wait_for(future, patience))
        except TimeoutError:
            _log.error("%s took longer than %d s", function.name, patience)
            return message(503, "Service Unavailable")
        except FunctionFailed as error:
            _log.error("%s failed: %s", function.name, error)
            return message(500, "Internal Server Error")
