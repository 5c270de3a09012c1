"""Errors as clients read them: application/problem+json (RFC 9457), from one table."""

import json
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from strandline import errors
from strandline.models.base import rfc3339

STATUS: dict[type[errors.StrandlineError], HTTPStatus] = {
    errors.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    errors.Forbidden: HTTPStatus.FORBIDDEN,
    errors.NotFound: HTTPStatus.NOT_FOUND,
    errors.ContentDeleted: HTTPStatus.GONE,
    errors.ContentExpired: HTTPStatus.GONE,
    errors.Invalid: HTTPStatus.BAD_REQUEST,
    errors.ModelNotConfigured: HTTPStatus.BAD_REQUEST,
    errors.TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.UnsupportedMediaType: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.Conflict: HTTPStatus.CONFLICT,
    errors.CheckpointAltered: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.IdempotencyKeyReused: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.StorageBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ModelTimeout: HTTPStatus.GATEWAY_TIMEOUT,
    errors.ModelError: HTTPStatus.BAD_GATEWAY,
}
"""The nearest class up an error's tree gives its status; what is in no branch is a 500."""


def status_of(error: errors.StrandlineError) -> HTTPStatus:
    """The HTTP status of an error."""
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def error_response(error: errors.StrandlineError, request_id: str) -> Response[str]:
    """The response for one of our own errors."""
    extra = dict(error.extra)
    headers = _retry_after(extra.pop("retry_after", None) or _asked_by_model(error))
    for name, value in extra.items():
        extra[name] = rfc3339(value) if hasattr(value, "astimezone") else value
    return problem_response(
        status_of(error), error.code, error.message, request_id, extra=extra, headers=headers
    )


def _asked_by_model(error: errors.StrandlineError) -> float | None:
    return error.retry_after if isinstance(error, errors.ModelError) else None


def _retry_after(seconds: float | None) -> dict[str, str]:
    """Whole seconds, as RFC 9110 has it, and never fewer than were asked for."""
    return {} if seconds is None else {"Retry-After": str(math.ceil(seconds))}


def problem_response(
    status: HTTPStatus,
    code: str,
    detail: str,
    request_id: str,
    *,
    extra: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response[str]:
    """A problem document."""
    document = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
        "code": code,
        "request_id": request_id,
        **(extra or {}),
    }
    return Response(
        status_code=status.value,
        content_type="application/problem+json",
        body=json.dumps(document, ensure_ascii=False),
        headers=dict(headers or {}),
    )


def field_errors(found: Sequence[Any]) -> list[dict[str, str]]:
    """Validation errors as clients read them: where and what, never the value itself."""
    return [
        {
            "field": ".".join(str(step) for step in error["loc"]),
            # What pydantic puts before the sentence of our own ValueError says nothing to clients.
            "message": str(error["msg"]).removeprefix("Value error, "),
        }
        for error in found
    ]
