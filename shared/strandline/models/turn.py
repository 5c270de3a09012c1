"""A turn: one message of a session, append-only; and the notes its owner attaches."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from strandline.models.base import Time, Value


class Role(StrEnum):
    """Who spoke."""

    USER = "user"
    ASSISTANT = "assistant"


class TurnStatus(StrEnum):
    """A user turn waits, is answered or stayed unanswered; an assistant turn is whole or cut."""

    ANSWERING = "answering"
    ANSWERED = "answered"
    UNANSWERED = "unanswered"
    COMPLETE = "complete"
    TRUNCATED = "truncated"


IMPORTED = "import"
"""The provider of an answer that came with a conversation from elsewhere."""


class Turn(Value):
    """One message, exactly as it was said; `version` counts up when its transcript is replaced."""

    id: str
    session_id: str
    sequence_number: int
    role: Role
    content: str
    provider: str | None = None
    model: str | None = None
    created_at: Time
    status: TurnStatus
    version: int = 1
    replaced_at: Time | None = None


class Note(Value):
    """A short text its owner attached to a turn."""

    id: str
    turn_id: str
    content: str
    created_at: Time


@dataclass(frozen=True, slots=True)
class TurnWindow:
    """The session's turns a prompt may hold: numbered above `after`, said at `since` or later."""

    after: int = 0
    since: datetime | None = None

    def shows(self, turn: Turn) -> bool:
        """Whether a turn of the session is in the window."""
        in_time = self.since is None or turn.created_at >= self.since
        return turn.sequence_number > self.after and in_time
