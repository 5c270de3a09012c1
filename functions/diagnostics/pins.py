"""Lists that stay with one revision: their cursors name it, whatever becomes of the memory."""

from dataclasses import dataclass
from typing import Any

from functions.diagnostics import reading
from strandline.api import cursor as cursors
from strandline.errors import NotFound
from strandline.models.memory import Memory
from strandline.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Asked:
    """A revision of a memory, the current one when none is named, and what else was asked."""

    account: str
    memory_id: str
    revision: int | None
    bounds: tuple[Any, ...]

    @property
    def bound_to(self) -> tuple[Any, ...]:
        """What a cursor of this list belongs to."""
        return (*self.bounds, self.account, self.memory_id, self.revision)

    def cursor(self, pin: "Pinned", after: str | None) -> str | None:
        """The cursor to the rest of the list, None when there is none."""
        position = None if after is None else f"{pin.memory.revision}|{after}"
        return cursors.make(position, *self.bound_to)


@dataclass(frozen=True, slots=True)
class Pinned:
    """The revision a list is of, and the place to go on after; empty at its beginning."""

    memory: Memory
    after: str = ""


def pinned(runtime: Runtime, asked: Asked, cursor: str | None) -> Pinned:
    """The revision that is asked for, or that the cursor names.

    Raises NotFound, ContentDeleted, WrongCursor.
    """
    head = reading.head(runtime, asked.account, asked.memory_id).memory
    position = cursors.read(cursor, *asked.bound_to)
    if position is None:
        number, after = asked.revision or head.revision, ""
    else:
        named, _, after = position.partition("|")
        number = int(named)
    if number == head.revision:
        return Pinned(head, after)
    if number > head.revision:
        raise NotFound
    memory = reading.pinned(runtime, asked.account, asked.memory_id, number)
    return Pinned(memory, after)
