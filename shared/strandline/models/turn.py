"""Turns: the append-only messages of a session, and the notes on them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from strandline.models.base import Time, Value


class Role(StrEnum):
    """The speaker of a turn."""

    USER = "user"
    ASSISTANT = "assistant"


class TurnStatus(StrEnum):
    """The status of a turn.

    A user turn is answering (waits for its answer), answered or unanswered; an assistant turn is
    complete or truncated.
    """

    ANSWERING = "answering"
    ANSWERED = "answered"
    UNANSWERED = "unanswered"
    COMPLETE = "complete"
    TRUNCATED = "truncated"


IMPORTED = "import"
"""The provider of an answer that was imported with a conversation."""


class Turn(Value):
    """One message, exactly as it was said. `version` is incremented when the turn is replaced."""

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
    """A short text that the user attached to a turn."""

    id: str
    turn_id: str
    content: str
    created_at: Time


@dataclass(frozen=True, slots=True)
class TurnWindow:
    """The turns of a session that a prompt may hold.

    Their sequence numbers are above `after`, and they were said at `since` or later.
    """

    after: int = 0
    since: datetime | None = None

    def shows(self, turn: Turn) -> bool:
        """Whether a turn of the session is in the window."""
        in_time = self.since is None or turn.created_at >= self.since
        return turn.sequence_number > self.after and in_time
