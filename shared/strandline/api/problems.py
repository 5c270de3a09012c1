"""Problem responses: application/problem+json (RFC 9457), and the HTTP status of each error."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
"""An error has the status of its nearest base class in this table; without one, 500."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The content of a problem response. `extra` are further members of the document."""

    status: HTTPStatus
    code: str
    detail: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def status_of(error: errors.StrandlineError) -> HTTPStatus:
    """Returns the HTTP status of an error."""
    for error_class in type(error).__mro__:
        if error_class in STATUS:
            return STATUS[error_class]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def error_response(error: errors.StrandlineError, request_id: str) -> Response[str]:
    """Returns the problem response of an error, with a Retry-After header where it has a time."""
    extra = dict(error.extra)
    headers = _retry_after(extra.pop("retry_after", None) or _model_retry_after(error))
    for name, value in extra.items():
        extra[name] = rfc3339(value) if hasattr(value, "astimezone") else value
    problem = Problem(status_of(error), error.code, error.message, extra, headers)
    return problem_response(problem, request_id)


def _model_retry_after(error: errors.StrandlineError) -> float | None:
    return error.retry_after if isinstance(error, errors.ModelError) else None


def _retry_after(seconds: float | None) -> dict[str, str]:
    """Returns the header of RFC 9110, in whole seconds, rounded up."""
    return {} if seconds is None else {"Retry-After": str(math.ceil(seconds))}


def problem_response(problem: Problem, request_id: str) -> Response[str]:
    """Returns a response whose body is the problem document."""
    document = {
        "type": "about:blank",
        "title": problem.status.phrase,
        "status": problem.status.value,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
        **problem.extra,
    }
    return Response(
        status_code=problem.status.value,
        content_type="application/problem+json",
        body=json.dumps(document, ensure_ascii=False),
        headers=dict(problem.headers),
    )


def field_errors(found: Sequence[Any]) -> list[dict[str, str]]:
    """Returns pydantic's validation errors as field and message, without the invalid values."""
    return [
        {
            "field": ".".join(str(step) for step in error["loc"]),
            # Pydantic's prefix of our own ValueErrors means nothing to clients.
            "message": str(error["msg"]).removeprefix("Value error, "),
        }
        for error in found
    ]
