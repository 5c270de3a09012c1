"""Time as the product sees it: aware UTC, read through one function that tests replace."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present, aware, in UTC."""
    return datetime.now(UTC)


def microseconds(at: datetime) -> int:
    """Whole microseconds since the epoch: as exact as a datetime is."""
    return (at - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Deadline:
    """The monotonic second by which a piece of work must have ended."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """A deadline `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - time.monotonic())

    def earlier(self, seconds: float) -> "Deadline":
        """This deadline moved `seconds` forward, to keep time for what comes after."""
        return Deadline(self.at - seconds)
