"""What a change of one memory settles for those it contradicts. Pure.

Of two that contradict each other, what the user decided for last stands: they are never both
current, and never neither because of a decision that was taken back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from strandline.models.memory import Memory, Reference
from strandline.models.memory_head import Head
from strandline.models.memory_status import (
    Flag,
    MemoryStatus,
    State,
    is_in_force,
    is_open_challenge,
)


@dataclass(frozen=True, slots=True)
class ContradictionSet:
    """The memories that one contradicts or did, and what challenges each of them and itself now.

    `challenged` is among them: what it challenges, while that still has those words.
    """

    heads: Mapping[str, Head] = field(default_factory=dict)
    against: Mapping[str, tuple[Head, ...]] = field(default_factory=dict)
    challenged: Head | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """How others stand then, by id, and what must not have moved meanwhile.

    `retracts` are those that don't stand beside the memory from now on.
    """

    statuses: Mapping[str, MemoryStatus] = field(default_factory=dict)
    retracts: tuple[str, ...] = ()
    seen: tuple[Head, ...] = ()


def contradicting_heads(near: ContradictionSet, head: Head) -> tuple[Head, ...]:
    """What can't stand beside the memory: what it challenges or challenges it, and what won."""
    winner = head.status.retracted_by
    names = [winner.memory_id] if winner else []
    names += [near.challenged.memory.id] if near.challenged else []
    names += [each.memory.id for each in near.against[head.memory.id] if head_in_force(each)]
    return tuple(near.heads[name] for name in dict.fromkeys(names) if name in near.heads)


def active_contradiction(near: ContradictionSet, head: Head) -> Head | None:
    """One that stands while this doesn't, and that it can't stand beside."""
    return next((each for each in contradicting_heads(near, head) if head_in_force(each)), None)


def resolve_contradictions(
    near: ContradictionSet,
    before: Head,
    after: tuple[Memory, MemoryStatus] | None,
    taking: Iterable[str] = (),
    freeing: Iterable[str] = (),
    winner: str | None = None,
) -> Resolution:
    """What a change of `before` means to others; `after` is None when it is deleted.

    `taking` are to be retracted by it, and `freeing` stand again, unless another holds them.
    `winner` retracts it, since that stood before it could stand again itself.
    """
    now = {name: head.status for name, head in near.heads.items()}
    taken: list[str] = []
    if after is not None and is_in_force(*after):
        by = Reference(memory_id=after[0].id, revision=after[0].revision)
        taken = [name for name in taking if _retract(now, name, by)]
    freed = [name for name in freeing if name not in taken]
    if winner is not None:
        known = now[winner].retracts
        retracts = tuple(dict.fromkeys([*known, before.memory.id]))
        now[winner] = now[winner].model_copy(update={"retracts": retracts})
    holders = _restore(near, now, before.memory.id, freed)
    seen = _flag(near, now, before, after)
    moved = {name: each for name, each in now.items() if each != near.heads[name].status}
    unmoved = {h.memory.id: h for h in (*holders, *seen) if h.memory.id not in moved}
    kept = [name for name in before.status.retracts if name not in freed]
    return Resolution(moved, tuple(dict.fromkeys([*kept, *taken])), tuple(unmoved.values()))


def head_in_force(head: Head) -> bool:
    """Whether its statement stands."""
    return is_in_force(head.memory, head.status)


def _retract(now: dict[str, MemoryStatus], name: str, by: Reference) -> bool:
    """Retract it, unless its own sources did; whether it is retracted by that memory then."""
    status = now[name]
    if status.state is State.RETRACTED and status.retracted_by is None:
        return False
    if status.retracted_by is None or status.retracted_by.memory_id != by.memory_id:
        update = {"state": State.RETRACTED, "retracted_by": by}
        now[name] = status.model_copy(update=update)
    return True


def _restore(
    near: ContradictionSet, now: dict[str, MemoryStatus], by: str, freed: Iterable[str]
) -> list[Head]:
    """Let those stand again; what holds one that doesn't, since another holds it too."""
    holders: list[Head] = []
    todo = [(name, by) for name in freed]
    while todo:
        name, winner = todo.pop()
        status = now.get(name)
        held = status.retracted_by if status else None
        if status is None or held is None or held.memory_id != winner:
            continue
        others = [head for head in near.against[name] if head.memory.id not in (by, winner)]
        holder = next((each for each in others if head_in_force(each)), None)
        if holder is not None:
            held = Reference(memory_id=holder.memory.id, revision=holder.memory.revision)
            now[name] = status.model_copy(update={"retracted_by": held})
            holders.append(holder)
            continue
        now[name] = status.model_copy(update={"state": State.ACTIVE, "retracted_by": None})
        if not is_in_force(near.heads[name].memory, now[name]):
            todo += [(each, name) for each in status.retracts]
            now[name] = now[name].model_copy(update={"retracts": ()})
    return holders


def _flag(
    near: ContradictionSet,
    now: dict[str, MemoryStatus],
    before: Head,
    after: tuple[Memory, MemoryStatus] | None,
) -> list[Head]:
    """Flag what is challenged while any challenge of it waits; what that was seen in."""
    target = near.challenged
    was = is_open_challenge(before.memory, before.status)
    waits = after is not None and is_open_challenge(*after)
    if target is None or was == waits:
        return []
    name = target.memory.id
    others = [head for head in near.against[name] if head.memory.id != before.memory.id]
    other = next((head for head in others if is_open_challenge(head.memory, head.status)), None)
    flags = {*now[name].flags} - {Flag.CHALLENGED}
    if waits or other is not None:
        flags.add(Flag.CHALLENGED)
    now[name] = now[name].model_copy(update={"flags": tuple(f for f in Flag if f in flags)})
    return [target, other] if other is not None else [target]
