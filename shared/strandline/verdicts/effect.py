"""What a verdict comes to, before it is published."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from strandline.models.job import Job
from strandline.models.memory import Memory, Reference
from strandline.models.standing import Review, Standing, State, changed, holds, recallable
from strandline.store import contests, indexing, rejections, settlement
from strandline.store.memories import Head
from strandline.store.publish import Change, Restanding
from strandline.store.settlement import Around, Settled
from strandline.table import Table, Write
from strandline.verdicts import standings
from strandline.verdicts.verdict import Action


@dataclass(frozen=True, slots=True)
class Effect:
    """How the memory stands then, the changes that make it so and what goes with them.

    Without changes it stands so already. `job` is to be sent once all is published.
    """

    memory: Memory
    standing: Standing
    changed: tuple[str, ...] = ()
    changes: Sequence[Change] = ()
    also: Sequence[Write] = ()
    near: Around = field(default_factory=Around)
    settled: Settled = field(default_factory=Settled)
    job: Job | None = None


def judged(table: Table, account: str, head: Head, action: Action, at: datetime) -> Effect:
    """The effect of any verdict but a correction. Raises HeadMoved."""
    memory = head.memory
    standing = standings.after(action, memory, head.standing, at)
    near, settled = Around(), Settled(retracts=standing.retracts)
    if action in standings.REVIEWS:
        near = contests.around(table, account, head)
        standing, settled = _settled(near, head, standing, action)
    others, checks = contests.restandings(table, account, near, settled)
    if standing == head.standing and not others:
        return Effect(memory, standing, also=checks)
    names = changed(head.standing, standing)
    moves = head.recallable != recallable(memory, standing)
    entry = indexing.entry_of(table, account, head) if moves else None
    return Effect(
        memory=memory,
        standing=standing,
        changed=names,
        changes=[Restanding(head, standing, names, entry), *others],
        also=[*checks, *_learnable(table, account, head, standing, at)],
        near=near,
        settled=settled,
    )


def _settled(
    near: Around, head: Head, standing: Standing, action: Action
) -> tuple[Standing, Settled]:
    """Who confirms one of two has decided; who takes that back leaves the other standing.

    What is merely no longer rejected doesn't come to stand beside what stands against it.
    """
    stands = holds(head.memory, standing)
    taking = settlement.rivals(near, head) if action is Action.CONFIRM else ()
    again = stands and action is Action.UNREVIEW and head.standing.review is Review.REJECTED
    winner = settlement.standing_against(near, head) if again else None
    if winner is not None:
        by = Reference(memory_id=winner.memory.id, revision=winner.memory.revision)
        standing = standing.model_copy(update={"state": State.RETRACTED, "retracted_by": by})
    settled = settlement.settle(
        near,
        head,
        (head.memory, standing),
        taking=[rival.memory.id for rival in taking],
        freeing=() if stands else head.standing.retracts,
        winner=winner.memory.id if winner else None,
    )
    return standing.model_copy(update={"retracts": settled.retracts}), settled


def _learnable(
    table: Table, account: str, head: Head, standing: Standing, at: datetime
) -> list[Write]:
    """What keeps a rejected statement from being learned again, or no longer does."""
    was, now = (each.review is Review.REJECTED for each in (head.standing, standing))
    if now and not was:
        return rejections.rejecting(account, head.memory, at)
    return rejections.taking_back(table, account, head.memory) if was and not now else []
