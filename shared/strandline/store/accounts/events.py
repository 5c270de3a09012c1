"""The account's event feed."""

from datetime import datetime
from typing import Any

from strandline import keys
from strandline.item_codec import decode, encode
from strandline.models.event import Event, EventType
from strandline.models.memory import Memory
from strandline.queries import Query
from strandline.store.pagination import ListPage, read_page
from strandline.table import Table
from strandline.writes import Write, put_new


def event_write(account: str, event: Event) -> Write:
    """The write that adds an event."""
    return put_new(keys.event(account, event.change), encode(event))


def change_event_write(
    account: str, number: int, kind: EventType, at: datetime, **what: Any
) -> Write:
    """The write that tells of a change with that number."""
    return event_write(account, Event(change=number, type=kind, created_at=at, **what))


def memory_event_write(
    account: str,
    number: int,
    kind: EventType,
    at: datetime,
    memory: Memory,
    changed: tuple[str, ...] = (),
) -> Write:
    """The write that tells what of a memory changed."""
    what = {"memory_id": memory.id, "revision": memory.revision, "changed": changed}
    return change_event_write(account, number, kind, at, **what)


def page(table: Table, account: str, limit: int, after: str | None) -> ListPage[Event]:
    """The feed, oldest first."""
    return read_page(
        table,
        Query(keys.event(account, 0).pk),
        limit=limit,
        after=after,
        keep=lambda item: decode(Event, item),
    )


def with_resume_position(found: ListPage[Event], asked_after: str | None) -> ListPage[Event]:
    """A feed has no last page: where it ends now, a reader goes on later."""
    last = keys.change_part(found.items[-1].change) if found.items else asked_after
    return ListPage(found.items, found.after or last)
