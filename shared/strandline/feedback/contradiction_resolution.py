"""How a change of one memory affects the memories that it contradicts. Pure: no I/O.

Of two contradicting memories, the one that the user decided for last is in force. They are never
both in force, and never both out of force because of a decision that was withdrawn.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    """The memories that one memory contradicts or has contradicted, by id.

    `challengers` holds, by id, what challenges each of them and the memory itself now.
    `challenged` is the one of them whose current words the memory challenges, if any.
    """

    heads: Mapping[str, Head] = field(default_factory=dict)
    challengers: Mapping[str, tuple[Head, ...]] = field(default_factory=dict)
    challenged: Head | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A change of one memory, and what it decides about contradicting memories, by their ids.

    `before` is the memory's head before the change. `after` is its revision and status after it,
    None when the memory is removed. `retracts` are to be retracted by it, `releases` no longer.
    `winner` is a memory that stays in force and retracts this one.
    """

    before: Head
    after: tuple[Memory, MemoryStatus] | None
    retracts: Sequence[str] = ()
    releases: Sequence[str] = ()
    winner: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The effect of a decision: new statuses of other memories, by id.

    `retracts` are the ids of the memories that the changed one retracts from now on. `unchanged`
    are heads that must be as they were read, since the effect depends on them.
    """

    statuses: Mapping[str, MemoryStatus] = field(default_factory=dict)
    retracts: tuple[str, ...] = ()
    unchanged: tuple[Head, ...] = ()


def contradicting_heads(contradictions: ContradictionSet, head: Head) -> tuple[Head, ...]:
    """Returns the memories that can't be in force together with this one.

    These are the one that retracted it, the one it challenges, and its challengers in force.
    """
    winner = head.status.retracted_by
    names = [winner.memory_id] if winner else []
    names += [contradictions.challenged.memory.id] if contradictions.challenged else []
    challengers = contradictions.challengers[head.memory.id]
    names += [each.memory.id for each in challengers if head_in_force(each)]
    heads = contradictions.heads
    return tuple(heads[name] for name in dict.fromkeys(names) if name in heads)


def active_contradiction(contradictions: ContradictionSet, head: Head) -> Head | None:
    """Returns the first contradicting memory that is in force, None if there is none."""
    contradicting = contradicting_heads(contradictions, head)
    return next((each for each in contradicting if head_in_force(each)), None)


def resolve_contradictions(contradictions: ContradictionSet, decision: Decision) -> Resolution:
    """Returns the effect of a decision on other memories.

    A released memory is in force again unless another challenger in force contradicts it.
    """
    before, after = decision.before, decision.after
    statuses = {name: head.status for name, head in contradictions.heads.items()}
    retracted: list[str] = []
    if after is not None and is_in_force(*after):
        by = Reference(memory_id=after[0].id, revision=after[0].revision)
        retracted = [name for name in decision.retracts if _retract(statuses, name, by)]
    released = [name for name in decision.releases if name not in retracted]
    if decision.winner is not None:
        _add_retracted(statuses, decision.winner, before.memory.id)
    holders = _release(contradictions, statuses, before.memory.id, released)
    flag_sources = _update_challenged_flag(contradictions, statuses, decision)
    changed = {
        name: status
        for name, status in statuses.items()
        if status != contradictions.heads[name].status
    }
    unchanged = {h.memory.id: h for h in (*holders, *flag_sources) if h.memory.id not in changed}
    kept = [name for name in before.status.retracts if name not in released]
    retracts = tuple(dict.fromkeys([*kept, *retracted]))
    return Resolution(changed, retracts, tuple(unchanged.values()))


def head_in_force(head: Head) -> bool:
    """Whether a memory's statement is in force."""
    return is_in_force(head.memory, head.status)


def _retract(statuses: dict[str, MemoryStatus], name: str, by: Reference) -> bool:
    """Retracts a memory; whether it is retracted by `by` then.

    A memory that its own sources retracted is left alone.
    """
    status = statuses[name]
    if status.state is State.RETRACTED and status.retracted_by is None:
        return False
    if status.retracted_by is None or status.retracted_by.memory_id != by.memory_id:
        update = {"state": State.RETRACTED, "retracted_by": by}
        statuses[name] = status.model_copy(update=update)
    return True


def _add_retracted(statuses: dict[str, MemoryStatus], winner: str, memory_id: str) -> None:
    retracts = tuple(dict.fromkeys([*statuses[winner].retracts, memory_id]))
    statuses[winner] = statuses[winner].model_copy(update={"retracts": retracts})


def _release(
    contradictions: ContradictionSet,
    statuses: dict[str, MemoryStatus],
    released_by: str,
    released: Iterable[str],
) -> list[Head]:
    """Puts released memories back in force, unless another challenger in force retracts them.

    Returns those challengers. A released memory that isn't in force for another reason releases
    the memories that it had retracted.
    """
    holders: list[Head] = []
    todo = [(name, released_by) for name in released]
    while todo:
        name, winner = todo.pop()
        status = statuses.get(name)
        retracted_by = status.retracted_by if status else None
        if status is None or retracted_by is None or retracted_by.memory_id != winner:
            continue
        others = [
            head
            for head in contradictions.challengers[name]
            if head.memory.id not in (released_by, winner)
        ]
        holder = next((each for each in others if head_in_force(each)), None)
        if holder is not None:
            by = Reference(memory_id=holder.memory.id, revision=holder.memory.revision)
            statuses[name] = status.model_copy(update={"retracted_by": by})
            holders.append(holder)
            continue
        statuses[name] = status.model_copy(update={"state": State.ACTIVE, "retracted_by": None})
        if not is_in_force(contradictions.heads[name].memory, statuses[name]):
            todo += [(each, name) for each in status.retracts]
            statuses[name] = statuses[name].model_copy(update={"retracts": ()})
    return holders


def _update_challenged_flag(
    contradictions: ContradictionSet, statuses: dict[str, MemoryStatus], decision: Decision
) -> list[Head]:
    """Sets or clears the challenged memory's flag; it is set while any challenge is open.

    Returns the heads that the flag depends on.
    """
    before, after = decision.before, decision.after
    target = contradictions.challenged
    was_open = is_open_challenge(before.memory, before.status)
    is_open = after is not None and is_open_challenge(*after)
    if target is None or was_open == is_open:
        return []
    name = target.memory.id
    others = [
        head for head in contradictions.challengers[name] if head.memory.id != before.memory.id
    ]
    other = next((head for head in others if is_open_challenge(head.memory, head.status)), None)
    flags = {*statuses[name].flags} - {Flag.CHALLENGED}
    if is_open or other is not None:
        flags.add(Flag.CHALLENGED)
    ordered = tuple(flag for flag in Flag if flag in flags)
    statuses[name] = statuses[name].model_copy(update={"flags": ordered})
    return [target, other] if other is not None else [target]
