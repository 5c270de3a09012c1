"""What happened to an account's memories, in order, without gaps in the change numbers."""

from enum import StrEnum

from strandline.models.base import Time, Value


class EventType(StrEnum):
    """What happened."""

    CREATED = "memory.created"
    UPDATED = "memory.updated"
    DELETED = "memory.deleted"
    SESSION_DELETED = "session.deleted"


class Event(Value):
    """One change of one memory: its revision and the names of what changed, never text.

    A deleted session is told once, before the memories that go with it: whoever caches memories
    by session can drop them at once.
    """

    change: int
    type: EventType
    memory_id: str | None = None
    revision: int | None = None
    session_id: str | None = None
    changed: tuple[str, ...] = ()
    created_at: Time
