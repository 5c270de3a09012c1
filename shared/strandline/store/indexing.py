"""Where a memory's index entry is: in the log, or parked while recall may not show it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from strandline import keys
from strandline.models.memory import Memory
from strandline.models.standing import NEW, Standing, recallable
from strandline.recall.entry import IndexEntry
from strandline.statements.statement import fingerprints
from strandline.store import vectors
from strandline.store.memories import Head, HeadMoved
from strandline.table import Table, Write, delete, put

PARKED_CHANGE = 0


def entries_of(table: Table, account: str, heads: Iterable[Head]) -> dict[str, IndexEntry]:
    """The index entries of those heads by memory id. Raises HeadMoved when one has just moved."""
    places = {_place(account, head): head.memory.id for head in heads}
    found = table.get_many(places)
    if found.keys() != places.keys():
        raise HeadMoved
    return {places[key]: _entry(key, item) for key, item in found.items()}


def entry_of(table: Table, account: str, head: Head) -> IndexEntry:
    """The index entry of that head. Raises HeadMoved when it has just moved."""
    return entries_of(table, account, [head])[head.memory.id]


def moving(
    account: str,
    before: Head | None,
    entry: IndexEntry | None,
    recallable: bool,
    number: int,
    at: datetime,
) -> tuple[int, list[Write]]:
    """The log record's number after a change, and the writes that take the entry there.

    `entry` may be left out where neither it nor its place changes.
    """
    was = before is not None and before.recallable
    if entry is None:
        if before is None or was != recallable:
            raise ValueError("an entry that moves must be given")
        return before.log_change, []
    writes: list[Write] = []
    if recallable:
        writes.append(vectors.publishing(account, replace(entry, change=number), at))
    else:
        writes.append(put(keys.parked(account, entry.memory_id), vectors.to_item(entry)))
        if was:
            gone = IndexEntry(number, entry.memory_id, eligible=False)
            writes.append(vectors.publishing(account, gone, at))
    if before is not None and recallable and not was:
        writes.append(delete(keys.parked(account, entry.memory_id)))
    if not (recallable or was):
        return before.log_change if before else 0, writes
    if before is not None and before.log_change:
        writes.append(vectors.removing(account, before.log_change))
    return number, writes


def marking(
    account: str, before: Head | None, memory: Memory | None, standing: Standing = NEW
) -> list[Write]:
    """The writes that let a memory be found while recall may not show it: nothing else finds it.

    By what it states, for a fact that is held already isn't to be held twice; and among those
    that are stale. `memory` is None when it is no more.
    """
    old = _marks(account, before.memory, before.standing) if before is not None else set()
    new = _marks(account, memory, standing) if memory is not None else set()
    gone, come = sorted(old - new), sorted(new - old)
    return [*(delete(key) for key in gone), *(put(key, {}) for key in come)]


def stale(table: Table, account: str, limit: int) -> list[str]:
    """The memories that are stale now, the newest, if there are more than `limit`."""
    first = keys.stale(account, "")
    found = table.page(first.pk, prefix=first.sk, newest_first=True, limit=limit)
    return [item["sk"].removeprefix(first.sk) for item in found.items]


def stating(table: Table, account: str, fingerprint: str) -> list[str]:
    """The memories that recall may not show and that state just this."""
    first = keys.unshown(account, fingerprint, "")
    found = table.all(first.pk, prefix=first.sk)
    return [item["sk"].removeprefix(first.sk) for item in found]


def fingerprint_of(memory: Memory) -> str:
    """The fingerprint that all wordings of the statement share."""
    return fingerprints(memory)[-1]


def _marks(account: str, memory: Memory, standing: Standing) -> set[keys.Key]:
    if recallable(memory, standing):
        return set()
    found = {keys.unshown(account, fingerprint_of(memory), memory.id)}
    return found | ({keys.stale(account, memory.id)} if standing.stale_since else set())


def _place(account: str, head: Head) -> keys.Key:
    if head.recallable:
        return keys.vector(account, head.log_change)
    return keys.parked(account, head.memory.id)


def _entry(key: keys.Key, item: dict[str, object]) -> IndexEntry:
    record = vectors.of_item(item if key.sk != "PARKED" else item | {"sk": PARKED_CHANGE})
    if not isinstance(record, IndexEntry) or not record.eligible:
        raise HeadMoved
    return record
