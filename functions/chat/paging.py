"""Lists as clients page through them."""

from typing import Annotated, Any, TypeVar

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.chat.responses import Page
from strandline.api import cursor as cursors
from strandline.store.lists import Slice

T = TypeVar("T")
Limit = Annotated[int, Query(ge=1, le=100, description="How many items at most.")]
Cursor = Annotated[str | None, Query(max_length=2_000, description="Where the last page ended.")]


def page(part: Slice[T], *bound_to: Any) -> Page[T]:
    """A slice with its cursor, bound to the list it belongs to."""
    return Page(items=part.items, cursor=cursors.make(part.after, *bound_to))
