"""The resolver of every HTTP function, and the handling of an API Gateway event."""

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
"""Takes an account and a route's path parameters; raises NotFound unless they are the account's."""

AuthorizationCheck = Callable[[claims.Principal, str, str], None]
"""Takes the caller, the method and the path; raises Forbidden unless the request is allowed."""

UNAUTHENTICATED_PATHS = frozenset({"/v1/health"})
"""Paths that need no token."""


def build_resolver(
    routers: Sequence[Router], check_ownership: OwnershipCheck
) -> APIGatewayHttpResolver:
    """Returns a resolver with the routers' routes, request validation and problem responses.

    `check_ownership` runs when a request is invalid: a resource that isn't the caller's is 404 even
    if the request is invalid as well.
    """
    app = APIGatewayHttpResolver(enable_validation=True)
    for router in routers:
        app.include_router(router)

    @app.exception_handler(StrandlineError)
    def strandline_error(error: StrandlineError) -> Response[str]:
        # A route may find its cursor invalid before it looks up the addressed resource.
        not_owned = _ownership_error(app, check_ownership) if isinstance(error, Invalid) else None
        return _error_response(app, not_owned or error)

    @app.exception_handler(RequestValidationError)
    def validation_error(error: RequestValidationError) -> Response[str]:
        return _validation_response(app, check_ownership, error)

    @app.not_found
    def unknown_route(_: NotFoundError) -> Response[str]:
        return _error_response(app, NotFound())

    @app.exception_handler(Exception)
    def unexpected_error(error: Exception) -> Response[str]:
        log_failure("unexpected error", error)
        metric("UnexpectedError")
        problem = problems.Problem(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "INTERNAL_ERROR",
            "Something went wrong on our side.",
        )
        return problems.problem_response(problem, _request_id(app))

    return app


def handle_event(
    app: APIGatewayHttpResolver,
    event: Mapping[str, Any],
    context: Any,
    authorize: AuthorizationCheck | None = None,
) -> dict[str, Any]:
    """Returns the response to an API Gateway event of payload version 2.0.

    `authorize` runs before a route is looked up. Errors become problem responses; none is raised.
    """
    normalized, body_error = body.normalized_event(event)
    try:
        caller = _caller(normalized, authorize)
    except StrandlineError as error:
        request_id = str((normalized.get("requestContext") or {}).get("requestId", ""))
        response = problems.error_response(error, request_id)
        return {
            "statusCode": response.status_code,
            "headers": {"content-type": "application/problem+json"},
            "body": response.body,
        }
    app.append_context(caller=caller, body_error=body_error)
    resolved: dict[str, Any] = app.resolve(normalized, context)
    return resolved


def _caller(
    event: Mapping[str, Any], authorize: AuthorizationCheck | None
) -> claims.Principal | None:
    path = str(event.get("rawPath", ""))
    if path in UNAUTHENTICATED_PATHS:
        return None
    caller = claims.principal(event)
    if authorize is not None:
        authorize(caller, event["requestContext"]["http"]["method"], path)
    return caller


def account(router: Router | APIGatewayHttpResolver) -> str:
    """Returns the account id of the caller."""
    return str(router.context["caller"].account)


def sent_fields(value: Value) -> dict[str, Any]:
    """Returns the fields of a PATCH body that the client sent, including those sent as null."""
    return value.model_dump(exclude_unset=True)


def _validation_response(
    app: APIGatewayHttpResolver, check_ownership: OwnershipCheck, error: RequestValidationError
) -> Response[str]:
    """Returns 404 for a resource that isn't the caller's, else what is wrong with the request.

    Powertools validates a request before any code of ours runs, so ownership is checked here.
    """
    error_of_ours = _ownership_error(app, check_ownership) or app.context.get("body_error")
    if error_of_ours:
        return _error_response(app, error_of_ours)
    problem = problems.Problem(
        HTTPStatus.BAD_REQUEST,
        Invalid().code,
        Invalid().message,
        extra={"errors": problems.field_errors(error.errors())},
    )
    return problems.problem_response(problem, _request_id(app))


def _ownership_error(
    app: APIGatewayHttpResolver, check_ownership: OwnershipCheck
) -> StrandlineError | None:
    """Returns the error of the ownership check; None if the addressed resource is the caller's."""
    try:
        check_ownership(account(app), app.current_event.path_parameters)
    except StrandlineError as error:
        return error
    return None


def _error_response(app: APIGatewayHttpResolver, error: StrandlineError) -> Response[str]:
    if problems.status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("request failed", extra={"code": error.code, "reason": error.message})
    return problems.error_response(error, _request_id(app))


def _request_id(app: APIGatewayHttpResolver) -> str:
    return str(app.current_event.request_context.request_id or "")
