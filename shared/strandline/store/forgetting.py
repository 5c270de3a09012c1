"""Forgetting a memory: its words go, what keeps it from being learned again stays."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.models.memory import Citation, Memory
from strandline.store import links, memories
from strandline.store.memories import HeadMoved, Tombstone
from strandline.store.publish import Removal, publish
from strandline.table import Item, Table, Write, decode, delete

_ATTEMPTS = 10
_WRITES_BESIDE = 60
MAX_PLACES = 64


def tombstone(
    table: Table, account: str, memory_id: str, at: datetime, also: Sequence[Write] = ()
) -> bool:
    """Take a memory's words away, with `also`; whether this call did. Raises NotFound.

    Head and revisions go in one transaction; what that doesn't take `forget_revisions` finishes.
    """
    for _ in range(_ATTEMPTS):
        found = memories.find(table, account, memory_id)
        if isinstance(found, Tombstone):
            return False
        history = [decode(Memory, item) for item in _revision_items(table, account, memory_id)]
        removal = Removal(found, forget=True, places=_places([*history, found.memory]))
        try:
            publish(table, account, [removal], at, also=[*also, *_with_it(account, history)])
        except HeadMoved:
            continue
        return True
    raise StorageBusy


def _with_it(account: str, history: Iterable[Memory]) -> list[Write]:
    """Revisions, each with the marks by which it is found, as many as go into the transaction."""
    gone: list[Write] = []
    for each in history:
        marks = [delete(mark) for mark in links.marks_of(account, each)]
        if len(gone) + len(marks) >= _WRITES_BESIDE:
            break
        gone += [*marks, delete(keys.revision(account, each.id, each.revision))]
    return gone


def forget_revisions(
    table: Table,
    account: str,
    memory_id: str,
    *,
    before: int | None = None,
    only: Collection[int] | None = None,
) -> None:
    """Remove all of a memory's history, or the revisions before one, or only those.

    The marks by which they are found from what they refer to go first, the revisions that tell
    of them last.
    """
    history = [decode(Memory, item) for item in _revision_items(table, account, memory_id)]
    gone = [
        each
        for each in history
        if (before is None or each.revision < before) and (only is None or each.revision in only)
    ]
    table.delete_many(mark for each in gone for mark in links.marks_of(account, each))
    table.delete_many(keys.review(account, memory_id, each.revision) for each in gone)
    if before is None and only is None:
        # What refers to it, and a parked index entry.
        rest = table.all(keys.memory_partition(account, memory_id))
        marks = [keys.Key(item["pk"], item["sk"]) for item in rest]
        table.delete_many(mark for mark in marks if not mark.sk.startswith("REV#"))
    table.delete_many(keys.revision(account, memory_id, each.revision) for each in gone)


def _revision_items(table: Table, account: str, memory_id: str) -> list[Item]:
    return list(table.all(keys.memory_partition(account, memory_id), prefix="REV#"))


def _places(history: Iterable[Memory]) -> tuple[Citation, ...]:
    """Where the memory ever came from, the newest last; the newest, if there are very many."""
    every = dict.fromkeys(citation for memory in history for citation in memory.evidence)
    return tuple(every)[-MAX_PLACES:]
