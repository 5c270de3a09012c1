"""The diagnostics function's handler: memories as developers see them."""

from collections.abc import Mapping
from typing import Any

from functions.diagnostics import routes
from functions.diagnostics.access import check_access
from functions.diagnostics.ownership import check_ownership
from strandline.api.app import build_resolver, handle_event

app = build_resolver(routes.ALL, check_ownership)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answers one HTTP request: an API Gateway event of version 2.0."""
    return handle_event(app, event, context, check_access)
