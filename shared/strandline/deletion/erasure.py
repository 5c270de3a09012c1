"""What every step of an erasure shares: its context, and reading what is left to erase.

An erasure may be interrupted anywhere. Each step deletes in an order that lets the next run
find what is left.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from strandline import keys
from strandline.clock import Clock, Deadline
from strandline.queries import Query
from strandline.table import Table
from strandline.writes import Item


@dataclass(frozen=True, slots=True)
class Erasure:
    """One run of an erasure: the account, its table, the clock and the time limit."""

    table: Table
    account: str
    clock: Clock
    deadline: Deadline

    def has_time(self) -> bool:
        """Whether the deadline is still ahead."""
        return self.deadline.remaining() > 0


def remaining_pages(
    erasure: Erasure, partition: str, prefix: str, size: int
) -> Iterator[list[Item] | None]:
    """Yields the first `size` items under a prefix, again and again until none is left.

    The caller deletes each page before it asks for the next. Yields None when time is up and
    items are left.
    """
    while items := erasure.table.page(Query(partition, prefix), limit=size).items:
        yield items if erasure.has_time() else None


def delete_items(erasure: Erasure, items: Iterable[Item]) -> None:
    """Deletes items that were read from the table."""
    erasure.table.delete_many(keys.Key(item["pk"], item["sk"]) for item in items)
