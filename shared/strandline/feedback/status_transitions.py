"""What each verdict makes of a memory's standing. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline.feedback.verdict import Action
from strandline.models.memory import Memory
from strandline.models.memory_status import (
    GivenReview,
    MemoryStatus,
    Review,
    State,
    status_after_new_text,
)

REVIEW_BY_ACTION: Mapping[Action, Review] = {
    Action.CONFIRM: Review.CONFIRMED,
    Action.REJECT: Review.REJECTED,
    Action.UNREVIEW: Review.UNREVIEWED,
}
USEFULNESS_BY_ACTION: Mapping[Action, dict[str, Any]] = {
    Action.SAVE: {"saved": True},
    Action.UNSAVE: {"saved": False},
    Action.DISMISS: {"dismissed": True},
    Action.UNDISMISS: {"dismissed": False},
}
"""What only says of how much use a memory is."""


def status_after(
    action: Action, memory: Memory, before: MemoryStatus, at: datetime
) -> MemoryStatus:
    """How the memory stands after the verdict, whatever that does to others.

    A confirmed memory stands again if it was retracted, and what was held against it is settled;
    it stays stale until its sources were read again. A corrected one is the user's own and new.
    """
    if action is Action.CORRECT:
        return status_after_new_text(before).model_copy(update={"retracts": before.retracts})
    if action in USEFULNESS_BY_ACTION:
        return before.model_copy(update=USEFULNESS_BY_ACTION[action])
    update: dict[str, Any] = {"reviewed": _reviewed(REVIEW_BY_ACTION[action], memory, before, at)}
    if action is Action.CONFIRM:
        update |= {"state": State.ACTIVE, "retracted_by": None, "flags": ()}
    return before.model_copy(update=update)


def _reviewed(
    review: Review, memory: Memory, before: MemoryStatus, at: datetime
) -> GivenReview | None:
    if review is Review.UNREVIEWED:
        return None
    known = before.reviewed
    if known and (known.review, known.revision) == (review, memory.revision):
        return known
    return GivenReview(revision=memory.revision, review=review, at=at)
