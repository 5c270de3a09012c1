"""Where a memory's index entry is: in the log, or parked while recall may not show it."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from strandline import keys
from strandline.language.statements import statement_fingerprints
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import NEW_STATUS, MemoryStatus, is_recallable
from strandline.queries import Query
from strandline.store.memories import vector_log
from strandline.table import Table
from strandline.writes import Write, delete, put

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


def placement_writes(
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
        writes.append(vector_log.record_write(account, replace(entry, change=number), at))
    else:
        writes.append(
            put(keys.parked_entry(account, entry.memory_id), vector_log.record_to_item(entry))
        )
        if was:
            gone = IndexEntry(number, entry.memory_id, eligible=False)
            writes.append(vector_log.record_write(account, gone, at))
    if before is not None and recallable and not was:
        writes.append(delete(keys.parked_entry(account, entry.memory_id)))
    if not (recallable or was):
        return before.log_change if before else 0, writes
    if before is not None and before.log_change:
        writes.append(vector_log.removal_write(account, before.log_change))
    return number, writes


def lookup_mark_writes(
    account: str, before: Head | None, memory: Memory | None, status: MemoryStatus = NEW_STATUS
) -> list[Write]:
    """The writes that let a memory be found while recall may not show it: nothing else finds it.

    By what it states, for a fact that is held already isn't to be held twice; and among those
    that are stale. `memory` is None when it is no more.
    """
    old = _marks(account, before.memory, before.status) if before is not None else set()
    new = _marks(account, memory, status) if memory is not None else set()
    gone, come = sorted(old - new), sorted(new - old)
    return [*(delete(key) for key in gone), *(put(key, {}) for key in come)]


def list_stale(table: Table, account: str, limit: int) -> list[str]:
    """The memories that are stale now, the newest, if there are more than `limit`."""
    first = keys.stale_memory(account, "")
    found = table.page(Query.of_prefix(first, newest_first=True), limit=limit)
    return [item["sk"].removeprefix(first.sk) for item in found.items]


def find_unrecallable(table: Table, account: str, fingerprint: str) -> list[str]:
    """The memories that recall may not show and that state just this."""
    first = keys.unrecallable_statement(account, fingerprint, "")
    found = table.all(Query.of_prefix(first))
    return [item["sk"].removeprefix(first.sk) for item in found]


def content_fingerprint(memory: Memory) -> str:
    """The fingerprint that all wordings of the statement share."""
    return statement_fingerprints(memory)[-1]


def _marks(account: str, memory: Memory, status: MemoryStatus) -> set[keys.Key]:
    if is_recallable(memory, status):
        return set()
    found = {keys.unrecallable_statement(account, content_fingerprint(memory), memory.id)}
    return found | ({keys.stale_memory(account, memory.id)} if status.stale_since else set())


def _place(account: str, head: Head) -> keys.Key:
    if head.recallable:
        return keys.vector_record(account, head.log_change)
    return keys.parked_entry(account, head.memory.id)


def _entry(key: keys.Key, item: dict[str, object]) -> IndexEntry:
    record = vector_log.record_from_item(
        item if key.sk != "PARKED" else item | {"sk": PARKED_CHANGE}
    )
    if not isinstance(record, IndexEntry) or not record.eligible:
        raise HeadMoved
    return record
