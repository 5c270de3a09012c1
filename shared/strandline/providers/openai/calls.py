"""Calls to an OpenAI-compatible server through the `openai` SDK, which retries nothing."""

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
"""What a server of one's own, which asks for no key, is sent for one."""


def openai_endpoint(base_url: str, api_key: str) -> Endpoint:
    """The endpoint of those settings; a key is needed unless the address is given.

    Raises ModelNotConfigured.
    """
    if not api_key.strip() and not base_url.strip():
        raise ModelNotConfigured("No OpenAI key is configured.")
    return Endpoint.of("OPENAI", base_url, api_key.strip() or PLACEHOLDER_KEY)


Call = Callable[["OpenAI"], "LegacyAPIResponse[Any]"]


def send_request(endpoint: Endpoint, call: Call, deadline: Deadline) -> dict[str, Any]:
    """The JSON object that the server answers `call` with, before the deadline.

    Raises a ModelError, without what the SDK raised: that may hold headers and bodies.
    """

    def content(client: "OpenAI") -> bytes:
        return call(client).content

    return parse_json_object(
        call_within_deadline(clients(), endpoint, content, translate_error, deadline)
    )


@lru_cache(maxsize=1)
def clients() -> "ClientPool[Endpoint, OpenAI]":
    """The clients of this process."""
    return ClientPool(_new_client)


def _new_client(endpoint: Endpoint) -> "OpenAI":
    from openai import OpenAI  # noqa: PLC0415 - it costs 0.6 s and more

    return OpenAI(api_key=endpoint.api_key, base_url=endpoint.base_url or None, max_retries=0)
