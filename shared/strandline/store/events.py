"""The account's event feed."""

from datetime import datetime
from typing import Any

from strandline import keys
from strandline.models.event import Event, EventType
from strandline.models.memory import Memory
from strandline.store.lists import Slice, read_slice
from strandline.table import Table, Write, decode, encode, put_new


def publishing(account: str, event: Event) -> Write:
    """The write that adds an event."""
    return put_new(keys.event(account, event.change), encode(event))


def telling(account: str, number: int, kind: EventType, at: datetime, **what: Any) -> Write:
    """The write that tells of a change with that number."""
    return publishing(account, Event(change=number, type=kind, created_at=at, **what))


def telling_of(
    account: str,
    number: int,
    kind: EventType,
    at: datetime,
    memory: Memory,
    changed: tuple[str, ...] = (),
) -> Write:
    """The write that tells what of a memory changed."""
    what = {"memory_id": memory.id, "revision": memory.revision, "changed": changed}
    return telling(account, number, kind, at, **what)


def page(table: Table, account: str, limit: int, after: str | None) -> Slice[Event]:
    """The feed, oldest first."""
    return read_slice(
        table,
        keys.event(account, 0).pk,
        limit=limit,
        after=after,
        newest_first=False,
        keep=lambda item: decode(Event, item),
    )


def resumable(found: Slice[Event], asked_after: str | None) -> Slice[Event]:
    """A feed has no last page: where it ends now, a reader goes on later."""
    last = keys.change_part(found.items[-1].change) if found.items else asked_after
    return Slice(found.items, found.after or last)
