"""The chat function's handler."""

from collections.abc import Mapping
from typing import Any

from functions.chat import routes
from functions.chat.ownership import owns
from strandline.api.app import build_resolver, handle_event

app = build_resolver(routes.ALL, owns)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    return handle_event(app, event, context)
