"""Lists that stay with one revision: their cursors name it, whatever becomes of the memory."""

from dataclasses import dataclass
from typing import Any

from functions.diagnostics import memory_queries
from strandline.api import cursor as cursors
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.models.memory import Memory


@dataclass(frozen=True, slots=True)
class RevisionQuery:
    """A revision of a memory, the current one when none is named, and what else was asked."""

    account: str
    memory_id: str
    revision: int | None
    bounds: tuple[Any, ...]

    @property
    def bound_to(self) -> tuple[Any, ...]:
        """What a cursor of this list belongs to."""
        return (*self.bounds, self.account, self.memory_id, self.revision)

    def cursor(self, pin: "PinnedRevision", after: str | None) -> str | None:
        """The cursor to the rest of the list, None when there is none."""
        position = None if after is None else f"{pin.memory.revision}|{after}"
        return cursors.make_cursor(position, *self.bound_to)


@dataclass(frozen=True, slots=True)
class PinnedRevision:
    """The revision a list is of, and the place to go on after; empty at its beginning."""

    memory: Memory
    after: str = ""


def pin_revision(deps: Dependencies, asked: RevisionQuery, cursor: str | None) -> PinnedRevision:
    """The revision that is asked for, or that the cursor names.

    Raises NotFound, ContentDeleted, WrongCursor.
    """
    head = memory_queries.head(deps, asked.account, asked.memory_id).memory
    position = cursors.read_cursor(cursor, *asked.bound_to)
    if position is None:
        number, after = asked.revision or head.revision, ""
    else:
        named, _, after = position.partition("|")
        number = int(named)
    if number == head.revision:
        return PinnedRevision(head, after)
    if number > head.revision:
        raise NotFound
    memory = memory_queries.pinned(deps, asked.account, asked.memory_id, number)
    return PinnedRevision(memory, after)
