"""Memories that contradict each other, read together and changed together.

A challenger contradicts words that only the user may change. Whatever the user makes of one of
the two is settled for both (settlement.py) in one transaction.
"""

from collections.abc import Iterable
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.models.memory import Memory
from strandline.models.standing import changed, recallable
from strandline.store import hiding, indexing, links, memories
from strandline.store.memories import Head, HeadMoved
from strandline.store.publish import Restanding, publish
from strandline.store.settlement import Around, Settled, settle, stands
from strandline.table import ConditionFailed, Table, Write, check

MOST = 8
"""Memories that one decision settles beside the one it is about."""
_ATTEMPTS = 10
_WORDS = ("kind", "title", "text", "subject", "topic")


def around(table: Table, account: str, head: Head) -> Around:
    """Read what a change of that memory may settle: nothing at all, mostly."""
    heads: dict[str, Head] = {}
    own = _challengers(table, account, head)
    todo = sorted(_named(head) | {each.memory.id for each in own if stands(each)})
    while todo and len(heads) < MOST:
        found = _readable(table, account, todo[: MOST - len(heads)])
        heads |= found
        # What stands again may itself not hold: then those it retracted stand again.
        further = {name for each in found.values() for name in each.standing.retracts}
        todo = sorted(further - heads.keys() - {head.memory.id})
    against = {name: _challengers(table, account, each) for name, each in heads.items()}
    against[head.memory.id] = own
    pinned = head.memory.challenges
    target = heads.get(pinned.memory_id) if pinned else None
    current = target and _of_current_words(table, account, target, [head])
    return Around(heads, against, target if current else None)


def restandings(
    table: Table, account: str, near: Around, settled: Settled
) -> tuple[list[Restanding], list[Write]]:
    """The changes of others, and the checks that what they rest on is still so.

    Raises HeadMoved.
    """
    pairs = [(near.heads[name], standing) for name, standing in settled.standings.items()]
    moving = [head for head, new in pairs if head.recallable != recallable(head.memory, new)]
    entries = indexing.entries_of(table, account, moving) if moving else {}
    changes = [
        Restanding(head, new, changed(head.standing, new), entries.get(head.memory.id))
        for head, new in pairs
    ]
    return changes, [unmoved(account, head) for head in settled.seen]


def freed(table: Table, account: str, head: Head) -> tuple[list[Restanding], list[Write]]:
    """What a memory's deletion changes of others: those it retracted stand again.

    Raises HeadMoved.
    """
    if not head.standing.retracts and head.memory.challenges is None:
        return [], []
    near = around(table, account, head)
    freeing = head.standing.retracts if stands(head) else ()
    return restandings(table, account, near, settle(near, head, None, freeing=freeing))


def withdrawn(table: Table, account: str, head: Head) -> tuple[list[Restanding], list[Write]]:
    """What a memory's expiry changes of others: what it challenged waits for it no longer.

    What it had retracted stays so: nobody took back the decision. Raises HeadMoved.
    """
    if head.memory.challenges is None:
        return [], []
    near = around(table, account, head)
    return restandings(table, account, near, settle(near, head, None))


def let_go(table: Table, account: str, head: Head, at: datetime) -> None:
    """Do that now, for a memory that nobody can read any more and that is about to be removed."""
    for _ in range(_ATTEMPTS):
        try:
            changes, checks = freed(table, account, head)
            if changes:
                publish(table, account, changes, at, checks)
            return
        except (HeadMoved, ConditionFailed):
            continue
    raise StorageBusy


def unmoved(account: str, head: Head) -> Write:
    """The check that a memory is just as it was read."""
    key = keys.memory(account, head.memory.id)
    return check(key, "#change = :seen", names={"#change": "change"}, values={":seen": head.change})


def _readable(table: Table, account: str, names: Iterable[str]) -> dict[str, Head]:
    erased = hiding.being_erased(table, account)
    found = memories.live(memories.find_many(table, account, names))
    return {name: head for name, head in found.items() if hiding.visible_head(head, erased)}


def _named(head: Head) -> set[str]:
    standing, pinned = head.standing, head.memory.challenges
    names = {*standing.retracts}
    names |= {standing.retracted_by.memory_id} if standing.retracted_by else set()
    names |= {pinned.memory_id} if pinned else set()
    return names - {head.memory.id}


def _challengers(table: Table, account: str, target: Head) -> tuple[Head, ...]:
    """The memories whose current revision challenges the words that this one has now."""
    marks = links.incoming(table, account, target.memory.id)
    sources = {(mark.source, mark.revision) for mark in marks if mark.challenges}
    found = memories.live(memories.find_many(table, account, {name for name, _ in sources}))
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
    earlier = memories.revisions(table, account, wanted) if wanted else {}
    return [
        head
        for head, challenged in pinned
        if _worded(earlier.get((target.memory.id, challenged.revision), target.memory))
        == _worded(target.memory)
    ]


def _worded(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, name) for name in _WORDS)
