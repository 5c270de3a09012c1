"""Pinned cursors: every page of a list is about the same revision.

The cursor names the revision, so a memory that changes between two pages doesn't change the list.
"""

from dataclasses import dataclass
from typing import Any

from functions.diagnostics import memory_queries
from strandline.api.cursor import make_cursor, read_cursor
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.models.memory import Memory


@dataclass(frozen=True, slots=True)
class RevisionQuery:
    """A query about one revision of a memory: the current one when `revision` is None.

    `filters` are the list's name and its other parameters; its cursors are bound to them.
    """

    account: str
    memory_id: str
    revision: int | None
    filters: tuple[Any, ...]

    @property
    def list_key(self) -> tuple[Any, ...]:
        """What a cursor of this list is bound to."""
        return (*self.filters, self.account, self.memory_id, self.revision)

    def next_cursor(self, pin: "PinnedRevision", after: str | None) -> str | None:
        """Returns the cursor to the items after a position; None at the end of the list."""
        position = None if after is None else f"{pin.memory.revision}|{after}"
        return make_cursor(position, *self.list_key)


@dataclass(frozen=True, slots=True)
class PinnedRevision:
    """The revision that a list is about, and the position its page starts after.

    `after` is empty on the first page.
    """

    memory: Memory
    after: str = ""


def pin_revision(deps: Dependencies, query: RevisionQuery, cursor: str | None) -> PinnedRevision:
    """Returns the revision that the cursor names, or on the first page the one queried.

    Raises NotFound, ContentDeleted, WrongCursor.
    """
    current = memory_queries.get_head(deps, query.account, query.memory_id).memory
    position = read_cursor(cursor, *query.list_key)
    if position is None:
        number, after = query.revision or current.revision, ""
    else:
        pinned_number, _, after = position.partition("|")
        number = int(pinned_number)
    if number == current.revision:
        return PinnedRevision(current, after)
    if number > current.revision:
        raise NotFound
    memory = memory_queries.get_revision_content(deps, query.account, query.memory_id, number)
    return PinnedRevision(memory, after)
