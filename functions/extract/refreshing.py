"""Bringing up to date what refers to memories that have changed; no model is asked."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from strandline import reconciliation
from strandline.errors import StorageBusy
from strandline.lineage import inherited
from strandline.models.job import Job
from strandline.models.memory import Memory, Reference
from strandline.models.standing import Flag, State, changed, unresolved
from strandline.runtime import Runtime
from strandline.statements.statement import compatible, same_fact, statement_of
from strandline.store import contests, derived, indexing, memories, staleness
from strandline.store.memories import Head, HeadMoved
from strandline.store.publish import Change, NewRevision, Restanding, publish
from strandline.table import ConditionFailed, Table, Write
from strandline.verdicts.correcting import contradicts

WORDS = ("kind", "title", "text", "subject", "topic")
_ATTEMPTS = 10


def following(runtime: Runtime, account: str, changes: Iterable[Change], at: datetime) -> list[Job]:
    """The jobs for what refers to memories that these changes give other words or standing."""
    revised = [change for change in changes if isinstance(change, NewRevision | Restanding)]
    names = [each.before.memory.id for each in revised if each.before and _matters(each)]
    referred = [name for name in names if derived.referring_now(runtime.table, account, [name])]
    return [reconciliation.of_memory(name, at) for name in referred]


def refresh(runtime: Runtime, account: str, memory_id: str, at: datetime) -> list[str]:
    """Bring up to date what refers to a memory, and what refers to that; which memories those are.

    What rests on other things that changed, too, waits for the job that reads those again.
    """
    table = runtime.table
    referring = derived.referring_now(table, account, [memory_id])
    derived.mark_stale(table, account, referring, at)
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


def _matters(change: NewRevision | Restanding) -> bool:
    before = change.before
    if before is None:
        return False
    if isinstance(change, NewRevision) and _words(change.memory) != _words(before.memory):
        return True
    was, now = before.standing, change.standing
    return (was.state, was.stale_since) != (now.state, now.stale_since)


def _words(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, name) for name in WORDS)


def _stale_from(table: Table, account: str, names: Iterable[str]) -> dict[str, Head]:
    """The stale ones among those memories and what refers to them, however far."""
    found: dict[str, Head] = {}
    wave = set(names)
    while wave:
        heads = memories.live(memories.find_many(table, account, sorted(wave)))
        stale = {n: head for n, head in heads.items() if head.standing.stale_since is not None}
        found |= stale
        wave = derived.referring_now(table, account, stale) - found.keys()
    return found


def _targets(head: Head) -> set[str]:
    return {reference.memory_id for reference in head.memory.references} - {head.memory.id}


def _refresh_one(table: Table, account: str, memory_id: str, at: datetime) -> bool:
    for _ in range(_ATTEMPTS):
        head = memories.find(table, account, memory_id)
        if not isinstance(head, Head) or head.standing.withheld_since is not None:
            return False
        if head.standing.stale_since is None or _awaits_reading(table, account, head):
            return False
        there = memories.live(memories.find_many(table, account, _targets(head)))
        try:
            changes, checks = _brought_up(table, account, head, there)
            publish(table, account, changes, at, checks)
            return True
        except (HeadMoved, ConditionFailed):
            continue
    raise StorageBusy


def _awaits_reading(table: Table, account: str, head: Head) -> bool:
    """Whether a turn that it cites itself was replaced, and the job that reads it is to come.

    One that is flagged was settled with that: it cites the replaced words for good.
    """
    if Flag.SOURCE_REPLACED in head.standing.flags:
        return False
    memory = head.memory
    cited = {citation.turn_id for citation in memory.evidence}
    return any(memory.id in staleness.citing_earlier(table, account, each) for each in cited)


def _brought_up(
    table: Table, account: str, head: Head, there: Mapping[str, Head]
) -> tuple[Sequence[Change], Sequence[Write]]:
    """Fresh; but a challenge is over once what it challenged says the same. Raises HeadMoved."""
    target = _challenged(head, there)
    if target is None or not _agree(head.memory, target):
        return [_fresh(table, account, head, there)], ()
    update = {"state": State.RETRACTED, "stale_since": None}
    standing = head.standing.model_copy(update=update)
    entry = indexing.entry_of(table, account, head)
    over = Restanding(head, standing, changed(head.standing, standing), entry)
    others, checks = contests.withdrawn(table, account, head)
    return [over, *others], checks


def _challenged(head: Head, there: Mapping[str, Head]) -> Memory | None:
    """What it still challenges, as that is now."""
    pinned = head.memory.challenges
    if pinned is None or not unresolved(head.memory, head.standing):
        return None
    return there[pinned.memory_id].memory if pinned.memory_id in there else None


def _agree(a: Memory, b: Memory) -> bool:
    return compatible(a.kind, b.kind) and same_fact(statement_of(a), statement_of(b))


def _fresh(table: Table, account: str, head: Head, there: Mapping[str, Head]) -> Change:
    """The same words, referring to what they referred to as it is now."""
    memory = head.memory
    targets = {name: other.memory for name, other in there.items()}
    own = tuple(each for each in memory.references if each.memory_id == memory.id)
    made = derived.repinned_to(memory, targets)
    references = (*own, *made.references)
    standing = head.standing.model_copy(update={"stale_since": None})
    entry = indexing.entry_of(table, account, head)
    if references == memory.references:
        return Restanding(head, standing, ("freshness",), entry)
    update: dict[str, object] = {
        "references": references,
        "inherited": inherited(memory.evidence, [memory, *targets.values()]),
    }
    target = _challenged(head, there)
    if target is not None and contradicts(memory, target):
        # It was said before the user changed those words, but it is denied by these as well.
        update["challenges"] = Reference(memory_id=target.id, revision=target.revision)
    made = made.model_copy(update=update)
    return NewRevision(made, entry, head, ("references", "freshness"), standing)
