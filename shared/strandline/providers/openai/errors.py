"""What went wrong at an OpenAI-compatible server, in the product's own errors."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strandline.errors import ModelError, ModelReplyInvalid, ModelUnavailable
from strandline.providers.http_errors import error_from_sdk, error_from_status

if TYPE_CHECKING:
    from openai import APIStatusError

_NOT_THE_FORMAT = frozenset({"context_length_exceeded", "content_filter", "model_not_found"})


def translate_error(error: BaseException) -> BaseException:
    """The ModelError that `error` amounts to; what isn't of the SDK comes back as it is."""
    import openai  # noqa: PLC0415 - the SDK is loaded by the first call, not by an import

    return error_from_sdk(openai, error, _names)


def error_from_body(body: Mapping[str, Any]) -> ModelError:
    """The error of a reply with status 200 that holds an `error` in place of an answer."""
    error = body.get("error")
    if not isinstance(error, dict):
        return ModelReplyInvalid()
    names = frozenset(str(error[key]) for key in ("code", "type") if error.get(key))
    status = error.get("code")
    if isinstance(status, int) and 400 <= status < 600:
        return error_from_status(status, names, {})
    return ModelUnavailable()


def may_reject_response_format(error: "APIStatusError") -> bool:
    """Whether a 400 can mean that the server takes no `response_format`.

    A server that names what it dislikes is believed; most name nothing.
    """
    if _names(error) & _NOT_THE_FORMAT:
        return False
    return not error.param or str(error.param).startswith("response_format")


def _names(error: "APIStatusError") -> frozenset[str]:
    return frozenset(str(name) for name in (error.code, error.type) if name)
