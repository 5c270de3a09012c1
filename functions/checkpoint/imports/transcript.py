"""A conversation as it was read from any of the import formats."""

from dataclasses import dataclass
from datetime import datetime

from strandline.models.base import Value
from strandline.models.turn import Role


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message of a conversation; its time and the model that wrote it where they are known."""

    role: Role
    content: str
    at: datetime | None = None
    model: str | None = None


class Skipped(Value):
    """A part of a conversation that becomes no turn, and why."""

    reason: str
    role: str | None = None
    content: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation's messages in order, what was skipped of it, and its title if it has one."""

    messages: tuple[ImportedMessage, ...]
    skipped: tuple[Skipped, ...] = ()
    title: str | None = None
