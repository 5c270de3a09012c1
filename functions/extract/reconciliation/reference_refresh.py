"""Refreshes the references to memories that have changed; calls no model."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from strandline.dependencies import Dependencies
from strandline.errors import StorageBusy
from strandline.feedback.correction import contradicts
from strandline.language.statements import compatible, same_fact, statement_of
from strandline.memories import (
    contradictions,
    derivation_walk,
    derived_memories,
    index_placement,
    staleness,
)
from strandline.memories.transaction import Change, NewRevision, StatusChange, apply_changes
from strandline.models.job import Job
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import Flag, State, changed_fields, is_open_challenge
from strandline.store.memories import memory_heads
from strandline.table import ConditionFailed, Table
from strandline.use_cases import reconciliation_jobs
from strandline.writes import Write

CONTENT_FIELDS = ("kind", "title", "text", "subject", "topic")
"""Fields whose change makes references to a memory stale."""

_ATTEMPTS = 10


def refresh_jobs(
    deps: Dependencies, account: str, changes: Iterable[Change], at: datetime
) -> list[Job]:
    """Returns a job for each changed memory that others reference.

    Only changes of a memory's content, state or freshness need one.
    """
    revised = [change for change in changes if isinstance(change, NewRevision | StatusChange)]
    names = [each.before.memory.id for each in revised if each.before and _affects_referrers(each)]
    referenced = [
        name for name in names if derivation_walk.find_referring(deps.table, account, [name])
    ]
    return [reconciliation_jobs.memory_job(name, at) for name in referenced]


def refresh_references(deps: Dependencies, account: str, memory_id: str, at: datetime) -> list[str]:
    """Refreshes the memories that reference a memory, directly or indirectly; returns their ids.

    Skips a memory that cites a replaced turn, which waits for that turn's reconciliation job.
    Raises StorageBusy when a memory changes too fast.
    """
    table = deps.table
    referring = derivation_walk.find_referring(table, account, [memory_id])
    staleness.mark_stale(table, account, referring, at)
    refreshed: list[str] = []
    pending = _stale_referrers(table, account, referring)
    while pending:
        # In a cycle of references any memory may go first.
        ready = (
            name for name, head in pending.items() if not _referenced_ids(head) & pending.keys()
        )
        name = next(ready, next(iter(pending)))
        del pending[name]
        if _refresh_one(table, account, name, at):
            refreshed.append(name)
    return refreshed


def _affects_referrers(change: NewRevision | StatusChange) -> bool:
    before = change.before
    if before is None:
        return False
    if isinstance(change, NewRevision) and _content(change.memory) != _content(before.memory):
        return True
    was, now = before.status, change.status
    return (was.state, was.stale_since) != (now.state, now.stale_since)


def _content(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, name) for name in CONTENT_FIELDS)


def _stale_referrers(table: Table, account: str, names: Iterable[str]) -> dict[str, Head]:
    """Returns the stale heads among those memories and what references them transitively."""
    found: dict[str, Head] = {}
    wave = set(names)
    while wave:
        heads = memory_heads.find_heads(table, account, sorted(wave))
        stale = {n: head for n, head in heads.items() if head.status.stale_since is not None}
        found |= stale
        wave = derivation_walk.find_referring(table, account, stale) - found.keys()
    return found


def _referenced_ids(head: Head) -> set[str]:
    return {reference.memory_id for reference in head.memory.references} - {head.memory.id}


def _refresh_one(table: Table, account: str, memory_id: str, at: datetime) -> bool:
    """Refreshes one memory; returns whether it did. Raises StorageBusy."""
    for _ in range(_ATTEMPTS):
        head = memory_heads.find(table, account, memory_id)
        if not isinstance(head, Head) or head.status.withheld_since is not None:
            return False
        if head.status.stale_since is None or _awaits_turn_reconciliation(table, account, head):
            return False
        found = memory_heads.find_many(table, account, _referenced_ids(head))
        try:
            changes, checks = _refresh_changes(
                table, account, head, memory_heads.readable_heads(found)
            )
            apply_changes(table, account, changes, at, checks)
            return True
        except (HeadChanged, ConditionFailed):
            continue
    raise StorageBusy


def _awaits_turn_reconciliation(table: Table, account: str, head: Head) -> bool:
    """Whether it cites a replaced turn whose reconciliation job hasn't ended.

    A memory flagged SOURCE_REPLACED was reconciled: it cites the replaced words for good.
    """
    if Flag.SOURCE_REPLACED in head.status.flags:
        return False
    memory = head.memory
    cited = {citation.turn_id for citation in memory.evidence}
    return any(
        memory.id in staleness.find_citing_earlier_version(table, account, each) for each in cited
    )


def _refresh_changes(
    table: Table, account: str, head: Head, targets: Mapping[str, Head]
) -> tuple[Sequence[Change], Sequence[Write]]:
    """Returns the changes that refresh a memory, and the checks that go with them.

    `targets` are the heads it references, by id. A challenge is retracted when the challenged
    memory now states the same fact. Raises HeadChanged.
    """
    challenged = _open_challenge_target(head, targets)
    if challenged is None or not _state_same_fact(head.memory, challenged):
        return [_with_current_references(table, account, head, targets)], ()
    update = {"state": State.RETRACTED, "stale_since": None}
    status = head.status.model_copy(update=update)
    entry = index_placement.read_entry(table, account, head)
    retraction = StatusChange(head, status, changed_fields(head.status, status), entry)
    others, checks = contradictions.changes_on_expiry(table, account, head)
    return [retraction, *others], checks


def _open_challenge_target(head: Head, targets: Mapping[str, Head]) -> Memory | None:
    """Returns the current revision of the memory it challenges, if the challenge is open."""
    pinned = head.memory.challenges
    if pinned is None or not is_open_challenge(head.memory, head.status):
        return None
    return targets[pinned.memory_id].memory if pinned.memory_id in targets else None


def _state_same_fact(a: Memory, b: Memory) -> bool:
    return compatible(a.kind, b.kind) and same_fact(statement_of(a), statement_of(b))


def _with_current_references(
    table: Table, account: str, head: Head, targets: Mapping[str, Head]
) -> Change:
    """Returns the change that references the current revisions; the text stays."""
    memory = head.memory
    current = {name: other.memory for name, other in targets.items()}
    own = tuple(each for each in memory.references if each.memory_id == memory.id)
    revised = derived_memories.with_current_references(memory, current)
    references = (*own, *revised.references)
    status = head.status.model_copy(update={"stale_since": None})
    entry = index_placement.read_entry(table, account, head)
    if references == memory.references:
        return StatusChange(head, status, ("freshness",), entry)
    update: dict[str, object] = {
        "references": references,
        "inherited": inherited_turns(memory.evidence, [memory, *current.values()]),
    }
    challenged = _open_challenge_target(head, targets)
    if challenged is not None and contradicts(memory, challenged):
        # It was stated before the user changed that text, but contradicts the new text as well.
        update["challenges"] = Reference(memory_id=challenged.id, revision=challenged.revision)
    revised = revised.model_copy(update=update)
    return NewRevision(revised, entry, head, ("references", "freshness"), status)
