"""Calls to an OpenAI-compatible server through the `openai` SDK, without its retries."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.errors import ModelNotConfigured
from strandline.providers.bounded_call import ClientPool, call_within_deadline
from strandline.providers.endpoint import Endpoint
from strandline.providers.openai.errors import translate_error
from strandline.providers.reply_checks import parse_json_object

if TYPE_CHECKING:
    from openai import OpenAI
    from openai._legacy_response import LegacyAPIResponse

PLACEHOLDER_KEY = "unused"
"""The key that is sent to a server of the user's own that needs none."""


def openai_endpoint(base_url: str, api_key: str) -> Endpoint:
    """Returns the endpoint of these settings.

    Raises ModelNotConfigured for an unusable key or address, and without both.
    """
    if not api_key.strip() and not base_url.strip():
        raise ModelNotConfigured("No OpenAI key is configured.")
    return Endpoint.of("OPENAI", base_url, api_key.strip() or PLACEHOLDER_KEY)


Call = Callable[["OpenAI"], "LegacyAPIResponse[Any]"]
"""Sends one request with a client and returns the raw response."""


def send_request(endpoint: Endpoint, call: Call, deadline: Deadline) -> dict[str, Any]:
    """Returns the JSON object that the server answers `call` with, before the deadline.

    Raises a ModelError without the SDK's error as its cause: that may hold headers and bodies.
    """

    def content(client: "OpenAI") -> bytes:
        return call(client).content

    return parse_json_object(
        call_within_deadline(clients(), endpoint, content, translate_error, deadline)
    )


@lru_cache(maxsize=1)
def clients() -> "ClientPool[Endpoint, OpenAI]":
    """Returns the process's pool of clients."""
    return ClientPool(_new_client)


def _new_client(endpoint: Endpoint) -> "OpenAI":
    from openai import OpenAI  # noqa: PLC0415 - it costs 0.6 s and more

    return OpenAI(api_key=endpoint.api_key, base_url=endpoint.base_url or None, max_retries=0)
