"""What went wrong at Bedrock, in the product's own errors.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from collections.abc import Mapping
from typing import Any

from strandline.errors import (
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from strandline.providers.http_errors import UNREACHABLE, error_from_status, retry_after

_NO_CREDENTIALS = "There are no AWS credentials to call the model with."
_REFUSED_BEFORE_SENDING = "AWS takes no request like this, from here or for this model."


def translate_error(error: BaseException) -> BaseException:
    """The ModelError that `error` amounts to; what isn't of botocore comes back as it is."""
    from botocore import exceptions as known  # noqa: PLC0415 - an import pays for no SDK
    from botocore.parsers import ResponseParserError  # noqa: PLC0415

    if isinstance(error, known.ClientError):
        return _of_response(error.response)
    ours: tuple[tuple[tuple[type[BaseException], ...], ModelError], ...] = (
        ((known.ReadTimeoutError, known.ConnectTimeoutError), ModelTimeout()),
        ((known.NoCredentialsError, known.PartialCredentialsError), ModelRejected(_NO_CREDENTIALS)),
        ((known.HTTPClientError, known.ConnectionError), ModelUnavailable(UNREACHABLE)),
        ((ResponseParserError,), ModelReplyInvalid("The model's service answered with no JSON.")),
        ((known.BotoCoreError,), ModelRejected(_REFUSED_BEFORE_SENDING)),
    )
    return next((one for kinds, one in ours if isinstance(error, kinds)), error)


def is_validation_error(error: Exception) -> bool:
    """Whether the service refused the request's form: Converse's only name for a 400."""
    response = getattr(error, "response", None) or {}
    return bool(response.get("Error", {}).get("Code") == "ValidationException")


def _of_response(response: Mapping[str, Any]) -> ModelError:
    """By the exception's name where its status says another thing, else by its status."""
    told = response.get("ResponseMetadata", {})
    headers: dict[str, str] = told.get("HTTPHeaders", {})
    match response.get("Error", {}).get("Code"):
        case "ServiceQuotaExceededException" | "ThrottlingException":
            return ModelRateLimited(retry_after=retry_after(headers))
        case "ModelTimeoutException":
            return ModelTimeout()
        case "ModelErrorException":
            return ModelUnavailable("The model failed at this request.")
    return error_from_status(told.get("HTTPStatusCode", 500), frozenset(), headers)
