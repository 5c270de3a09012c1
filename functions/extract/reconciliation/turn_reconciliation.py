"""Reconciles memories that cite an earlier version of a replaced turn."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from functions.extract.candidates.citations import ASSISTANT_KINDS
from functions.extract.job_input import JobInput
from functions.extract.outcome import Outcome
from functions.extract.reconciliation import reference_refresh
from functions.extract.reconciliation.memory_revisions import with_flag
from strandline.dependencies import Dependencies
from strandline.memories import contradictions, index_placement, staleness
from strandline.memories.transaction import Change, NewRevision, StatusChange, apply_changes
from strandline.models.job import JobState
from strandline.models.memory import Citation, Memory
from strandline.models.memory_head import Head, HeadChanged
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

MemoryChange = NewRevision | StatusChange

CHANGES_PER_TRANSACTION = 8
"""Each change comes with the job that refreshes references to its memory."""


def mark_stale_memories(deps: Dependencies, account: str, job_input: JobInput) -> None:
    """Marks memories stale that cite earlier versions of the exchange's turns.

    The replacement of a turn does that too, but may have been killed before it was done.
    """
    for turn in job_input.turns:
        if turn.version > 1:
            staleness.mark_stale_by_turn(deps.table, account, turn.id, deps.clock())


def reconcile_replaced_turn(
    deps: Dependencies, account: str, job_input: JobInput, outcome: Outcome, *, was_read: bool
) -> Outcome:
    """Changes the memories that cite replaced words and that the new words say nothing of.

    A memory with other evidence gets a revision without the replaced one. A memory without any is
    retracted, if the model read the new words (`was_read`). One that only the user may change
    keeps its text and gets a flag. Returns the outcome with the changed memories in its result.
    Raises HeadChanged.
    """
    at = deps.clock()
    changes = _changes_without_replaced(deps, account, job_input, outcome, was_read=was_read)
    for head, change in changes:
        if _ends_challenge(head, change):
            _retract_challenge(deps, account, head, change, at)
    rest = [change for head, change in changes if not _ends_challenge(head, change)]
    for start in range(0, len(rest), CHANGES_PER_TRANSACTION):
        _apply_with_refresh_jobs(deps, account, rest[start : start + CHANGES_PER_TRANSACTION], at)
    if not changes:
        return outcome
    stored = (*outcome.result.stored, *(head.memory.id for head, _ in changes))
    result = outcome.result.model_copy(update={"stored": tuple(dict.fromkeys(stored))})
    return replace(outcome, state=JobState.STORED, reason=None, result=result)


def _changes_without_replaced(
    deps: Dependencies, account: str, job_input: JobInput, outcome: Outcome, *, was_read: bool
) -> list[tuple[Head, MemoryChange]]:
    """Returns the memories to change, without those that `outcome` revises, and their changes."""
    table = deps.table
    revised = {c.memory.id for c in outcome.changes if isinstance(c, NewRevision)}
    names = sorted(_memories_citing_earlier(table, account, job_input) - revised)
    heads = memory_heads.find_heads(table, account, names)
    versions = {turn.id: turn.version for turn in job_input.turns}
    changes = (
        (head, _change_without_replaced(table, account, head, versions, was_read=was_read))
        for head in heads.values()
    )
    return [(head, change) for head, change in changes if change is not None]


def _memories_citing_earlier(table: Table, account: str, job_input: JobInput) -> set[str]:
    replaced = [turn for turn in job_input.turns if turn.version > 1]
    found = (staleness.find_citing_earlier_version(table, account, turn.id) for turn in replaced)
    return {name for names in found for name in names}


def _change_without_replaced(
    table: Table, account: str, head: Head, versions: dict[str, int], *, was_read: bool
) -> MemoryChange | None:
    """Returns what a memory becomes without its replaced evidence; None if it is that already."""
    memory, status = head.memory, head.status
    fresh = status.model_copy(update={"stale_since": None})
    kept = tuple(each for each in memory.evidence if not _is_replaced(each, versions))
    if is_user_protected(memory, status):
        flagged = with_flag(fresh, Flag.SOURCE_REPLACED)
        return None if flagged == status else _status_change(table, account, head, flagged)
    if not _can_ground(kept, memory):
        if not was_read:
            return None
        retracted = fresh.model_copy(update={"state": State.RETRACTED})
        return None if retracted == status else _status_change(table, account, head, retracted)
    revised = memory.model_copy(update={"revision": memory.revision + 1, "evidence": kept})
    entry = replace(
        index_placement.read_entry(table, account, head), source_turns=source_turns(revised)
    )
    changed = ("evidence", *changed_fields(status, fresh))
    return NewRevision(revised, entry, head, changed, fresh)


def _can_ground(evidence: tuple[Citation, ...], memory: Memory) -> bool:
    """Whether the evidence can ground the memory: the assistant's alone is no fact of the user."""
    if memory.kind in ASSISTANT_KINDS:
        return bool(evidence)
    return any(citation.role is Role.USER for citation in evidence)


def _ends_challenge(head: Head, change: MemoryChange) -> bool:
    """Whether the change retracts a challenge, which then needs no decision by the user."""
    return is_open_challenge(head.memory, head.status) and change.status.state is State.RETRACTED


def _retract_challenge(
    deps: Dependencies, account: str, head: Head, change: MemoryChange, at: datetime
) -> None:
    """Applies the change, and with it those that follow for the challenged memories."""
    others, checks = contradictions.changes_on_expiry(deps.table, account, head)
    try:
        apply_changes(deps.table, account, [change, *others], at, checks)
    except ConditionFailed:
        raise HeadChanged from None


def _status_change(table: Table, account: str, head: Head, status: MemoryStatus) -> StatusChange:
    entry = index_placement.read_entry(table, account, head)
    return StatusChange(head, status, changed_fields(head.status, status), entry)


def _is_replaced(citation: Citation, versions: dict[str, int]) -> bool:
    return citation.turn_version < versions.get(citation.turn_id, 0)


def _apply_with_refresh_jobs(
    deps: Dependencies, account: str, changes: Sequence[Change], at: datetime
) -> None:
    """Applies changes in one transaction with the jobs that refresh references to them."""
    jobs = reference_refresh.refresh_jobs(deps, account, changes, at)
    writes = [
        write for job in jobs for write in reconciliation_jobs.creation_writes(deps, account, job)
    ]
    apply_changes(deps.table, account, changes, at, writes)
    for job in jobs:
        reconciliation_jobs.mark_referring_stale(deps, account, job.memory_id or "", job, at)
