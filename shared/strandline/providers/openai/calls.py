"""Calls to an OpenAI-compatible server through the `openai` SDK, each within a hard bound.

The SDK's own time-outs count per read, so that a server which trickles bytes outlives them.
Here a call runs on a thread of its own with a client of its own; when the deadline passes, the
caller goes on and the client is closed, which ends the thread at its next read. Clients that
finished their call wait for the next one, with their connections. The SDK retries nothing.
"""

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.errors import ModelNotConfigured, ModelReplyInvalid, ModelTimeout
from strandline.providers.openai.errors import translated

if TYPE_CHECKING:
    from openai import OpenAI
    from openai._legacy_response import LegacyAPIResponse

PLACEHOLDER_KEY = "unused"
"""What a server of one's own, which asks for no key, is sent for one."""

_MAX_IDLE = 8


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served and with which key. An empty address is OpenAI's own."""

    base_url: str
    api_key: str = field(repr=False)

    @classmethod
    def of(cls, base_url: str, api_key: str) -> "Endpoint":
        """A checked endpoint; a key is needed unless the address is given.

        Raises ModelNotConfigured.
        """
        base_url, api_key = base_url.strip(), api_key.strip()
        if base_url and not base_url.startswith(("http://", "https://")):
            raise ModelNotConfigured("OPENAI_BASE_URL must begin with http:// or https://.")
        if not api_key and not base_url:
            raise ModelNotConfigured("No OpenAI key is configured.")
        if not (api_key.isascii() and api_key.isprintable()):
            raise ModelNotConfigured("The OpenAI key holds characters that no key can have.")
        return cls(base_url, api_key or PLACEHOLDER_KEY)


Call = Callable[["OpenAI"], "LegacyAPIResponse[Any]"]


def ask(endpoint: Endpoint, call: Call, deadline: Deadline) -> dict[str, Any]:
    """The JSON object that the server answers `call` with, before the deadline.

    Raises a ModelError, without what the SDK raised: that may hold headers and bodies.
    """
    if deadline.remaining() <= 0:
        raise ModelTimeout
    use = _Use(endpoint, clients())
    answer: Future[bytes] = Future()
    threading.Thread(target=_work, args=(use, call, answer), daemon=True).start()
    try:
        error = answer.exception(timeout=deadline.remaining())
    except TimeoutError:
        use.abandon()
        raise ModelTimeout from None
    if error is None:
        return _json_object(answer.result())
    raise translated(error)


def time_left(deadline: Deadline) -> float:
    """The SDK's time-out for each read. Raises ModelTimeout when nothing is left."""
    left = deadline.remaining()
    if left <= 0:
        raise ModelTimeout
    return left


class Clients:
    """The process's SDK clients that no call uses at the moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[Endpoint, list[OpenAI]] = {}

    def take(self, endpoint: Endpoint) -> "OpenAI":
        """A client for that endpoint, used before if there is one."""
        with self._lock:
            idle = self._idle.get(endpoint)
            if idle:
                return idle.pop()
        return _new_client(endpoint)

    def give_back(self, endpoint: Endpoint, client: "OpenAI") -> None:
        """Keep `client` for the next call, or close it when enough are kept."""
        with self._lock:
            idle = self._idle.setdefault(endpoint, [])
            if len(idle) < _MAX_IDLE:
                idle.append(client)
                return
        client.close()

    def close(self) -> None:
        """Close every idle client."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for client in (client for kept in idle.values() for client in kept):
            client.close()


@lru_cache(maxsize=1)
def clients() -> Clients:
    """The clients of this process."""
    return Clients()


class _Use:
    """One call's client: given back after the call, closed when the caller gave up."""

    def __init__(self, endpoint: Endpoint, clients: Clients) -> None:
        self._endpoint = endpoint
        self._clients = clients
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        self._abandoned = False

    def begin(self) -> "OpenAI":
        client = self._clients.take(self._endpoint)
        with self._lock:
            if not self._abandoned:
                self._client = client
                return client
        # Nothing was sent with it. Making a process's first client can outlast a deadline.
        self._clients.give_back(self._endpoint, client)
        raise ModelTimeout

    def end(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            self._clients.give_back(self._endpoint, client)

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            client, self._client = self._client, None
        if client is not None:
            client.close()


def _work(use: _Use, call: Call, answer: "Future[bytes]") -> None:
    try:
        content = call(use.begin()).content
        use.end()
        answer.set_result(content)
    except Exception as error:  # noqa: BLE001 - handed to the caller, who raises it
        use.end()
        answer.set_exception(error)


def _new_client(endpoint: Endpoint) -> "OpenAI":
    from openai import OpenAI  # noqa: PLC0415 - it costs 0.6 s and more

    return OpenAI(api_key=endpoint.api_key, base_url=endpoint.base_url or None, max_retries=0)


def _json_object(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ModelReplyInvalid("The model's service answered with no JSON object.")
    return body
