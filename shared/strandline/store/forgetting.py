"""Forgetting a memory: its words go, what keeps it from being learned again stays."""

from collections.abc import Iterable
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.models.memory import Citation, Memory
from strandline.store import memories
from strandline.store.memories import Head
from strandline.store.publish import HeadMoved, Removal, publish
from strandline.table import Item, Table, decode, delete

_ATTEMPTS = 10
_REVISIONS_AT_ONCE = 60
MAX_PLACES = 64


def forget(table: Table, account: str, memory_id: str, at: datetime) -> None:
    """Delete a memory, whole history included; deleting it again is fine. Raises NotFound.

    Head and revisions go in one transaction; the few memories with more revisions than that
    takes are finished by the same call, or by the next one.
    """
    for _ in range(_ATTEMPTS):
        found = memories.find(table, account, memory_id)
        if isinstance(found, Head):
            history = [decode(Memory, item) for item in _revision_items(table, account, memory_id)]
            removal = Removal(found, forget=True, places=_places([*history, found.memory]))
            revisions = [
                delete(keys.revision(account, memory_id, each.revision))
                for each in history[:_REVISIONS_AT_ONCE]
            ]
            try:
                publish(table, account, [removal], at, also=revisions)
            except HeadMoved:
                continue
        forget_revisions(table, account, memory_id)
        return
    raise StorageBusy


def forget_revisions(table: Table, account: str, memory_id: str, before: int | None = None) -> None:
    """Remove a memory's revisions, only those before one if one is named."""
    found = _revision_items(table, account, memory_id)
    numbered = {keys.Key(i["pk"], i["sk"]): int(i["revision"]) for i in found}
    table.delete_many(key for key, n in numbered.items() if before is None or n < before)


def _revision_items(table: Table, account: str, memory_id: str) -> list[Item]:
    return list(table.all(keys.revision(account, memory_id, 0).pk, prefix="REV#"))


def _places(history: Iterable[Memory]) -> tuple[Citation, ...]:
    """Where the memory ever came from, the newest last; the newest, if there are very many."""
    every = dict.fromkeys(citation for memory in history for citation in memory.evidence)
    return tuple(every)[-MAX_PLACES:]
