"""The account's event feed."""

from collections.abc import Sequence
from datetime import datetime

from strandline import keys
from strandline.item_codec import decode, encode
from strandline.models.event import Event, EventType
from strandline.models.memory import Memory
from strandline.queries import Query
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import Table
from strandline.writes import Write, put_new


def event_write(account: str, event: Event) -> Write:
    """Returns the write that adds an event to the feed."""
    return put_new(keys.event(account, event.change), encode(event))


def memory_event(
    number: int, kind: EventType, at: datetime, memory: Memory, changed: Sequence[str] = ()
) -> Event:
    """Returns the event of a memory's change; `changed` names the fields that differ."""
    return Event(
        change=number,
        type=kind,
        created_at=at,
        memory_id=memory.id,
        revision=memory.revision,
        changed=tuple(changed),
    )


def page(table: Table, account: str, request: PageRequest) -> ListPage[Event]:
    """Returns a page of the feed, oldest first."""
    query = Query(keys.event(account, 0).pk)
    return read_page(table, query, request, lambda item: decode(Event, item))


def with_resume_position(found: ListPage[Event], requested_after: str | None) -> ListPage[Event]:
    """Returns the page with a position to continue after, even if it is the last one.

    The feed grows, so that a reader continues later where the feed ends now.
    """
    last = keys.change_part(found.items[-1].change) if found.items else requested_after
    return ListPage(found.items, found.after or last)
