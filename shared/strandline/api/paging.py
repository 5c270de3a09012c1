"""Pages of lists, and their query parameters."""

from typing import Annotated, Any, Generic, TypeVar

from aws_lambda_powertools.event_handler.openapi.params import Query

from strandline.api import cursor as cursors
from strandline.models.base import Value
from strandline.store.pagination import ListPage

T = TypeVar("T")
Limit = Annotated[int, Query(ge=1, le=100, description="How many items at most.")]
Cursor = Annotated[str | None, Query(max_length=2_000, description="Where the last page ended.")]


class Page(Value, Generic[T]):
    """Some items of a list. `cursor` requests the next page; it is null after the last item."""

    items: tuple[T, ...]
    cursor: str | None = None


def to_page(found: ListPage[T], *bound_to: Any) -> Page[T]:
    """Returns a page with its cursor, bound to the list as `make_cursor` says."""
    return Page(items=found.items, cursor=cursors.make_cursor(found.after, *bound_to))
