"""Reading a list page by page, each page bounded by a count and by bytes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from strandline.item_size import json_size
from strandline.queries import Query
from strandline.table import Table
from strandline.writes import Item

T = TypeVar("T")
MAX_PAGE_BYTES = 2_000_000
MAX_PAGES_READ = 8
_FILTERED_PAGE_SIZE = 250


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page of a list to read: at most `limit` items, after the sort key `after`.

    Without `after`, the list's first page.
    """

    limit: int
    after: str | None = None


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One page of a list, and the sort key to continue after (None: this was the last page)."""

    items: tuple[T, ...]
    after: str | None


def read_page(
    table: Table, query: Query, request: PageRequest, keep: Callable[[Item], T | None]
) -> ListPage[T]:
    """Returns the values that `keep` makes of a query's items, without those that are None.

    A page also ends after about MAX_PAGE_BYTES, or after MAX_PAGES_READ reads: a filter that
    matches nothing gives an empty page with a sort key to continue after, not a timeout.
    """
    kept: list[T] = []
    size, after = 0, request.after
    for number in range(MAX_PAGES_READ):
        # One item more than requested tells whether there are more. Later reads mean that items
        # were filtered out.
        limit = request.limit + 1 if number == 0 else _FILTERED_PAGE_SIZE
        page = table.page(query, after=after, limit=limit)
        for item in page.items:
            value = keep(item)
            full = len(kept) == request.limit or (kept and size > MAX_PAGE_BYTES)
            if value is not None and full:
                return ListPage(tuple(kept), after)
            after = item["sk"]
            if value is not None:
                kept.append(value)
                size += json_size(item)
        if page.last is None:
            return ListPage(tuple(kept), None)
        after = page.last
    return ListPage(tuple(kept), after)
