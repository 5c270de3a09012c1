"""Tombstones: the writes that remove, expire or delete a memory."""

from dataclasses import dataclass
from datetime import datetime

from strandline import keys
from strandline.item_codec import encode
from strandline.memories import index_placement
from strandline.models.event import Event, EventType
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Citation
from strandline.models.memory_head import Head, Tombstone
from strandline.store.accounts import events
from strandline.store.memories import memory_heads, vector_log
from strandline.store.memories.suppressed_statements import deletion_writes
from strandline.writes import Write, delete, put


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of a memory.

    With `suppress`, its statement is not learned again: fingerprints and the `citations` of all
    its revisions are kept, never words.
    """

    head: Head
    suppress: bool
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Expiry:
    """The removal of a memory by the account's retention; `expired_at` is when it was due.

    `citations` are those of all its revisions. The user didn't delete the memory, so its
    statement isn't suppressed.
    """

    head: Head
    expired_at: datetime
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpiredDeletion:
    """The deletion of an expired memory by the user: its statement is suppressed from then on."""

    tombstone: Tombstone


def tombstone_writes(
    account: str, change: Removal | Expiry | ExpiredDeletion, number: int, at: datetime
) -> list[Write]:
    """Returns the writes that replace a head by a tombstone, with change number `number`.

    The caller removes the memory's revisions with them or later.
    """
    if isinstance(change, Removal):
        return _removal_writes(account, change, number, at)
    if isinstance(change, Expiry):
        return _expiry_writes(account, change, number, at)
    return _expired_deletion_writes(account, change.tombstone, number, at)


def _removal_writes(account: str, change: Removal, number: int, at: datetime) -> list[Write]:
    memory = change.head.memory
    tombstone = Tombstone(
        id=memory.id,
        revision=memory.revision,
        log_change=number,
        deleted_at=at,
        evidence=change.citations,
    )
    return [
        *_head_removal_writes(account, change.head, tombstone, at),
        events.event_write(account, events.memory_event(number, EventType.DELETED, at, memory)),
        *deletion_writes(account, memory.fingerprints if change.suppress else (), at),
    ]


def _expiry_writes(account: str, change: Expiry, number: int, at: datetime) -> list[Write]:
    kept = memory_heads.expiry_tombstone(change.head, change.expired_at, change.citations)
    tombstone = kept.model_copy(update={"log_change": number})
    # The user didn't delete it: the event says that it can't be read any more.
    event = events.memory_event(
        number, EventType.UPDATED, at, change.head.memory, ("availability",)
    )
    return [
        *_head_removal_writes(account, change.head, tombstone, at),
        events.event_write(account, event),
    ]


def _expired_deletion_writes(
    account: str, tombstone: Tombstone, number: int, at: datetime
) -> list[Write]:
    deleted = tombstone.model_copy(update={"deleted_at": at, "fingerprints": None})
    event = Event(
        change=number,
        type=EventType.DELETED,
        created_at=at,
        memory_id=tombstone.id,
        revision=tombstone.revision,
    )
    still_expired = "attribute_exists(fingerprints) AND attribute_exists(deleted_at)"
    replacement = put(keys.memory(account, tombstone.id), encode(deleted), condition=still_expired)
    return [
        replacement,
        events.event_write(account, event),
        *deletion_writes(account, tombstone.fingerprints or (), at),
    ]


def _head_removal_writes(
    account: str, head: Head, tombstone: Tombstone, at: datetime
) -> list[Write]:
    """Returns the writes that remove everything of a memory but its revisions."""
    memory_id, number = tombstone.id, tombstone.log_change
    writes = [
        memory_heads.put_head_write(account, head, memory_id, encode(tombstone)),
        vector_log.record_write(account, IndexEntry(number, memory_id, eligible=False), at),
        delete(keys.parked_entry(account, memory_id)),
        *index_placement.lookup_marker_writes(account, head, None),
        delete(keys.memory_usage(account, memory_id)),
    ]
    if head.log_change:
        writes.append(vector_log.removal_write(account, head.log_change))
    return writes
