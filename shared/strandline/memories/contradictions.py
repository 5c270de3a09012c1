"""Memories that contradict each other, read together and changed together.

A challenger contradicts words that only the user may change. Whatever the user makes of one of
the two is settled for both (settlement.py) in one transaction.
"""

from collections.abc import Iterable
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.feedback.contradiction_resolution import (
    ContradictionSet,
    Resolution,
    head_in_force,
    resolve_contradictions,
)
from strandline.memories import index_placement, visibility
from strandline.memories.transaction import StatusChange, apply_changes
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import changed_fields, is_recallable
from strandline.store.memories import incoming_references, memory_heads
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, check

MAX_RESOLVED = 8
"""Memories that one decision settles beside the one it is about."""
_ATTEMPTS = 10
_WORDS = ("kind", "title", "text", "subject", "topic")


def read_contradictions(table: Table, account: str, head: Head) -> ContradictionSet:
    """Read what a change of that memory may settle: nothing at all, mostly."""
    heads: dict[str, Head] = {}
    own = _challengers(table, account, head)
    todo = sorted(_named(head) | {each.memory.id for each in own if head_in_force(each)})
    while todo and len(heads) < MAX_RESOLVED:
        found = _readable(table, account, todo[: MAX_RESOLVED - len(heads)])
        heads |= found
        # What stands again may itself not hold: then those it retracted stand again.
        further = {name for each in found.values() for name in each.status.retracts}
        todo = sorted(further - heads.keys() - {head.memory.id})
    against = {name: _challengers(table, account, each) for name, each in heads.items()}
    against[head.memory.id] = own
    pinned = head.memory.challenges
    target = heads.get(pinned.memory_id) if pinned else None
    current = target and _of_current_words(table, account, target, [head])
    return ContradictionSet(heads, against, target if current else None)


def resolution_changes(
    table: Table, account: str, near: ContradictionSet, settled: Resolution
) -> tuple[list[StatusChange], list[Write]]:
    """The changes of others, and the checks that what they rest on is still so.

    Raises HeadMoved.
    """
    pairs = [(near.heads[name], status) for name, status in settled.statuses.items()]
    moving = [head for head, new in pairs if head.recallable != is_recallable(head.memory, new)]
    entries = index_placement.entries_of(table, account, moving) if moving else {}
    changes = [
        StatusChange(head, new, changed_fields(head.status, new), entries.get(head.memory.id))
        for head, new in pairs
    ]
    return changes, [unchanged_check(account, head) for head in settled.seen]


def changes_on_deletion(
    table: Table, account: str, head: Head
) -> tuple[list[StatusChange], list[Write]]:
    """What a memory's deletion changes of others: those it retracted stand again.

    Raises HeadMoved.
    """
    if not head.status.retracts and head.memory.challenges is None:
        return [], []
    near = read_contradictions(table, account, head)
    freeing = head.status.retracts if head_in_force(head) else ()
    return resolution_changes(
        table, account, near, resolve_contradictions(near, head, None, freeing=freeing)
    )


def changes_on_expiry(
    table: Table, account: str, head: Head
) -> tuple[list[StatusChange], list[Write]]:
    """What a memory's expiry changes of others: what it challenged waits for it no longer.

    What it had retracted stays so: nobody took back the decision. Raises HeadMoved.
    """
    if head.memory.challenges is None:
        return [], []
    near = read_contradictions(table, account, head)
    return resolution_changes(table, account, near, resolve_contradictions(near, head, None))


def release_contradicted(table: Table, account: str, head: Head, at: datetime) -> None:
    """Do that now, for a memory that nobody can read any more and that is about to be removed."""
    for _ in range(_ATTEMPTS):
        try:
            changes, checks = changes_on_deletion(table, account, head)
            if changes:
                apply_changes(table, account, changes, at, checks)
            return
        except (HeadMoved, ConditionFailed):
            continue
    raise StorageBusy


def unchanged_check(account: str, head: Head) -> Write:
    """The check that a memory is just as it was read."""
    key = keys.memory(account, head.memory.id)
    return check(key, "#change = :seen", names={"#change": "change"}, values={":seen": head.change})


def _readable(table: Table, account: str, names: Iterable[str]) -> dict[str, Head]:
    erased = visibility.sessions_being_deleted(table, account)
    found = memory_heads.readable_heads(memory_heads.find_many(table, account, names))
    return {name: head for name, head in found.items() if visibility.visible_head(head, erased)}


def _named(head: Head) -> set[str]:
    status, pinned = head.status, head.memory.challenges
    names = {*status.retracts}
    names |= {status.retracted_by.memory_id} if status.retracted_by else set()
    names |= {pinned.memory_id} if pinned else set()
    return names - {head.memory.id}


def _challengers(table: Table, account: str, target: Head) -> tuple[Head, ...]:
    """The memories whose current revision challenges the words that this one has now."""
    marks = incoming_references.list_incoming(table, account, target.memory.id)
    sources = {(mark.source, mark.revision) for mark in marks if mark.challenges}
    found = memory_heads.readable_heads(
        memory_heads.find_many(table, account, {name for name, _ in sources})
    )
    current = [h for name, h in found.items() if (name, h.memory.revision) in sources]
    return tuple(_of_current_words(table, account, target, current))


def _of_current_words(
    table: Table, account: str, target: Head, challengers: Iterable[Head]
) -> list[Head]:
    """Those that challenge the words it has now, and not others that it had.

    A revision that is gone told of something deleted; the words may have been these.
    """
    pinned = [(each, each.memory.challenges) for each in challengers if each.memory.challenges]
    wanted = {(target.memory.id, c.revision) for _, c in pinned} - {
        (target.memory.id, target.memory.revision)
    }
    earlier = memory_heads.revisions(table, account, wanted) if wanted else {}
    return [
        head
        for head, challenged in pinned
        if _worded(earlier.get((target.memory.id, challenged.revision), target.memory))
        == _worded(target.memory)
    ]


def _worded(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, name) for name in _WORDS)
