"""Translation of botocore's errors into ModelErrors.

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
    """Returns the ModelError for an error of botocore; any other error is returned unchanged."""
    from botocore import exceptions as known  # noqa: PLC0415 - an import pays for no SDK
    from botocore.parsers import ResponseParserError  # noqa: PLC0415

    if isinstance(error, known.ClientError):
        return _of_response(error.response)
    translations: tuple[tuple[tuple[type[BaseException], ...], ModelError], ...] = (
        ((known.ReadTimeoutError, known.ConnectTimeoutError), ModelTimeout()),
        ((known.NoCredentialsError, known.PartialCredentialsError), ModelRejected(_NO_CREDENTIALS)),
        ((known.HTTPClientError, known.ConnectionError), ModelUnavailable(UNREACHABLE)),
        ((ResponseParserError,), ModelReplyInvalid("The model's service answered with no JSON.")),
        ((known.BotoCoreError,), ModelRejected(_REFUSED_BEFORE_SENDING)),
    )
    return next((ours for kinds, ours in translations if isinstance(error, kinds)), error)


def is_validation_error(error: Exception) -> bool:
    """Whether the service refused the request as invalid: Converse's only error with status 400."""
    response = getattr(error, "response", None) or {}
    return bool(response.get("Error", {}).get("Code") == "ValidationException")


def _of_response(response: Mapping[str, Any]) -> ModelError:
    """Returns the ModelError by the exception's name if it is more exact, else by its status."""
    metadata = response.get("ResponseMetadata", {})
    headers: dict[str, str] = metadata.get("HTTPHeaders", {})
    match response.get("Error", {}).get("Code"):
        case "ServiceQuotaExceededException" | "ThrottlingException":
            return ModelRateLimited(retry_after=retry_after(headers))
        case "ModelTimeoutException":
            return ModelTimeout()
        case "ModelErrorException":
            return ModelUnavailable("The model failed at this request.")
    return error_from_status(metadata.get("HTTPStatusCode", 500), frozenset(), headers)
