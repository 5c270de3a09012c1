"""Translation of the `openai` SDK's errors into ModelErrors."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, ModelReplyInvalid, ModelUnavailable
from strandline.providers.http_errors import error_from_sdk, error_from_status

if TYPE_CHECKING:
    from openai import APIStatusError

_OTHER_REASONS = frozenset({"context_length_exceeded", "content_filter", "model_not_found"})


def translate_error(error: BaseException) -> BaseException:
    """Returns the ModelError for an error of the SDK; any other error is returned unchanged."""
    import openai  # noqa: PLC0415 - the SDK is loaded by the first call, not by an import

    return error_from_sdk(openai, error, _names)


def error_from_body(body: Mapping[str, Any]) -> ModelError:
    """Returns the ModelError of a reply with status 200 that holds an `error`, not a result."""
    error = body.get("error")
    if not isinstance(error, dict):
        return ModelReplyInvalid()
    names = frozenset(str(error[key]) for key in ("code", "type") if error.get(key))
    status = error.get("code")
    if isinstance(status, int) and 400 <= status < 600:
        return error_from_status(status, names, {})
    return ModelUnavailable()


def may_reject_response_format(error: "APIStatusError") -> bool:
    """Whether a status 400 may mean that the server doesn't support `response_format`.

    Most servers name no parameter; if one does, it decides.
    """
    if _names(error) & _OTHER_REASONS:
        return False
    return not error.param or str(error.param).startswith("response_format")


def _names(error: "APIStatusError") -> frozenset[str]:
    return frozenset(str(name) for name in (error.code, error.type) if name)
