"""The handler for all other checkpoint routes, which are fast: they call no model."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint import routes
from functions.checkpoint.ownership import check_ownership
from strandline.api.app import build_resolver, handle_event

app = build_resolver(routes.MOUNT, check_ownership)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answers one HTTP request."""
    return handle_event(app, event, context)
