"""Where an index entry is stored: in the vector log, or parked while not recallable."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from strandline import keys
from strandline.language.statements import statement_fingerprints
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import NEW_STATUS, MemoryStatus, is_recallable
from strandline.queries import Query
from strandline.store.memories import vector_log
from strandline.table import Table
from strandline.writes import Write, delete, put

PARKED_CHANGE = 0


def read_entries(table: Table, account: str, heads: Iterable[Head]) -> dict[str, IndexEntry]:
    """Returns the heads' index entries, by memory id.

    Raises HeadChanged when a head has changed since it was read.
    """
    ids_by_key = {_entry_key(account, head): head.memory.id for head in heads}
    found = table.get_many(ids_by_key)
    if found.keys() != ids_by_key.keys():
        raise HeadChanged
    return {ids_by_key[key]: _entry_from_item(key, item) for key, item in found.items()}


def read_entry(table: Table, account: str, head: Head) -> IndexEntry:
    """Returns a head's index entry. Raises HeadChanged when it has changed since it was read."""
    return read_entries(table, account, [head])[head.memory.id]


@dataclass(frozen=True, slots=True)
class EntryPlacement:
    """An index entry to place: the head before the change, and whether recall may show it after.

    `entry` is None if neither the entry nor its place changes.
    """

    before: Head | None
    entry: IndexEntry | None
    recallable: bool


def placement_writes(
    account: str, placement: EntryPlacement, number: int, at: datetime
) -> tuple[int, list[Write]]:
    """Returns the change number of the entry's log record, and the writes that place the entry.

    `number` is the change number of the change. Raises ValueError for an entry that is needed
    and not given.
    """
    before, entry, recallable = placement.before, placement.entry, placement.recallable
    was_recallable = before is not None and before.recallable
    if entry is None:
        if before is None or was_recallable != recallable:
            raise ValueError("an entry that moves must be given")
        return before.log_change, []
    writes: list[Write] = []
    if recallable:
        writes.append(vector_log.record_write(account, replace(entry, change=number), at))
    else:
        writes.append(
            put(keys.parked_entry(account, entry.memory_id), vector_log.record_to_item(entry))
        )
        if was_recallable:
            marker = IndexEntry(number, entry.memory_id, eligible=False)
            writes.append(vector_log.record_write(account, marker, at))
    if before is not None and recallable and not was_recallable:
        writes.append(delete(keys.parked_entry(account, entry.memory_id)))
    if not (recallable or was_recallable):
        return before.log_change if before else 0, writes
    if before is not None and before.log_change:
        writes.append(vector_log.removal_write(account, before.log_change))
    return number, writes


def lookup_marker_writes(
    account: str, before: Head | None, memory: Memory | None, status: MemoryStatus = NEW_STATUS
) -> list[Write]:
    """Returns the writes of the markers by which a memory is found while it isn't recallable.

    One marker is its statement's fingerprint, so that extraction doesn't store a known fact
    twice. The other lists it among the stale memories. `memory` is None for a removed memory.
    """
    old = _markers(account, before.memory, before.status) if before is not None else set()
    new = _markers(account, memory, status) if memory is not None else set()
    return [
        *(delete(key) for key in sorted(old - new)),
        *(put(key, {}) for key in sorted(new - old)),
    ]


def list_stale(table: Table, account: str, limit: int) -> list[str]:
    """Returns the ids of the stale memories, at most `limit`, the newest first."""
    first = keys.stale_memory(account, "")
    found = table.page(Query.of_prefix(first, newest_first=True), limit=limit)
    return [item["sk"].removeprefix(first.sk) for item in found.items]


def find_unrecallable(table: Table, account: str, fingerprint: str) -> list[str]:
    """Returns the ids of the memories with a fingerprint that aren't recallable."""
    first = keys.unrecallable_statement(account, fingerprint, "")
    found = table.all(Query.of_prefix(first))
    return [item["sk"].removeprefix(first.sk) for item in found]


def content_fingerprint(memory: Memory) -> str:
    """Returns the fingerprint that all wordings of a memory's statement share."""
    return statement_fingerprints(memory)[-1]


def _markers(account: str, memory: Memory, status: MemoryStatus) -> set[keys.Key]:
    if is_recallable(memory, status):
        return set()
    found = {keys.unrecallable_statement(account, content_fingerprint(memory), memory.id)}
    return found | ({keys.stale_memory(account, memory.id)} if status.stale_since else set())


def _entry_key(account: str, head: Head) -> keys.Key:
    if head.recallable:
        return keys.vector_record(account, head.log_change)
    return keys.parked_entry(account, head.memory.id)


def _entry_from_item(key: keys.Key, item: dict[str, object]) -> IndexEntry:
    record = vector_log.record_from_item(
        item if key.sk != "PARKED" else item | {"sk": PARKED_CHANGE}
    )
    if not isinstance(record, IndexEntry) or not record.eligible:
        raise HeadChanged
    return record
