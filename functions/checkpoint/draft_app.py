"""The handler for drafts and reviews: slow, since it waits for a model."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint import routes
from functions.checkpoint.drafts.draft_request import named_in
from functions.checkpoint.ownership import owns
from strandline.api.app import build_resolver, handle_event


def _owns(account: str, named: Mapping[str, str]) -> None:
    """A draft names its session in the body: a foreign one is 404 before the body is looked at."""
    owns(account, {**named_in(app.current_event.body), **named})


app = build_resolver(routes.DRAFT, _owns)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answer one HTTP request."""
    return handle_event(app, event, context)
