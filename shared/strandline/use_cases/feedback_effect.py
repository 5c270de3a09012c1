"""What a verdict comes to, before it is published."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from strandline.feedback import contradiction_resolution, status_transitions
from strandline.feedback.contradiction_resolution import ContradictionSet, Resolution
from strandline.feedback.verdict import Action
from strandline.memories import contradictions, index_placement
from strandline.memories.transaction import Change, StatusChange
from strandline.models.job import Job
from strandline.models.memory import Memory, Reference
from strandline.models.memory_head import Head
from strandline.models.memory_status import (
    MemoryStatus,
    Review,
    State,
    changed_fields,
    is_in_force,
    is_recallable,
)
from strandline.store.memories import rejections
from strandline.table import Table
from strandline.writes import Write


@dataclass(frozen=True, slots=True)
class FeedbackEffect:
    """How the memory stands then, the changes that make it so and what goes with them.

    Without changes it stands so already. `job` is to be sent once all is published.
    """

    memory: Memory
    status: MemoryStatus
    changed: tuple[str, ...] = ()
    changes: Sequence[Change] = ()
    also: Sequence[Write] = ()
    near: ContradictionSet = field(default_factory=ContradictionSet)
    settled: Resolution = field(default_factory=Resolution)
    job: Job | None = None


def verdict_effect(
    table: Table, account: str, head: Head, action: Action, at: datetime
) -> FeedbackEffect:
    """The effect of any verdict but a correction. Raises HeadMoved."""
    memory = head.memory
    status = status_transitions.status_after(action, memory, head.status, at)
    near, settled = ContradictionSet(), Resolution(retracts=status.retracts)
    if action in status_transitions.REVIEW_BY_ACTION:
        near = contradictions.read_contradictions(table, account, head)
        status, settled = _settled(near, head, status, action)
    others, checks = contradictions.resolution_changes(table, account, near, settled)
    if status == head.status and not others:
        return FeedbackEffect(memory, status, also=checks)
    names = changed_fields(head.status, status)
    moves = head.recallable != is_recallable(memory, status)
    entry = index_placement.entry_of(table, account, head) if moves else None
    return FeedbackEffect(
        memory=memory,
        status=status,
        changed=names,
        changes=[StatusChange(head, status, names, entry), *others],
        also=[*checks, *_learnable(table, account, head, status, at)],
        near=near,
        settled=settled,
    )


def _settled(
    near: ContradictionSet, head: Head, status: MemoryStatus, action: Action
) -> tuple[MemoryStatus, Resolution]:
    """Who confirms one of two has decided; who takes that back leaves the other standing.

    What is merely no longer rejected doesn't come to stand beside what stands against it.
    """
    stands = is_in_force(head.memory, status)
    taking = (
        contradiction_resolution.contradicting_heads(near, head) if action is Action.CONFIRM else ()
    )
    again = stands and action is Action.UNREVIEW and head.status.review is Review.REJECTED
    winner = contradiction_resolution.active_contradiction(near, head) if again else None
    if winner is not None:
        by = Reference(memory_id=winner.memory.id, revision=winner.memory.revision)
        status = status.model_copy(update={"state": State.RETRACTED, "retracted_by": by})
    settled = contradiction_resolution.resolve_contradictions(
        near,
        head,
        (head.memory, status),
        taking=[rival.memory.id for rival in taking],
        freeing=() if stands else head.status.retracts,
        winner=winner.memory.id if winner else None,
    )
    return status.model_copy(update={"retracts": settled.retracts}), settled


def _learnable(
    table: Table, account: str, head: Head, status: MemoryStatus, at: datetime
) -> list[Write]:
    """What keeps a rejected statement from being learned again, or no longer does."""
    was, now = (each.review is Review.REJECTED for each in (head.status, status))
    if now and not was:
        return rejections.rejection_writes(account, head.memory, at)
    return rejections.withdrawal_writes(table, account, head.memory) if was and not now else []
