"""Bringing up to date what refers to memories that have changed; no model is asked."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from strandline.dependencies import Dependencies
from strandline.errors import StorageBusy
from strandline.feedback.correction import contradicts
from strandline.language.statements import compatible, same_fact, statement_of
from strandline.memories import contradictions, derivation, index_placement, staleness
from strandline.memories.transaction import Change, NewRevision, StatusChange, apply_changes
from strandline.models.job import Job
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import Flag, State, changed_fields, is_open_challenge
from strandline.store.memories import memory_heads
from strandline.table import ConditionFailed, Table
from strandline.use_cases import reconciliation_jobs
from strandline.writes import Write

WORDS = ("kind", "title", "text", "subject", "topic")
_ATTEMPTS = 10


def refresh_jobs(
    deps: Dependencies, account: str, changes: Iterable[Change], at: datetime
) -> list[Job]:
    """The jobs for what refers to memories that these changes give other words or standing."""
    revised = [change for change in changes if isinstance(change, NewRevision | StatusChange)]
    names = [each.before.memory.id for each in revised if each.before and _matters(each)]
    referred = [
        name for name in names if derivation.currently_referring(deps.table, account, [name])
    ]
    return [reconciliation_jobs.memory_job(name, at) for name in referred]


def refresh_references(deps: Dependencies, account: str, memory_id: str, at: datetime) -> list[str]:
    """Bring up to date what refers to a memory, and what refers to that; which memories those are.

    What rests on other things that changed, too, waits for the job that reads those again.
    """
    table = deps.table
    referring = derivation.currently_referring(table, account, [memory_id])
    derivation.mark_stale(table, account, referring, at)
    done: list[str] = []
    pending = _stale_from(table, account, referring)
    while pending:
        # Of a circle, any may go first.
        ready = (name for name, head in pending.items() if not _targets(head) & pending.keys())
        name = next(ready, next(iter(pending)))
        del pending[name]
        if _refresh_one(table, account, name, at):
            done.append(name)
    return done


def _matters(change: NewRevision | StatusChange) -> bool:
    before = change.before
    if before is None:
        return False
    if isinstance(change, NewRevision) and _words(change.memory) != _words(before.memory):
        return True
    was, now = before.status, change.status
    return (was.state, was.stale_since) != (now.state, now.stale_since)


def _words(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, name) for name in WORDS)


def _stale_from(table: Table, account: str, names: Iterable[str]) -> dict[str, Head]:
    """The stale ones among those memories and what refers to them, however far."""
    found: dict[str, Head] = {}
    wave = set(names)
    while wave:
        heads = memory_heads.readable_heads(memory_heads.find_many(table, account, sorted(wave)))
        stale = {n: head for n, head in heads.items() if head.status.stale_since is not None}
        found |= stale
        wave = derivation.currently_referring(table, account, stale) - found.keys()
    return found


def _targets(head: Head) -> set[str]:
    return {reference.memory_id for reference in head.memory.references} - {head.memory.id}


def _refresh_one(table: Table, account: str, memory_id: str, at: datetime) -> bool:
    for _ in range(_ATTEMPTS):
        head = memory_heads.find(table, account, memory_id)
        if not isinstance(head, Head) or head.status.withheld_since is not None:
            return False
        if head.status.stale_since is None or _awaits_reading(table, account, head):
            return False
        there = memory_heads.readable_heads(memory_heads.find_many(table, account, _targets(head)))
        try:
            changes, checks = _brought_up(table, account, head, there)
            apply_changes(table, account, changes, at, checks)
            return True
        except (HeadMoved, ConditionFailed):
            continue
    raise StorageBusy


def _awaits_reading(table: Table, account: str, head: Head) -> bool:
    """Whether a turn that it cites itself was replaced, and the job that reads it is to come.

    One that is flagged was settled with that: it cites the replaced words for good.
    """
    if Flag.SOURCE_REPLACED in head.status.flags:
        return False
    memory = head.memory
    cited = {citation.turn_id for citation in memory.evidence}
    return any(
        memory.id in staleness.memories_citing_earlier_version(table, account, each)
        for each in cited
    )


def _brought_up(
    table: Table, account: str, head: Head, there: Mapping[str, Head]
) -> tuple[Sequence[Change], Sequence[Write]]:
    """Fresh; but a challenge is over once what it challenged says the same. Raises HeadMoved."""
    target = _challenged(head, there)
    if target is None or not _agree(head.memory, target):
        return [_fresh(table, account, head, there)], ()
    update = {"state": State.RETRACTED, "stale_since": None}
    status = head.status.model_copy(update=update)
    entry = index_placement.entry_of(table, account, head)
    over = StatusChange(head, status, changed_fields(head.status, status), entry)
    others, checks = contradictions.changes_on_expiry(table, account, head)
    return [over, *others], checks


def _challenged(head: Head, there: Mapping[str, Head]) -> Memory | None:
    """What it still challenges, as that is now."""
    pinned = head.memory.challenges
    if pinned is None or not is_open_challenge(head.memory, head.status):
        return None
    return there[pinned.memory_id].memory if pinned.memory_id in there else None


def _agree(a: Memory, b: Memory) -> bool:
    return compatible(a.kind, b.kind) and same_fact(statement_of(a), statement_of(b))


def _fresh(table: Table, account: str, head: Head, there: Mapping[str, Head]) -> Change:
    """The same words, referring to what they referred to as it is now."""
    memory = head.memory
    targets = {name: other.memory for name, other in there.items()}
    own = tuple(each for each in memory.references if each.memory_id == memory.id)
    made = derivation.with_current_references(memory, targets)
    references = (*own, *made.references)
    status = head.status.model_copy(update={"stale_since": None})
    entry = index_placement.entry_of(table, account, head)
    if references == memory.references:
        return StatusChange(head, status, ("freshness",), entry)
    update: dict[str, object] = {
        "references": references,
        "inherited": inherited_turns(memory.evidence, [memory, *targets.values()]),
    }
    target = _challenged(head, there)
    if target is not None and contradicts(memory, target):
        # It was said before the user changed those words, but it is denied by these as well.
        update["challenges"] = Reference(memory_id=target.id, revision=target.revision)
    made = made.model_copy(update=update)
    return NewRevision(made, entry, head, ("references", "freshness"), status)
