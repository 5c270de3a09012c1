"""The diagnostics function's handler: memories as a developer sees them."""

from collections.abc import Mapping
from typing import Any

from functions.diagnostics import routes
from functions.diagnostics.access import admit
from functions.diagnostics.ownership import owns
from strandline.api.app import build_resolver, handle_event

app = build_resolver(routes.ALL, owns)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    return handle_event(app, event, context, admit)
