"""The handler for checkpoints, but for drafts: quick, and never waiting for a model."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint import routes
from functions.checkpoint.ownership import owns
from strandline.api.app import build_resolver, handle_event

app = build_resolver(routes.MOUNT, owns)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    return handle_event(app, event, context)
