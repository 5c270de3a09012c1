"""What becomes of memories that rest on what a turn said before it was replaced."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from functions.extract.candidates.verification import OF_THE_ASSISTANT
from functions.extract.pipeline import ExchangeInput, Outcome
from functions.extract.reconciliation import reference_refresh
from strandline.dependencies import Dependencies
from strandline.memories import contradictions, index_placement, staleness
from strandline.memories.transaction import Change, NewRevision, StatusChange, apply_changes
from strandline.models.job import JobState
from strandline.models.memory import Citation, Memory
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import (
    Flag,
    MemoryStatus,
    State,
    changed_fields,
    is_open_challenge,
    is_user_protected,
)
from strandline.models.turn import Role
from strandline.recall.index_entries import source_turns
from strandline.store.memories import memory_heads
from strandline.table import ConditionFailed, Table
from strandline.use_cases import reconciliation_jobs

TOGETHER = 8
"""Memories changed in one transaction, each with the job for what refers to it."""


def mark_stale_memories(deps: Dependencies, account: str, material: ExchangeInput) -> None:
    """Mark stale what rests on earlier words, should the replacement have ended before it did."""
    for turn in material.turns:
        if turn.version > 1:
            staleness.mark_stale_by_turn(deps.table, account, turn.id, deps.clock())


def reconcile_replaced_turn(
    deps: Dependencies,
    account: str,
    material: ExchangeInput,
    outcome: Outcome,
    *,
    was_read: bool,
) -> Outcome:
    """Settle what the new words say nothing of; the outcome with that in its result.

    Other evidence supports it still: a revision without what was replaced. Nothing does: it is
    retracted, if the new words were read at all. Its words are the user's: they stay, with a flag.
    Raises HeadMoved.
    """
    table, at = deps.table, deps.clock()
    revised = {c.memory.id for c in outcome.changes if isinstance(c, NewRevision)}
    names = sorted(_citing_earlier(table, account, material) - revised)
    heads = memory_heads.readable_heads(memory_heads.find_many(table, account, names))
    versions = {turn.id: turn.version for turn in material.turns}
    left = {
        name: _left(table, account, head, versions, was_read=was_read)
        for name, head in heads.items()
    }
    changes = {name: change for name, change in left.items() if change is not None}
    for over in (name for name, change in changes.items() if _is_over(heads[name], change)):
        _withdraw(deps, account, heads[over], changes[over], at)
    rest = [change for name, change in changes.items() if not _is_over(heads[name], change)]
    for start in range(0, len(rest), TOGETHER):
        _publish(deps, account, rest[start : start + TOGETHER], at)
    if not changes:
        return outcome
    stored = (*outcome.result.stored, *changes)
    result = outcome.result.model_copy(update={"stored": tuple(dict.fromkeys(stored))})
    return replace(outcome, state=JobState.STORED, reason=None, result=result)


def _citing_earlier(table: Table, account: str, material: ExchangeInput) -> set[str]:
    replaced = [turn for turn in material.turns if turn.version > 1]
    found = (
        staleness.memories_citing_earlier_version(table, account, turn.id) for turn in replaced
    )
    return {name for names in found for name in names}


def _left(
    table: Table, account: str, head: Head, versions: dict[str, int], *, was_read: bool
) -> NewRevision | StatusChange | None:
    """What a memory becomes without the words that were replaced; None when that is done."""
    memory, status = head.memory, head.status
    fresh = status.model_copy(update={"stale_since": None})
    kept = tuple(each for each in memory.evidence if not _is_replaced(each, versions))
    if is_user_protected(memory, status):
        flagged = _with_flag(fresh)
        return None if flagged == status else _restood(table, account, head, flagged)
    if not _supported(memory, kept):
        if not was_read:
            return None
        retracted = fresh.model_copy(update={"state": State.RETRACTED})
        return None if retracted == status else _restood(table, account, head, retracted)
    made = memory.model_copy(update={"revision": memory.revision + 1, "evidence": kept})
    entry = replace(index_placement.entry_of(table, account, head), source_turns=source_turns(made))
    return NewRevision(made, entry, head, ("evidence", *changed_fields(status, fresh)), fresh)


def _supported(memory: Memory, kept: tuple[Citation, ...]) -> bool:
    """Whether that can ground it: the assistant's words alone are no fact about the user."""
    if memory.kind in OF_THE_ASSISTANT:
        return bool(kept)
    return any(citation.role is Role.USER for citation in kept)


def _is_over(head: Head, change: NewRevision | StatusChange) -> bool:
    """Whether it challenged something that needn't be decided on any more."""
    return is_open_challenge(head.memory, head.status) and change.status.state is State.RETRACTED


def _withdraw(
    deps: Dependencies,
    account: str,
    head: Head,
    change: NewRevision | StatusChange,
    at: datetime,
) -> None:
    others, checks = contradictions.changes_on_expiry(deps.table, account, head)
    try:
        apply_changes(deps.table, account, [change, *others], at, checks)
    except ConditionFailed:
        raise HeadMoved from None


def _restood(table: Table, account: str, head: Head, status: MemoryStatus) -> StatusChange:
    entry = index_placement.entry_of(table, account, head)
    return StatusChange(head, status, changed_fields(head.status, status), entry)


def _with_flag(status: MemoryStatus) -> MemoryStatus:
    if Flag.SOURCE_REPLACED in status.flags:
        return status
    return status.model_copy(update={"flags": (*status.flags, Flag.SOURCE_REPLACED)})


def _is_replaced(citation: Citation, versions: dict[str, int]) -> bool:
    return citation.turn_version < versions.get(citation.turn_id, 0)


def _publish(deps: Dependencies, account: str, changes: Sequence[Change], at: datetime) -> None:
    jobs = reference_refresh.refresh_jobs(deps, account, changes, at)
    also = [
        write for job in jobs for write in reconciliation_jobs.creation_writes(deps, account, job)
    ]
    apply_changes(deps.table, account, changes, at, also)
    for job in jobs:
        reconciliation_jobs.mark_referring_stale(deps, account, job.memory_id or "", job, at)
