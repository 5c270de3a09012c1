"""How a memory ends: removed, expired, or forgotten after it had expired."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from strandline import keys
from strandline.models.event import EventType
from strandline.models.memory import Citation
from strandline.recall.entry import IndexEntry
from strandline.store import events, heads, indexing, vectors
from strandline.store.memories import Head, Tombstone, forgotten_item, remains
from strandline.table import Write, delete, encode, put


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
class Forgetting:
    """The deletion of what has expired before: from then on its statement is forgotten."""

    remains: Tombstone


def ending(
    account: str, change: Removal | Expiry | Forgetting, number: int, at: datetime
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
        events.telling_of(account, number, EventType.DELETED, at, memory),
        *_not_again(account, memory.fingerprints if change.forget else (), at),
    ]


def _expiry(account: str, change: Expiry, number: int, at: datetime) -> list[Write]:
    kept = remains(change.head, change.expired_at, change.places)
    tombstone = kept.model_copy(update={"log_change": number})
    changed = ("availability",)
    return [
        *_leaving(account, change.head, tombstone, at),
        # Nobody deleted it: what is told is that it can't be read any more.
        events.telling_of(account, number, EventType.UPDATED, at, change.head.memory, changed),
    ]


def _forgetting(account: str, stone: Tombstone, number: int, at: datetime) -> list[Write]:
    deleted = stone.model_copy(update={"deleted_at": at, "fingerprints": None})
    what = {"memory_id": stone.id, "revision": stone.revision}
    still_expired = "attribute_exists(fingerprints) AND attribute_exists(deleted_at)"
    replacing = put(keys.memory(account, stone.id), encode(deleted), condition=still_expired)
    return [
        replacing,
        events.telling(account, number, EventType.DELETED, at, **what),
        *_not_again(account, stone.fingerprints or (), at),
    ]


def _leaving(account: str, head: Head, tombstone: Tombstone, at: datetime) -> list[Write]:
    """What takes a memory out of everything but its history."""
    memory_id, number = tombstone.id, tombstone.log_change
    writes = [
        heads.putting(account, head, memory_id, encode(tombstone)),
        vectors.publishing(account, IndexEntry(number, memory_id, eligible=False), at),
        delete(keys.parked(account, memory_id)),
        *indexing.marking(account, head, None),
        delete(keys.use(account, memory_id)),
    ]
    if head.log_change:
        writes.append(vectors.removing(account, head.log_change))
    return writes


def _not_again(account: str, fingerprints: Iterable[str], at: datetime) -> list[Write]:
    prints = dict.fromkeys(fingerprints)
    return [put(keys.forgotten(account, each), forgotten_item(at)) for each in prints]
