"""The handler for checkpoints, but for drafts: quick, and never waiting for a model."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint import routes
from functions.checkpoint.ownership import owns
from strandline.api.app import build, serve

app = build(routes.MOUNT, owns)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    return serve(app, event, context)
