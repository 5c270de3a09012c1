"""Calls to Bedrock's runtime API through boto3, without its retries."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from strandline.clock import Deadline
from strandline.providers.bedrock.errors import translate_error
from strandline.providers.bounded_call import ClientPool, call_within_deadline

MAX_CONCURRENT_REQUESTS = 8
"""The most requests that one call sends at the same time."""

_TIMEOUTS = (5, 15, 30, 60, 120, 300, 600)
"""Seconds. botocore fixes a client's time-out when it is made, so each has its own clients."""

_client_lock = threading.Lock()
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class BedrockEndpoint:
    """The region of the models, and the URL of the service.

    An empty `region` is the function's own; an empty `address` is AWS's own URL.
    """

    region: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class _ClientTarget:
    endpoint: BedrockEndpoint
    timeout: int


def send_request(
    endpoint: BedrockEndpoint, call: Callable[[Any], Answer], deadline: Deadline
) -> Answer:
    """Returns the result of `call` with a client of Bedrock's runtime, before the deadline.

    Raises a ModelError without botocore's error as its cause: that may quote the service.
    """
    target = _ClientTarget(endpoint, _timeout(deadline.remaining()))
    return call_within_deadline(clients(), target, call, translate_error, deadline)


@lru_cache(maxsize=1)
def clients() -> ClientPool[_ClientTarget, Any]:
    """Returns the process's pool of clients."""
    return ClientPool(_new_client)


def _timeout(seconds: float) -> int:
    """Returns the shortest time-out of at least `seconds`.

    It ends the thread of a call whose caller gave up.
    """
    return next((bound for bound in _TIMEOUTS if bound >= seconds), _TIMEOUTS[-1])


def _new_client(target: _ClientTarget) -> Any:
    import boto3  # noqa: PLC0415 - a handler's import doesn't pay for it
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        connect_timeout=target.timeout,
        read_timeout=target.timeout,
        retries={"total_max_attempts": 1},
        max_pool_connections=MAX_CONCURRENT_REQUESTS,
    )
    with _client_lock:  # making clients isn't thread-safe in boto3's session
        return boto3.client(
            "bedrock-runtime",
            region_name=target.endpoint.region or None,
            endpoint_url=target.endpoint.address or None,
            config=config,
        )
