"""The effect of a verdict: the changes to make, computed before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from strandline.feedback import contradiction_resolution, status_transitions
from strandline.feedback.contradiction_resolution import ContradictionSet, Decision, Resolution
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
from strandline.store.memories import suppressed_statements
from strandline.table import Table
from strandline.writes import Write


@dataclass(frozen=True, slots=True)
class FeedbackEffect:
    """A memory's content and status after a verdict, and the changes and writes that lead there.

    `changes` is empty if the verdict changes nothing. `resolution` is the effect on other
    memories, which `contradictions` holds as they were read. `job` is sent after the transaction.
    """

    memory: Memory
    status: MemoryStatus
    changed: tuple[str, ...] = ()
    changes: Sequence[Change] = ()
    also: Sequence[Write] = ()
    contradictions: ContradictionSet = field(default_factory=ContradictionSet)
    resolution: Resolution = field(default_factory=Resolution)
    job: Job | None = None


def verdict_effect(
    table: Table, account: str, head: Head, action: Action, at: datetime
) -> FeedbackEffect:
    """Returns the effect of any verdict but a correction. Raises HeadChanged."""
    memory = head.memory
    status = status_transitions.status_after(action, memory, head.status, at)
    related, resolution = ContradictionSet(), Resolution(retracts=status.retracts)
    if action in status_transitions.REVIEW_BY_ACTION:
        related = contradictions.read_contradictions(table, account, head)
        status, resolution = _resolve(related, head, status, action)
    others, checks = contradictions.resolution_changes(table, account, related, resolution)
    if status == head.status and not others:
        return FeedbackEffect(memory, status, also=checks)
    names = changed_fields(head.status, status)
    entry_moves = head.recallable != is_recallable(memory, status)
    entry = index_placement.read_entry(table, account, head) if entry_moves else None
    return FeedbackEffect(
        memory=memory,
        status=status,
        changed=names,
        changes=[StatusChange(head, status, names, entry), *others],
        also=[*checks, *_suppression_writes(table, account, head, status, at)],
        contradictions=related,
        resolution=resolution,
    )


def _resolve(
    related: ContradictionSet, head: Head, status: MemoryStatus, action: Action
) -> tuple[MemoryStatus, Resolution]:
    """Returns the memory's status and the effect on the memories that it contradicts.

    Confirming a memory retracts those that contradict it; withdrawing that releases them again.
    A memory whose rejection is withdrawn stays out of force while a contradicting one is in force.
    """
    in_force = is_in_force(head.memory, status)
    retracts: Sequence[Head] = ()
    if action is Action.CONFIRM:
        retracts = contradiction_resolution.contradicting_heads(related, head)
    winner = None
    was_rejected = head.status.review is Review.REJECTED
    if in_force and action is Action.UNREVIEW and was_rejected:
        winner = contradiction_resolution.active_contradiction(related, head)
    if winner is not None:
        by = Reference(memory_id=winner.memory.id, revision=winner.memory.revision)
        status = status.model_copy(update={"state": State.RETRACTED, "retracted_by": by})
    decision = Decision(
        before=head,
        after=(head.memory, status),
        retracts=[each.memory.id for each in retracts],
        releases=() if in_force else head.status.retracts,
        winner=winner.memory.id if winner else None,
    )
    resolution = contradiction_resolution.resolve_contradictions(related, decision)
    return status.model_copy(update={"retracts": resolution.retracts}), resolution


def _suppression_writes(
    table: Table, account: str, head: Head, status: MemoryStatus, at: datetime
) -> list[Write]:
    """Returns the writes that suppress a statement, or withdraw its suppression."""
    was_rejected = head.status.review is Review.REJECTED
    is_rejected = status.review is Review.REJECTED
    if is_rejected and not was_rejected:
        return suppressed_statements.rejection_writes(account, head.memory, at)
    if was_rejected and not is_rejected:
        return suppressed_statements.withdrawal_writes(table, account, head.memory)
    return []
