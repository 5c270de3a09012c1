"""Calls to Bedrock's runtime through boto3, which retries nothing."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from strandline.clock import Deadline
from strandline.providers.bedrock.errors import translate_error
from strandline.providers.bounded_call import ClientPool, call_within_deadline

MAX_AT_A_TIME = 8
"""Requests of one call that are under way together."""

_TIMEOUTS = (5, 15, 30, 60, 120, 300, 600)
"""Seconds. botocore sets a client's time-out when it is made, so there is a client for each."""

_making = threading.Lock()
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class BedrockEndpoint:
    """The region of the models, empty for the function's own, and another address than AWS's."""

    region: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class _ClientOf:
    place: BedrockEndpoint
    timeout: int


def send_request(
    place: BedrockEndpoint, call: Callable[[Any], Answer], deadline: Deadline
) -> Answer:
    """What `call` gives with a client of Bedrock's runtime there, before the deadline.

    Raises a ModelError, without what botocore raised: that may hold the service's words.
    """
    of = _ClientOf(place, _timeout(deadline.remaining()))
    return call_within_deadline(clients(), of, call, translate_error, deadline)


@lru_cache(maxsize=1)
def clients() -> ClientPool[_ClientOf, Any]:
    """The clients of this process."""
    return ClientPool(_new_client)


def _timeout(seconds: float) -> int:
    """The shortest time-out that isn't shorter: it ends the thread of a call that was given up."""
    return next((bound for bound in _TIMEOUTS if bound >= seconds), _TIMEOUTS[-1])


def _new_client(of: _ClientOf) -> Any:
    import boto3  # noqa: PLC0415 - a handler's import doesn't pay for it
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        connect_timeout=of.timeout,
        read_timeout=of.timeout,
        retries={"total_max_attempts": 1},
        max_pool_connections=MAX_AT_A_TIME,
    )
    with _making:  # boto3's session makes one client at a time
        return boto3.client(
            "bedrock-runtime",
            region_name=of.place.region or None,
            endpoint_url=of.place.address or None,
            config=config,
        )
