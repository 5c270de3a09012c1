"""What derives from a memory: found over its incoming references, hidden, rebuilt, made stale.

A revision derives from the revisions it refers to, and from what those refer to. The walks read
one small mark per reference and never follow a mark twice, so cycles end.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.memories import contradictions, history_removal, index_placement
from strandline.memories.tombstones import Removal
from strandline.memories.transaction import Change, NewRevision, StatusChange, apply_changes
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import MemoryStatus
from strandline.store.memories import incoming_references, memory_heads
from strandline.table import Table

CHANGED_TOGETHER = 12
"""A transaction takes a hundred writes; one of these needs up to seven."""
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class DerivedRevisions:
    """Revisions by memory, and the marks they were found by: each needs only those before it."""

    revisions: Mapping[str, frozenset[int]]
    marks: tuple[keys.Key, ...] = ()


def find_derived(table: Table, account: str, roots: Mapping[str, int | None]) -> DerivedRevisions:
    """Every revision that derives from a root: a whole memory, or its revisions below a number.

    A memory that goes with them since it has no evidence of its own is a root as well.
    """
    walk = _Walk(table, account, dict(roots))
    todo = sorted(roots)
    while todo:
        walk.from_(todo)
        todo = sorted(walk.doomed())
        walk.roots |= dict.fromkeys(todo)
    revisions = {name: frozenset(numbers) for name, numbers in walk.found.items()}
    return DerivedRevisions(revisions, tuple(walk.used))


@dataclass(slots=True)
class _Walk:
    """A walk over incoming references, and what it has found so far."""

    table: Table
    account: str
    roots: dict[str, int | None]
    found: dict[str, set[int]] = field(default_factory=dict)
    used: dict[keys.Key, None] = field(default_factory=dict)
    marks: dict[str, list[incoming_references.IncomingReference]] = field(default_factory=dict)

    def from_(self, targets: Iterable[str]) -> None:
        """Follow what refers to these, and what refers to that."""
        todo = list(targets)
        while todo:
            target = todo.pop()
            if target not in self.marks:
                self.marks[target] = list(
                    incoming_references.list_incoming(self.table, self.account, target)
                )
            todo += [mark.source for mark in self.marks[target] if self._is_new(target, mark)]

    def doomed(self) -> set[str]:
        """Found memories, not yet roots, whose current words are drawn from others alone."""
        names = self.found.keys() - self.roots.keys()
        heads = memory_heads.find_many(self.table, self.account, names)
        return {
            name
            for name, head in heads.items()
            if not isinstance(head, Head)
            or (head.memory.revision in self.found[name] and not head.memory.evidence)
        }

    def _is_new(self, target: str, mark: incoming_references.IncomingReference) -> bool:
        through = any(
            _is_root(self.roots, target, number) or number in self.found.get(target, ())
            for number in mark.targets
        )
        if not through or _is_root(self.roots, mark.source, mark.revision):
            return False
        self.used[keys.incoming_reference(self.account, target, mark.source, mark.revision)] = None
        numbers = self.found.setdefault(mark.source, set())
        if mark.revision in numbers:
            return False
        numbers.add(mark.revision)
        return True


def _is_root(roots: Mapping[str, int | None], memory_id: str, revision: int) -> bool:
    if memory_id not in roots:
        return False
    below = roots[memory_id]
    return below is None or revision < below


def withhold_derived(table: Table, account: str, derived: DerivedRevisions, at: datetime) -> None:
    """Let those memories read as deleted whose current revision is among `derived`."""

    def withheld(head: Head) -> MemoryStatus | None:
        if head.status.withheld_since or not _derives(head, derived):
            return None
        return head.status.model_copy(update={"withheld_since": at})

    _restand(table, account, derived.revisions, withheld, "availability", at)


def rebuild_derived(table: Table, account: str, derived: DerivedRevisions, at: datetime) -> None:
    """Make withheld memories anew from what is left to them, those first that others rest on.

    Each gets a revision with its own evidence, which its words were verified against, and with
    references only to what is there; without evidence of its own it is removed. The revisions in
    `derived` go.
    """
    pending = memory_heads.find_many(table, account, derived.revisions)
    waiting = {
        name: head
        for name, head in pending.items()
        if isinstance(head, Head) and head.status.withheld_since is not None
    }
    while waiting:
        # Of a cycle, any may go first: it loses the reference that closes it.
        name = next((n for n, h in waiting.items() if not _targets(h) & waiting.keys()), None)
        name = name or next(iter(waiting))
        del waiting[name]
        _rebuild_one(table, account, name, at)
    for name, revisions in derived.revisions.items():
        _drop_history(table, account, name, revisions, derived.marks)
    # Last, and the first found last: whatever is left after a kill finds all that was not done.
    table.delete_many(reversed(derived.marks))


def mark_stale(table: Table, account: str, memory_ids: Iterable[str], at: datetime) -> list[str]:
    """Mark these memories stale, and every one whose current revision refers to one of them.

    Which ones were marked by this call.
    """
    marked: list[str] = []
    wave = set(memory_ids)
    seen: set[str] = set()

    def stale(head: Head) -> MemoryStatus | None:
        if head.status.stale_since is not None:
            return None
        return head.status.model_copy(update={"stale_since": at})

    while wave:
        marked += _restand(table, account, wave, stale, "freshness", at)
        seen |= wave
        wave = currently_referring(table, account, wave) - seen
    return marked


def currently_referring(table: Table, account: str, targets: Iterable[str]) -> set[str]:
    """The other memories whose current revision refers to any revision of these."""
    found: set[str] = set()
    for target in targets:
        marks = {
            (mark.source, mark.revision)
            for mark in incoming_references.list_incoming(table, account, target)
            if mark.source != target
        }
        heads = memory_heads.readable_heads(
            memory_heads.find_many(table, account, {name for name, _ in marks})
        )
        found |= {name for name, head in heads.items() if (name, head.memory.revision) in marks}
    return found


def _restand(
    table: Table,
    account: str,
    names: Iterable[str],
    how: Callable[[Head], MemoryStatus | None],
    changed: str,
    at: datetime,
) -> list[str]:
    """Give those memories another standing, some at a time; which ones it was new to."""
    done: list[str] = []
    todo = sorted(names)
    for start in range(0, len(todo), CHANGED_TOGETHER):
        done += _restand_some(
            table, account, todo[start : start + CHANGED_TOGETHER], how, changed, at
        )
    return done


def _restand_some(
    table: Table,
    account: str,
    names: Sequence[str],
    how: Callable[[Head], MemoryStatus | None],
    changed: str,
    at: datetime,
) -> list[str]:
    for _ in range(_ATTEMPTS):
        heads = memory_heads.find_many(table, account, names)
        there = [head for head in heads.values() if isinstance(head, Head)]
        wanted = [(head, new) for head in there if (new := how(head)) is not None]
        try:
            moving = [head for head, _ in wanted if head.recallable]
            entries = index_placement.entries_of(table, account, moving) if moving else {}
            changes: list[Change] = [
                StatusChange(head, status, (changed,), entries.get(head.memory.id))
                for head, status in wanted
            ]
            apply_changes(table, account, changes, at)
        except HeadMoved:
            continue
        return [head.memory.id for head, _ in wanted]
    raise StorageBusy


def _targets(head: Head) -> set[str]:
    return {reference.memory_id for reference in head.memory.references} - {head.memory.id}


def _rebuild_one(table: Table, account: str, memory_id: str, at: datetime) -> None:
    for _ in range(_ATTEMPTS):
        head = memory_heads.find(table, account, memory_id)
        if not isinstance(head, Head) or head.status.withheld_since is None:
            return
        try:
            change = _rebuilt(table, account, head)
            if isinstance(change, Removal):
                contradictions.release_contradicted(table, account, head, at)
            apply_changes(table, account, [change], at)
            return
        except HeadMoved:
            continue
    raise StorageBusy


def _rebuilt(table: Table, account: str, head: Head) -> Change:
    memory = head.memory
    if not memory.evidence:
        # Its words are drawn from what it refers to, some of which is gone.
        return Removal(head, forget=False)
    there = memory_heads.readable_heads(memory_heads.find_many(table, account, _targets(head)))
    repinned = with_current_references(
        memory, {name: other.memory for name, other in there.items()}
    )
    entry: IndexEntry = index_placement.entry_of(table, account, head)
    status = head.status.model_copy(update={"withheld_since": None})
    return NewRevision(repinned, entry, head, ("evidence", "references", "availability"), status)


def with_current_references(memory: Memory, there: Mapping[str, Memory]) -> Memory:
    """The next revision of the same words, which refers to what is there as it is now."""
    kept = tuple(
        Reference(memory_id=name, revision=there[name].revision)
        for name in incoming_references.by_target(memory.references)
        if name in there
    )
    update = {
        "revision": memory.revision + 1,
        "references": kept,
        "inherited": inherited_turns(memory.evidence, [there[each.memory_id] for each in kept]),
        "challenges": memory.challenges
        if memory.challenges is not None and memory.challenges.memory_id in there
        else None,
    }
    return memory.model_copy(update=update)


def _derives(head: Head, derived: DerivedRevisions) -> bool:
    return head.memory.revision in derived.revisions[head.memory.id]


def _drop_history(
    table: Table, account: str, memory_id: str, gone: frozenset[int], marks: tuple[keys.Key, ...]
) -> None:
    """The revisions that derive from what was deleted; all that is left of what was removed."""
    head = memory_heads.find(table, account, memory_id)
    history = history_removal.list_revisions(table, account, memory_id)
    if isinstance(head, Head):
        history = [each for each in history if each.revision in gone]
    history_removal.remove_with_references(table, account, history, keeping=marks)
