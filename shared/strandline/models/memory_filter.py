"""Which memories a list shows: what is current and undisputed, unless something else is asked for.

Pure.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Literal

from strandline.models.memory import Author, Kind, Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import Freshness, Review, State

AnyValue = Literal["any"]


class YesNo(StrEnum):
    """A condition that holds, doesn't, or isn't asked about."""

    YES = "true"
    NO = "false"
    ANY = "any"

    def takes(self, value: bool) -> bool:
        """Whether the value is asked for."""
        return self is YesNo.ANY or value is (self is YesNo.YES)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a list is asked for.

    A dimension that isn't named has its default: fresh, active, not rejected, not dismissed.
    `source` is the id of a session or a turn that the memory cites. `since` and `until` take the
    memories of which anything was really recorded at or after the one and before the other.
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

    def named(self) -> tuple[object, ...]:
        """All that is asked for, as a cursor is bound to it."""
        return tuple(getattr(self, each.name) for each in fields(self))

    def takes(self, head: Head) -> bool:
        """Whether the memory is asked for."""
        return self._takes_words(head.memory) and self._takes_standing(head)

    def _takes_words(self, memory: Memory) -> bool:
        return (
            self.kind in (None, memory.kind)
            and (self.label is None or self.label in memory.labels)
            and self.actor in (None, memory.author)
            and (self.source is None or _cites(memory, self.source))
            and ((self.since is None and self.until is None) or self._recorded(memory))
        )

    def _takes_standing(self, head: Head) -> bool:
        status = head.status
        judged = status.review is not Review.REJECTED
        if self.review is not None:
            judged = self.review in ("any", status.review)
        return (
            judged
            and self.state in ("any", status.state)
            and self.freshness in ("any", status.freshness)
            and self.saved.takes(status.saved)
            and self.dismissed.takes(status.dismissed)
        )

    def _recorded(self, memory: Memory) -> bool:
        """Each turn counts on its own: what lies between two of them was never recorded."""
        said = [each.said_at for each in memory.evidence]
        said += [each.said_at for each in memory.inherited]
        return any(
            (self.since is None or at >= self.since) and (self.until is None or at < self.until)
            for at in said
        )


def _cites(memory: Memory, source: str) -> bool:
    """A turn's id holds that of its session."""
    turns = [citation.turn_id for citation in memory.evidence]
    if source.startswith("trn_"):
        return source in turns
    prefix = f"trn_{source.removeprefix('ses_')}_"
    return source.startswith("ses_") and any(turn_id.startswith(prefix) for turn_id in turns)
