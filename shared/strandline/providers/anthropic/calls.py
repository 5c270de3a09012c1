"""Calls to the Messages API through the `anthropic` SDK, without its retries."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.providers.anthropic.errors import translate_error
from strandline.providers.bounded_call import ClientPool, call_within_deadline
from strandline.providers.endpoint import Endpoint
from strandline.providers.reply_checks import parse_json_object

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic._response import APIResponse

BASE_URL = "https://api.anthropic.com"
"""Always given to the SDK, which would read one from the environment otherwise."""

Call = Callable[["Anthropic"], "APIResponse[Any]"]
"""Sends one request with a client and returns the raw response."""


def send_request(endpoint: Endpoint, call: Call, deadline: Deadline) -> dict[str, Any]:
    """Returns the JSON object that the server answers `call` with, before the deadline.

    Raises a ModelError without the SDK's error as its cause: that may hold headers and bodies.
    """

    def content(client: "Anthropic") -> bytes:
        return call(client).http_response.content

    return parse_json_object(
        call_within_deadline(clients(), endpoint, content, translate_error, deadline)
    )


@lru_cache(maxsize=1)
def clients() -> "ClientPool[Endpoint, Anthropic]":
    """Returns the process's pool of clients."""
    return ClientPool(_new_client)


def _new_client(endpoint: Endpoint) -> "Anthropic":
    from anthropic import Anthropic  # noqa: PLC0415 - it costs seconds

    return Anthropic(
        api_key=endpoint.api_key,
        base_url=endpoint.base_url or BASE_URL,
        max_retries=0,
        open_telemetry=False,  # prompts must not go into traces
    )
