"""What is thought of a memory, beside its words: verdicts, and whether its sources still hold."""

from enum import StrEnum

from strandline.models.base import Time, Value
from strandline.models.memory import Author, Kind, Memory, Reference
from strandline.models.turn import Role


class Review(StrEnum):
    """The user's judgment of one revision."""

    UNREVIEWED = "unreviewed"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


class State(StrEnum):
    """Whether the interpretation stands."""

    ACTIVE = "active"
    RETRACTED = "retracted"


class Maturity(StrEnum):
    """Whether the user's own words or judgment settle it, or it is the model's reading alone."""

    PROVISIONAL = "provisional"
    SETTLED = "settled"


class Freshness(StrEnum):
    """Whether it is what its sources say now, or waits to be reconciled with them."""

    CURRENT = "current"
    STALE = "stale"


class Flag(StrEnum):
    """What a model may say against words that only the user may change."""

    CHALLENGED = "challenged"
    SOURCE_REPLACED = "source_replaced"


class GivenReview(Value):
    """A judgment, and the revision it was given on."""

    revision: int
    review: Review
    at: Time


class MemoryStatus(Value):
    """How a memory stands now.

    `reviewed` is the judgment that holds for the current revision: one given on it, or on an
    earlier one of the very same words. `stale_since` is set while a source it rests on has
    changed and it wasn't brought up to date yet. `withheld_since` is set while something it
    derives from was deleted and it wasn't rebuilt from what is left: it reads as deleted then.
    `retracted_by` is the memory whose confirmation retracted it, `retracts` the other way round
    the ids of those that stand again when the user thinks otherwise of this one.
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
        """The judgment of the current revision."""
        return self.reviewed.review if self.reviewed else Review.UNREVIEWED

    @property
    def freshness(self) -> Freshness:
        """Whether its sources have changed since."""
        return Freshness.CURRENT if self.stale_since is None else Freshness.STALE


VISIBLE_FIELDS = ("review", "saved", "dismissed", "state", "flags", "freshness")
"""What a reader sees of it, by the names that events tell."""

NEW_STATUS = MemoryStatus()
"""How a memory stands that was just learned."""


def is_recallable(memory: Memory, status: MemoryStatus) -> bool:
    """Whether recall may show it.

    Not what is stale, retracted, rejected, dismissed or withheld; nor what challenges words of
    the user's until the user has taken it up.
    """
    return (
        is_in_force(memory, status)
        and not status.dismissed
        and status.stale_since is None
        and status.withheld_since is None
    )


def is_in_force(memory: Memory, status: MemoryStatus) -> bool:
    """Whether its statement stands: neither retracted nor rejected nor an unresolved challenge."""
    if status.state is State.RETRACTED or status.review is Review.REJECTED:
        return False
    return memory.challenges is None or is_user_protected(memory, status)


def is_open_challenge(memory: Memory, status: MemoryStatus) -> bool:
    """Whether it challenges words of the user's and waits for the user to decide."""
    if status.state is State.RETRACTED or status.review is Review.REJECTED:
        return False
    return memory.challenges is not None and not is_user_protected(memory, status)


def is_user_protected(memory: Memory, status: MemoryStatus) -> bool:
    """Whether only the user may change its words: the user wrote or confirmed them."""
    return memory.author is Author.USER or status.review is Review.CONFIRMED


def maturity(memory: Memory, status: MemoryStatus) -> Maturity:
    """Settled: what the user wrote or confirmed, or said and is more than a question or a plan."""
    if is_user_protected(memory, status):
        return Maturity.SETTLED
    said = any(citation.role is Role.USER for citation in memory.evidence)
    open_ = memory.kind in (Kind.PROPOSAL, Kind.QUESTION) or memory.challenges is not None
    return Maturity.SETTLED if said and not open_ else Maturity.PROVISIONAL


def status_after_new_text(status: MemoryStatus) -> MemoryStatus:
    """How a memory stands once its words are others: what was judged were the old ones."""
    return MemoryStatus(saved=status.saved, dismissed=status.dismissed)


def changed_fields(before: MemoryStatus, now: MemoryStatus) -> tuple[str, ...]:
    """The names of what changed; a judgment given anew on a later revision is a change."""
    again = {"review"} if before.reviewed != now.reviewed else set()
    different = {name for name in VISIBLE_FIELDS if getattr(before, name) != getattr(now, name)}
    return tuple(name for name in VISIBLE_FIELDS if name in different | again)
