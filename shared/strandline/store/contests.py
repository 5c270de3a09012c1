"""Memories that contradict each other: what the user decided for last stands, the others don't.

A challenger contradicts words that only the user may change. Whatever the user makes of one of
the two is settled for both in one transaction: they are never both current, and never neither
because of a decision that was taken back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.models.memory import Memory, Reference
from strandline.models.standing import (
    Flag,
    Standing,
    State,
    changed,
    holds,
    recallable,
    unresolved,
)
from strandline.store import hiding, indexing, links, memories
from strandline.store.memories import Head, HeadMoved
from strandline.store.publish import Restanding, publish
from strandline.table import ConditionFailed, Table, Write, check

MOST = 8
"""Memories that one decision settles beside the one it is about."""
_ATTEMPTS = 10
_WORDS = ("kind", "title", "text", "subject", "topic")


@dataclass(frozen=True, slots=True)
class Around:
    """The memories that one contradicts or did, and what challenges each of them and itself now.

    `challenged` is among them: what it challenges, while that still has those words.
    """

    heads: Mapping[str, Head] = field(default_factory=dict)
    against: Mapping[str, tuple[Head, ...]] = field(default_factory=dict)
    challenged: Head | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """How others stand then, by id, and what must not have moved meanwhile.

    `retracts` are those that don't stand beside the memory from now on.
    """

    standings: Mapping[str, Standing] = field(default_factory=dict)
    retracts: tuple[str, ...] = ()
    seen: tuple[Head, ...] = ()


def around(table: Table, account: str, head: Head) -> Around:
    """Read what a change of that memory may settle: nothing at all, mostly."""
    heads: dict[str, Head] = {}
    own = _challengers(table, account, head)
    todo = sorted(_named(head) | {each.memory.id for each in own if _holds(each)})
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


def rivals(near: Around, head: Head) -> tuple[Head, ...]:
    """What can't stand beside the memory: what it challenges or challenges it, and what won."""
    winner = head.standing.retracted_by
    names = [winner.memory_id] if winner else []
    names += [near.challenged.memory.id] if near.challenged else []
    names += [each.memory.id for each in near.against[head.memory.id] if _holds(each)]
    return tuple(near.heads[name] for name in dict.fromkeys(names) if name in near.heads)


def settle(
    near: Around,
    before: Head,
    after: tuple[Memory, Standing] | None,
    taking: Iterable[str] = (),
    freeing: Iterable[str] = (),
    winner: str | None = None,
) -> Settled:
    """What a change of `before` means to others; `after` is None when it is deleted.

    `taking` are to be retracted by it, and `freeing` stand again, unless another holds them.
    `winner` retracts it, since that stood before it could stand again itself.
    """
    now = {name: head.standing for name, head in near.heads.items()}
    taken: list[str] = []
    if after is not None and holds(*after):
        by = Reference(memory_id=after[0].id, revision=after[0].revision)
        taken = [name for name in taking if _retract(now, name, by)]
    freed = [name for name in freeing if name not in taken]
    if winner is not None:
        known = now[winner].retracts
        retracts = tuple(dict.fromkeys([*known, before.memory.id]))
        now[winner] = now[winner].model_copy(update={"retracts": retracts})
    holders = _restore(near, now, before.memory.id, freed)
    seen = _flag(near, now, before, after)
    moved = {name: each for name, each in now.items() if each != near.heads[name].standing}
    unmoved = {h.memory.id: h for h in (*holders, *seen) if h.memory.id not in moved}
    kept = [name for name in before.standing.retracts if name not in freed]
    return Settled(moved, tuple(dict.fromkeys([*kept, *taken])), tuple(unmoved.values()))


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
    freeing = head.standing.retracts if _holds(head) else ()
    return restandings(table, account, near, settle(near, head, None, freeing=freeing))


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


def standing_against(near: Around, head: Head) -> Head | None:
    """One that stands while this doesn't, and that it can't stand beside."""
    return next((each for each in rivals(near, head) if _holds(each)), None)


def _holds(head: Head) -> bool:
    return holds(head.memory, head.standing)


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


def _retract(now: dict[str, Standing], name: str, by: Reference) -> bool:
    """Retract it, unless its own sources did; whether it is retracted by that memory then."""
    standing = now[name]
    if standing.state is State.RETRACTED and standing.retracted_by is None:
        return False
    if standing.retracted_by is None or standing.retracted_by.memory_id != by.memory_id:
        update = {"state": State.RETRACTED, "retracted_by": by}
        now[name] = standing.model_copy(update=update)
    return True


def _restore(near: Around, now: dict[str, Standing], by: str, freed: Iterable[str]) -> list[Head]:
    """Let those stand again; what holds one that doesn't, since another holds it too."""
    holders: list[Head] = []
    todo = [(name, by) for name in freed]
    while todo:
        name, winner = todo.pop()
        standing = now.get(name)
        held = standing.retracted_by if standing else None
        if standing is None or held is None or held.memory_id != winner:
            continue
        others = [head for head in near.against[name] if head.memory.id not in (by, winner)]
        holder = next((each for each in others if _holds(each)), None)
        if holder is not None:
            held = Reference(memory_id=holder.memory.id, revision=holder.memory.revision)
            now[name] = standing.model_copy(update={"retracted_by": held})
            holders.append(holder)
            continue
        now[name] = standing.model_copy(update={"state": State.ACTIVE, "retracted_by": None})
        if not holds(near.heads[name].memory, now[name]):
            todo += [(each, name) for each in standing.retracts]
            now[name] = now[name].model_copy(update={"retracts": ()})
    return holders


def _flag(
    near: Around,
    now: dict[str, Standing],
    before: Head,
    after: tuple[Memory, Standing] | None,
) -> list[Head]:
    """Flag what is challenged while any challenge of it waits; what that was seen in."""
    target = near.challenged
    was = unresolved(before.memory, before.standing)
    waits = after is not None and unresolved(*after)
    if target is None or was == waits:
        return []
    name = target.memory.id
    others = [head for head in near.against[name] if head.memory.id != before.memory.id]
    other = next((head for head in others if unresolved(head.memory, head.standing)), None)
    flags = {*now[name].flags} - {Flag.CHALLENGED}
    if waits or other is not None:
        flags.add(Flag.CHALLENGED)
    now[name] = now[name].model_copy(update={"flags": tuple(f for f in Flag if f in flags)})
    return [target, other] if other is not None else [target]
