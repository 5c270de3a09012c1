"""The status of a memory: the user's review, its state and its freshness."""

from enum import StrEnum

from strandline.models.base import Time, Value
from strandline.models.memory import Author, Kind, Memory, Reference
from strandline.models.turn import Role


class Review(StrEnum):
    """The user's review of a revision."""

    UNREVIEWED = "unreviewed"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


class State(StrEnum):
    """Whether a memory's statement is active or was retracted."""

    ACTIVE = "active"
    RETRACTED = "retracted"


class Maturity(StrEnum):
    """Settled by the user's own words or review, or provisional: the model's reading alone."""

    PROVISIONAL = "provisional"
    SETTLED = "settled"


class Freshness(StrEnum):
    """Current, or stale: a source has changed and the memory is not reconciled with it yet."""

    CURRENT = "current"
    STALE = "stale"


class Flag(StrEnum):
    """A warning on a memory that only the user may change."""

    CHALLENGED = "challenged"
    SOURCE_REPLACED = "source_replaced"


class GivenReview(Value):
    """A review, and the revision that it was given on."""

    revision: int
    review: Review
    at: Time


class MemoryStatus(Value):
    """The current status of a memory.

    `reviewed` is the review of the current revision: one given on it, or on an earlier revision
    with the very same words. `stale_since` is set while a source has changed and the memory is
    not updated yet. `withheld_since` is set while something that the memory derives from was
    deleted and the memory is not rebuilt yet: it reads as deleted then. `retracted_by` is the
    memory whose confirmation retracted this one. `retracts` are the ids of the memories that
    this one retracted: they become active again if the user takes the confirmation back.
    """

    reviewed: GivenReview | None = None
    saved: bool = False
    dismissed: bool = False
    state: State = State.ACTIVE
    retracted_by: Reference | None = None
    retracts: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    stale_since: Time | None = None
    withheld_since: Time | None = None

    @property
    def review(self) -> Review:
        """The review of the current revision."""
        return self.reviewed.review if self.reviewed else Review.UNREVIEWED

    @property
    def freshness(self) -> Freshness:
        """Whether the memory is up to date with its sources."""
        return Freshness.CURRENT if self.stale_since is None else Freshness.STALE


VISIBLE_FIELDS = ("review", "saved", "dismissed", "state", "flags", "freshness")
"""The parts of a status that clients see, by the names that events use."""

NEW_STATUS = MemoryStatus()
"""The status of a memory that was just learned."""


def is_recallable(memory: Memory, status: MemoryStatus) -> bool:
    """Whether recall may show a memory.

    It may not if the memory is stale, retracted, rejected, dismissed or withheld, or if it
    challenges a protected memory and the user hasn't confirmed the challenge.
    """
    return (
        is_in_force(memory, status)
        and not status.dismissed
        and status.stale_since is None
        and status.withheld_since is None
    )


def is_in_force(memory: Memory, status: MemoryStatus) -> bool:
    """Whether a memory's statement is in force: not retracted, not rejected, no open challenge."""
    if status.state is State.RETRACTED or status.review is Review.REJECTED:
        return False
    return memory.challenges is None or is_user_protected(memory, status)


def is_open_challenge(memory: Memory, status: MemoryStatus) -> bool:
    """Whether a memory challenges a protected one and the user hasn't decided yet."""
    if status.state is State.RETRACTED or status.review is Review.REJECTED:
        return False
    return memory.challenges is not None and not is_user_protected(memory, status)


def is_user_protected(memory: Memory, status: MemoryStatus) -> bool:
    """Whether only the user may change a memory's words: the user wrote or confirmed them."""
    return memory.author is Author.USER or status.review is Review.CONFIRMED


def maturity(memory: Memory, status: MemoryStatus) -> Maturity:
    """Returns the maturity of a memory.

    Settled is what the user wrote or confirmed, and what the user said, unless it is a question,
    a proposal or a challenge.
    """
    if is_user_protected(memory, status):
        return Maturity.SETTLED
    said = any(citation.role is Role.USER for citation in memory.evidence)
    open_ = memory.kind in (Kind.PROPOSAL, Kind.QUESTION) or memory.challenges is not None
    return Maturity.SETTLED if said and not open_ else Maturity.PROVISIONAL


def status_after_new_text(status: MemoryStatus) -> MemoryStatus:
    """Returns the status of a memory whose words have changed: the review was of the old words."""
    return MemoryStatus(saved=status.saved, dismissed=status.dismissed)


def changed_fields(before: MemoryStatus, now: MemoryStatus) -> tuple[str, ...]:
    """Returns the names of the visible fields that changed.

    A review that is repeated on a later revision counts as a change.
    """
    reviewed_again = {"review"} if before.reviewed != now.reviewed else set()
    different = {name for name in VISIBLE_FIELDS if getattr(before, name) != getattr(now, name)}
    return tuple(name for name in VISIBLE_FIELDS if name in different | reviewed_again)
