"""What went wrong at Anthropic, in the product's own errors.

Source: https://platform.claude.com/docs/en/api/errors
"""

from strandline.errors import ModelTimeout, ModelUnavailable
from strandline.providers.statuses import UNREACHABLE, of_status


def translated(error: BaseException) -> BaseException:
    """The ModelError that `error` amounts to; what isn't of the SDK comes back as it is."""
    from anthropic import (  # noqa: PLC0415 - the SDK is loaded by the first call, not by an import
        APIConnectionError,
        APIStatusError,
        APITimeoutError,
    )

    if isinstance(error, APITimeoutError):
        return ModelTimeout()
    if isinstance(error, APIConnectionError):
        return ModelUnavailable(UNREACHABLE)
    if isinstance(error, APIStatusError):
        return of_status(error.status_code, frozenset(), error.response.headers)
    return error
