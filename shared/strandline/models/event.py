"""The event feed: the changes of an account's memories, with consecutive change numbers."""

from enum import StrEnum

from strandline.models.base import Time, Value


class EventType(StrEnum):
    """What kind of change an event reports."""

    CREATED = "memory.created"
    UPDATED = "memory.updated"
    DELETED = "memory.deleted"
    SESSION_DELETED = "session.deleted"


class Event(Value):
    """One change of a memory: its revision and the names of the changed fields, never text.

    The deletion of a session is one event of its own, before those of its memories, so that a
    client that caches memories by session can drop them at once.
    """

    change: int
    type: EventType
    memory_id: str | None = None
    revision: int | None = None
    session_id: str | None = None
    changed: tuple[str, ...] = ()
    created_at: Time
