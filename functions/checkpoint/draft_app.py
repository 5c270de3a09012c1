"""The handler for drafts and reviews: slow, since it waits for a model."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint import routes
from functions.checkpoint.draft_request import named_in
from functions.checkpoint.ownership import owns
from strandline.api.app import build, serve


def _owns(account: str, named: Mapping[str, str]) -> None:
    """A draft names its session in the body: a foreign one is 404 before the body is looked at."""
    owns(account, {**named_in(app.current_event.body), **named})


app = build(routes.DRAFT, _owns)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    return serve(app, event, context)
