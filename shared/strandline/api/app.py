"""The resolver every HTTP function is built on, and the way an event goes through it."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from strandline.api import body, claims, problems
from strandline.errors import Invalid, NotFound, StrandlineError
from strandline.models.base import Value
from strandline.observability import log_failure, logger, metric

OwnershipCheck = Callable[[str, Mapping[str, str]], None]
"""Raises NotFound when what a route's path names isn't the account's."""

Admission = Callable[[claims.Principal, str, str], None]
"""Raises Forbidden when the caller may not send a request of that method and path at all."""

UNAUTHENTICATED_PATHS = frozenset({"/v1/health"})


def build_resolver(routers: Sequence[Router], owns: OwnershipCheck) -> APIGatewayHttpResolver:
    """A resolver with those routes, request validation and the project's errors."""
    app = APIGatewayHttpResolver(enable_validation=True)
    for router in routers:
        app.include_router(router)

    @app.exception_handler(StrandlineError)
    def ours(error: StrandlineError) -> Response[str]:
        # A cursor, say, is read by the route itself, maybe before it looks for what is addressed.
        found = _not_theirs(app, owns) if isinstance(error, Invalid) else None
        return _told(app, found or error)

    @app.exception_handler(RequestValidationError)
    def invalid(error: RequestValidationError) -> Response[str]:
        return _refusal(app, owns, error)

    @app.not_found
    def unknown_route(_: NotFoundError) -> Response[str]:
        return _told(app, NotFound())

    @app.exception_handler(Exception)
    def unexpected(error: Exception) -> Response[str]:
        log_failure("unexpected error", error)
        metric("UnexpectedError")
        return problems.problem_response(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "INTERNAL_ERROR",
            "Something went wrong on our side.",
            _request_id(app),
        )

    return app


def handle_event(
    app: APIGatewayHttpResolver,
    event: Mapping[str, Any],
    context: Any,
    admit: Admission | None = None,
) -> dict[str, Any]:
    """Answer one version-2.0 event; `admit` has its say before a route is even looked for."""
    clean, fault = body.normalized_event(event)
    try:
        caller = _caller(clean, admit)
    except StrandlineError as error:
        request_id = str((clean.get("requestContext") or {}).get("requestId", ""))
        refused = problems.error_response(error, request_id)
        return {
            "statusCode": refused.status_code,
            "headers": {"content-type": "application/problem+json"},
            "body": refused.body,
        }
    app.append_context(caller=caller, body_fault=fault)
    answer: dict[str, Any] = app.resolve(clean, context)
    return answer


def _caller(event: Mapping[str, Any], admit: Admission | None) -> claims.Principal | None:
    path = str(event.get("rawPath", ""))
    if path in UNAUTHENTICATED_PATHS:
        return None
    caller = claims.principal(event)
    if admit is not None:
        admit(caller, event["requestContext"]["http"]["method"], path)
    return caller


def account(router: Router | APIGatewayHttpResolver) -> str:
    """The calling account."""
    return str(router.context["caller"].account)


def sent_fields(value: Value) -> dict[str, Any]:
    """The fields of a PATCH body that the client sent, null among them."""
    return value.model_dump(exclude_unset=True)


def _refusal(
    app: APIGatewayHttpResolver, owns: OwnershipCheck, error: RequestValidationError
) -> Response[str]:
    """Validation runs before anything of ours: what isn't the caller's is 404 all the same."""
    ours = _not_theirs(app, owns) or app.context.get("body_fault")
    if ours:
        return _told(app, ours)
    return problems.problem_response(
        HTTPStatus.BAD_REQUEST,
        Invalid().code,
        Invalid().message,
        _request_id(app),
        extra={"errors": problems.field_errors(error.errors())},
    )


def _not_theirs(app: APIGatewayHttpResolver, owns: OwnershipCheck) -> StrandlineError | None:
    """Why what the path names can't be had by the caller, whatever else is wrong."""
    try:
        owns(account(app), app.current_event.path_parameters)
    except StrandlineError as refusal:
        return refusal
    return None


def _told(app: APIGatewayHttpResolver, error: StrandlineError) -> Response[str]:
    if problems.status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("request failed", extra={"code": error.code, "reason": error.message})
    return problems.error_response(error, _request_id(app))


def _request_id(app: APIGatewayHttpResolver) -> str:
    return str(app.current_event.request_context.request_id or "")
