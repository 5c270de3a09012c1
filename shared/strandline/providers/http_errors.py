"""HTTP statuses of the models' services, in the product's own errors.

Messages are ours alone: a server's words can hold the request, the key or a page of HTML.
"""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

from strandline.clock import utc_now
from strandline.errors import (
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
)

MAX_RETRY_AFTER = 300.0
"""Seconds. A server that asks for more is asked again after this."""

_NO_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_REJECTED = {
    401: "The model's service refused the key (HTTP 401).",
    402: "The model's service wants to be paid first (HTTP 402).",
    403: "The model's service does not allow this (HTTP 403).",
    404: "The model's service knows no such model or address (HTTP 404).",
}
_TOO_LONG = "The request is longer than the model takes."
_FILTERED = "The model's service filtered the request."
UNREACHABLE = "The model's service could not be reached."


def error_from_sdk(
    sdk: ModuleType, error: BaseException, names: Callable[[Any], frozenset[str]]
) -> BaseException:
    """The ModelError that an SDK's error amounts to; what isn't of the SDK comes back as it is.

    OpenAI's and Anthropic's SDKs come from one generator and name their errors alike; a time-out
    is a kind of connection error there. `names` reads the server's own from an error of status.
    """
    if isinstance(error, sdk.APITimeoutError):
        return ModelTimeout()
    if isinstance(error, sdk.APIConnectionError):
        return ModelUnavailable(UNREACHABLE)
    if isinstance(error, sdk.APIStatusError):
        return error_from_status(error.status_code, names(error), error.response.headers)
    return error


def error_from_status(status: int, names: frozenset[str], headers: Mapping[str, str]) -> ModelError:
    """The error for an HTTP status and the names (`code`, `type`) the server gives it."""
    if status == 429:
        if names & _NO_QUOTA:
            return ModelRejected("The quota at the model's service is used up.")
        return ModelRateLimited(retry_after=retry_after(headers))
    if status == 408:
        return ModelTimeout()
    if 400 <= status < 500 and status not in (409, 425):
        return _rejected(status, names)
    return ModelUnavailable(f"The model's service failed (HTTP {status}).")


def _rejected(status: int, names: frozenset[str]) -> ModelRejected:
    if "context_length_exceeded" in names or status == 413:
        return ModelRejected(_TOO_LONG)
    if "content_filter" in names:
        return ModelRejected(_FILTERED)
    usual = f"The model's service refused the request as it is (HTTP {status})."
    return ModelRejected(_REJECTED.get(status, usual))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `Retry-After` (RFC 9110: seconds or a date), 0 to MAX_RETRY_AFTER."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value)
    if not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, MAX_RETRY_AFTER)


def _until(value: str) -> float:
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return math.nan
    return (_aware(date) - utc_now()).total_seconds()


def _aware(date: datetime) -> datetime:
    return date if date.tzinfo else date.replace(tzinfo=UTC)
