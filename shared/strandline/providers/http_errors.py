"""Translation of HTTP errors of model services into ModelErrors.

A message never quotes the server, whose words can hold the request, the key or a page of HTML.
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
"""The longest wait, in seconds, that is taken from a server's Retry-After."""

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
    """Returns the ModelError for an SDK's error; any other error is returned unchanged.

    `sdk` is the module `openai` or `anthropic`. Both SDKs come from one generator and name their
    errors alike; a time-out is a subclass of their connection error, so it is tested first.
    `names` returns the server's error names (`code`, `type`) of a status error.
    """
    if isinstance(error, sdk.APITimeoutError):
        return ModelTimeout()
    if isinstance(error, sdk.APIConnectionError):
        return ModelUnavailable(UNREACHABLE)
    if isinstance(error, sdk.APIStatusError):
        return error_from_status(error.status_code, names(error), error.response.headers)
    return error


def error_from_status(status: int, names: frozenset[str], headers: Mapping[str, str]) -> ModelError:
    """Returns the ModelError for an HTTP status and the server's error names (`code`, `type`)."""
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
    default = f"The model's service refused the request as it is (HTTP {status})."
    return ModelRejected(_REJECTED.get(status, default))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds of a `Retry-After` header (RFC 9110: seconds or a date).

    At most MAX_RETRY_AFTER; None without a usable header. `headers` has names in lower case.
    """
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    if not math.isfinite(seconds) or seconds < 0:
        return None
    return min(seconds, MAX_RETRY_AFTER)


def _seconds_until(value: str) -> float:
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return math.nan
    return (_in_utc(date) - utc_now()).total_seconds()


def _in_utc(date: datetime) -> datetime:
    return date if date.tzinfo else date.replace(tzinfo=UTC)
