"""The chat function's handler."""

from collections.abc import Mapping
from typing import Any

from functions.chat import routes
from functions.chat.ownership import check_ownership
from strandline.api.app import build_resolver, handle_event

app = build_resolver(routes.ALL, check_ownership)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answers one HTTP request: an API Gateway event of version 2.0."""
    return handle_event(app, event, context)
