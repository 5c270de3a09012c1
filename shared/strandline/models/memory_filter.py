"""Filters of memory lists. By default a list shows current, undisputed memories. Pure."""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Literal

from strandline.models.memory import Author, Kind, Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import Freshness, Review, State

AnyValue = Literal["any"]


class YesNo(StrEnum):
    """A condition that must hold, must not hold, or doesn't matter."""

    YES = "true"
    NO = "false"
    ANY = "any"

    def matches(self, value: bool) -> bool:
        """Whether the value meets the condition."""
        return self is YesNo.ANY or value is (self is YesNo.YES)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """The conditions that a memory must meet to be in a list.

    The defaults select memories that are current, active, not rejected and not dismissed.
    `source` is the id of a session or a turn that the memory cites. `since` and `until` select
    the memories with a source turn recorded at or after `since` and before `until`.
    """

    kind: Kind | None = None
    label: str | None = None
    source: str | None = None
    actor: Author | None = None
    review: Review | AnyValue | None = None
    saved: YesNo = YesNo.ANY
    dismissed: YesNo = YesNo.NO
    state: State | AnyValue = State.ACTIVE
    freshness: Freshness | AnyValue = Freshness.CURRENT
    since: datetime | None = None
    until: datetime | None = None

    def cursor_values(self) -> tuple[object, ...]:
        """Returns all conditions in a fixed order, for a cursor to be bound to."""
        return tuple(getattr(self, each.name) for each in fields(self))

    def matches(self, head: Head) -> bool:
        """Whether a memory meets all conditions."""
        return self._matches_content(head.memory) and self._matches_status(head)

    def _matches_content(self, memory: Memory) -> bool:
        return (
            self.kind in (None, memory.kind)
            and (self.label is None or self.label in memory.labels)
            and self.actor in (None, memory.author)
            and (self.source is None or _cites(memory, self.source))
            and ((self.since is None and self.until is None) or self._recorded_in_range(memory))
        )

    def _matches_status(self, head: Head) -> bool:
        status = head.status
        review_matches = status.review is not Review.REJECTED
        if self.review is not None:
            review_matches = self.review in ("any", status.review)
        return (
            review_matches
            and self.state in ("any", status.state)
            and self.freshness in ("any", status.freshness)
            and self.saved.matches(status.saved)
            and self.dismissed.matches(status.dismissed)
        )

    def _recorded_in_range(self, memory: Memory) -> bool:
        """Whether one of its source turns was said between `since` and `until`."""
        said = [each.said_at for each in memory.evidence]
        said += [each.said_at for each in memory.inherited]
        return any(
            (self.since is None or at >= self.since) and (self.until is None or at < self.until)
            for at in said
        )


def _cites(memory: Memory, source: str) -> bool:
    """Whether a memory cites a turn or a session. A turn's id contains its session's id."""
    turns = [citation.turn_id for citation in memory.evidence]
    if source.startswith("trn_"):
        return source in turns
    prefix = f"trn_{source.removeprefix('ses_')}_"
    return source.startswith("ses_") and any(turn_id.startswith(prefix) for turn_id in turns)
