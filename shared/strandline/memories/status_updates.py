"""Updates of many memories' status, a bounded number in each transaction."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from strandline.errors import StorageBusy
from strandline.memories import index_placement
from strandline.memories.transaction import StatusChange, apply_changes
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import MemoryStatus
from strandline.store.memories import memory_heads
from strandline.table import Table

MEMORIES_PER_TRANSACTION = 12
"""A transaction takes a hundred writes, and one status change needs up to seven."""
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class StatusUpdate:
    """A change of status, at a time: `new_status` returns None for a memory that needs none.

    `changed` is the name of the changed field that the event feed gives.
    """

    new_status: Callable[[Head], MemoryStatus | None]
    changed: str
    at: datetime


def update_statuses(
    table: Table, account: str, memory_ids: Iterable[str], update: StatusUpdate
) -> list[str]:
    """Updates the status of memories; returns the ids of those that changed.

    Raises StorageBusy when they keep changing concurrently.
    """
    changed: list[str] = []
    todo = sorted(memory_ids)
    for start in range(0, len(todo), MEMORIES_PER_TRANSACTION):
        part = todo[start : start + MEMORIES_PER_TRANSACTION]
        changed += _update_together(table, account, part, update)
    return changed


def _update_together(
    table: Table, account: str, memory_ids: Sequence[str], update: StatusUpdate
) -> list[str]:
    for _ in range(_ATTEMPTS):
        found = memory_heads.find_many(table, account, memory_ids).values()
        heads = [head for head in found if isinstance(head, Head)]
        updated = [(head, new) for head in heads if (new := update.new_status(head)) is not None]
        try:
            leaving_index = [head for head, _ in updated if head.recallable]
            entries = (
                index_placement.read_entries(table, account, leaving_index) if leaving_index else {}
            )
            changes = [
                StatusChange(head, status, (update.changed,), entries.get(head.memory.id))
                for head, status in updated
            ]
            apply_changes(table, account, changes, update.at)
        except HeadChanged:
            continue
        return [head.memory.id for head, _ in updated]
    raise StorageBusy
