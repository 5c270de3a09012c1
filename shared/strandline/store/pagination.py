"""One way to read a list: bounded by count and bytes, complete over all its pages."""

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


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """Some items of a list, and the sort key to go on after (None: that was all)."""

    items: tuple[T, ...]
    after: str | None


def read_page(
    table: Table,
    query: Query,
    *,
    limit: int,
    after: str | None = None,
    keep: Callable[[Item], T | None],
) -> ListPage[T]:
    """Up to `limit` items of a query that `keep` doesn't turn into None.

    A slice also ends after about 2 MB or eight pages read, so that a filter that matches nothing
    gives an empty slice with a way on, not a time-out.
    """
    kept: list[T] = []
    size = 0
    for number in range(MAX_PAGES_READ):
        # One more than asked tells whether there is more; further pages mean a filter.
        page = table.page(query, after=after, limit=limit + 1 if number == 0 else 250)
        for item in page.items:
            value = keep(item)
            if value is not None and (len(kept) == limit or (kept and size > MAX_PAGE_BYTES)):
                return ListPage(tuple(kept), after)
            after = item["sk"]
            if value is not None:
                kept.append(value)
                size += json_size(item)
        if page.last is None:
            return ListPage(tuple(kept), None)
        after = page.last
    return ListPage(tuple(kept), after)
