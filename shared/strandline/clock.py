"""Time: aware UTC datetimes from a clock that tests replace, and deadlines."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Returns the current time as an aware datetime in UTC."""


def utc_now() -> datetime:
    """Returns the current time as an aware datetime in UTC."""
    return datetime.now(UTC)


def microseconds(at: datetime) -> int:
    """Returns the whole microseconds since 1970, without rounding errors."""
    return (at - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time by which a piece of work must end; `at` is in seconds of `time.monotonic`."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """Returns a deadline that many seconds from now."""
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Returns the seconds left, at least 0."""
        return max(0.0, self.at - time.monotonic())

    def earlier(self, seconds: float) -> "Deadline":
        """Returns a deadline `seconds` before this one, to reserve time for later steps."""
        return Deadline(self.at - seconds)
