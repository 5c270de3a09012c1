"""The handler for drafts and reviews, which are slow: they wait for a model."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint import routes
from functions.checkpoint.drafts.request import ids_in_body
from functions.checkpoint.ownership import check_ownership
from strandline.api.app import build_resolver, handle_event


def _check_ownership(account: str, ids: Mapping[str, str]) -> None:
    """Raises NotFound for a foreign id in the path or the body, even if the body is invalid."""
    check_ownership(account, {**ids_in_body(app.current_event.body), **ids})


app = build_resolver(routes.DRAFT, _check_ownership)


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Answers one HTTP request."""
    return handle_event(app, event, context)
