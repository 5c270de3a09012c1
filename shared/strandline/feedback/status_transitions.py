"""How each verdict changes a memory's status. Pure: no I/O."""

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
"""Verdicts about a memory's usefulness. They say nothing about its truth."""


def status_after(
    action: Action, memory: Memory, before: MemoryStatus, at: datetime
) -> MemoryStatus:
    """Returns a memory's status after a verdict, without effects on other memories.

    A confirmed memory is active again if it was retracted, and its flags are cleared. It stays
    stale until it is reconciled with its sources. A corrected memory gets a fresh status, because
    its words are the user's.
    """
    if action is Action.CORRECT:
        return status_after_new_text(before).model_copy(update={"retracts": before.retracts})
    if action in USEFULNESS_BY_ACTION:
        return before.model_copy(update=USEFULNESS_BY_ACTION[action])
    update: dict[str, Any] = {
        "reviewed": _given_review(REVIEW_BY_ACTION[action], memory, before, at)
    }
    if action is Action.CONFIRM:
        update |= {"state": State.ACTIVE, "retracted_by": None, "flags": ()}
    return before.model_copy(update=update)


def _given_review(
    review: Review, memory: Memory, before: MemoryStatus, at: datetime
) -> GivenReview | None:
    if review is Review.UNREVIEWED:
        return None
    current = before.reviewed
    if current and (current.review, current.revision) == (review, memory.revision):
        return current
    return GivenReview(revision=memory.revision, review=review, at=at)
