"""What happened to an account's memories, in order."""

from enum import StrEnum

from strandline.models.base import Time, Value


class EventType(StrEnum):
    """What happened."""

    CREATED = "memory.created"
    UPDATED = "memory.updated"
    DELETED = "memory.deleted"


class Event(Value):
    """One change of one memory: its revision and the names of what changed, never text."""

    change: int
    type: EventType
    memory_id: str
    revision: int
    changed: tuple[str, ...]
    created_at: Time
