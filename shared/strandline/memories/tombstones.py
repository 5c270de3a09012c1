"""How a memory ends: removed, expired, or forgotten after it had expired."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from strandline import keys
from strandline.item_codec import encode
from strandline.memories import index_placement
from strandline.models.event import EventType
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Citation
from strandline.models.memory_head import Head, Tombstone
from strandline.store.accounts import events
from strandline.store.memories import head_writes, vector_log
from strandline.store.memories.memory_heads import deleted_statement_item, expiry_tombstone
from strandline.writes import Write, delete, put


@dataclass(frozen=True, slots=True)
class Removal:
    """A memory's end.

    With `forget`, what stays (fingerprints, and the `places` it ever came from, never words)
    keeps the statement from being learned again.
    """

    head: Head
    forget: bool
    places: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Expiry:
    """The end of a memory that the account's retention removes; `expired_at` is when it was due.

    `places` are those it ever came from. Nobody deleted it, so its statement isn't forgotten.
    """

    head: Head
    expired_at: datetime
    places: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpiredDeletion:
    """The deletion of what has expired before: from then on its statement is forgotten."""

    remains: Tombstone


def end_writes(
    account: str, change: Removal | Expiry | ExpiredDeletion, number: int, at: datetime
) -> list[Write]:
    """The writes of an end; what is in the memory's history goes with them or after them."""
    if isinstance(change, Removal):
        return _removal(account, change, number, at)
    if isinstance(change, Expiry):
        return _expiry(account, change, number, at)
    return _forgetting(account, change.remains, number, at)


def _removal(account: str, change: Removal, number: int, at: datetime) -> list[Write]:
    memory = change.head.memory
    tombstone = Tombstone(
        id=memory.id,
        revision=memory.revision,
        log_change=number,
        deleted_at=at,
        evidence=change.places,
    )
    return [
        *_leaving(account, change.head, tombstone, at),
        events.memory_event_write(account, number, EventType.DELETED, at, memory),
        *_not_again(account, memory.fingerprints if change.forget else (), at),
    ]


def _expiry(account: str, change: Expiry, number: int, at: datetime) -> list[Write]:
    kept = expiry_tombstone(change.head, change.expired_at, change.places)
    tombstone = kept.model_copy(update={"log_change": number})
    changed = ("availability",)
    return [
        *_leaving(account, change.head, tombstone, at),
        # Nobody deleted it: what is told is that it can't be read any more.
        events.memory_event_write(
            account, number, EventType.UPDATED, at, change.head.memory, changed
        ),
    ]


def _forgetting(account: str, stone: Tombstone, number: int, at: datetime) -> list[Write]:
    deleted = stone.model_copy(update={"deleted_at": at, "fingerprints": None})
    what = {"memory_id": stone.id, "revision": stone.revision}
    still_expired = "attribute_exists(fingerprints) AND attribute_exists(deleted_at)"
    replacing = put(keys.memory(account, stone.id), encode(deleted), condition=still_expired)
    return [
        replacing,
        events.change_event_write(account, number, EventType.DELETED, at, **what),
        *_not_again(account, stone.fingerprints or (), at),
    ]


def _leaving(account: str, head: Head, tombstone: Tombstone, at: datetime) -> list[Write]:
    """What takes a memory out of everything but its history."""
    memory_id, number = tombstone.id, tombstone.log_change
    writes = [
        head_writes.put_head(account, head, memory_id, encode(tombstone)),
        vector_log.record_write(account, IndexEntry(number, memory_id, eligible=False), at),
        delete(keys.parked_entry(account, memory_id)),
        *index_placement.lookup_mark_writes(account, head, None),
        delete(keys.memory_usage(account, memory_id)),
    ]
    if head.log_change:
        writes.append(vector_log.removal_write(account, head.log_change))
    return writes


def _not_again(account: str, fingerprints: Iterable[str], at: datetime) -> list[Write]:
    prints = dict.fromkeys(fingerprints)
    return [
        put(keys.deleted_statement(account, each), deleted_statement_item(at)) for each in prints
    ]
