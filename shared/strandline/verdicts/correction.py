"""The effect of a correction: the user's revision, embedded anew, and what that makes stale."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from strandline import reconciliation
from strandline.clock import Deadline
from strandline.models.memory import Memory
from strandline.models.standing import Freshness, Standing, State, changed
from strandline.runtime import Runtime
from strandline.statements.statement import fingerprints
from strandline.store import contests, derived, profiles, rejections, settlement
from strandline.store.memories import Head
from strandline.store.publish import NewRevision
from strandline.store.settlement import Around, Settled
from strandline.table import Table, Write
from strandline.verdicts import correcting, standings
from strandline.verdicts.effect import Effect
from strandline.verdicts.verdict import Action

if TYPE_CHECKING:
    # Importing numpy is a fifth of a handler's import, and most requests never need it.
    from strandline.arrays import Vectors

Embed = Callable[[str], "Vectors"]


def effect(
    runtime: Runtime,
    account: str,
    head: Head,
    words: Mapping[str, Any],
    embed: Embed,
    at: datetime,
) -> Effect:
    """The effect of a correction. Raises HeadMoved, a ModelError."""
    from strandline.recall.entries import entry_of  # noqa: PLC0415  loads numpy

    table, before = runtime.table, head.memory
    language = profiles.get(table, account).language
    near = contests.around(table, account, head)
    challenged = near.challenged.memory if near.challenged else None
    memory = correcting.corrected(before, words, challenged, language, at)
    if correcting.says_the_same(before, memory) and _is_settled(head.standing):
        return Effect(before, head.standing)
    standing, settled = _settled(near, head, memory, at)
    others, checks = contests.restandings(table, account, near, settled)
    entry = entry_of(memory, embed(memory.text), runtime.embedder.space, language)
    names = (*correcting.changed_words(before, memory), *changed(head.standing, standing))
    referred_to = derived.referring_now(table, account, [before.id])
    job = reconciliation.of_memory(before.id, at) if referred_to else None
    creating = reconciliation.creating(runtime, account, job) if job else []
    return Effect(
        memory=memory,
        standing=standing,
        changed=names,
        changes=[NewRevision(memory, entry, head, names, standing), *others],
        also=[*checks, *_learnable(table, account, before, memory, at), *creating],
        near=near,
        settled=settled,
        job=job,
    )


def embedder_of(runtime: Runtime) -> Embed:
    """What embeds a text once, however often the correction is looked at anew."""
    known: dict[str, Vectors] = {}

    def embed(text: str) -> "Vectors":
        from strandline.recall.vectors import usable  # noqa: PLC0415  loads numpy

        if text not in known:
            deadline = Deadline.after(runtime.settings.embedding_timeout_seconds)
            vectors = runtime.embedder.embed([text], deadline=deadline)
            known[text] = usable(vectors, 1, runtime.embedder.space)[0]
        return known[text]

    return embed


def _is_settled(standing: Standing) -> bool:
    """Whether a correction in the same words has nothing left to say."""
    return (
        standing.state is State.ACTIVE
        and standing.freshness is Freshness.CURRENT
        and not standing.flags
        and standing.reviewed is None
    )


def _settled(near: Around, head: Head, memory: Memory, at: datetime) -> tuple[Standing, Settled]:
    """What the user's words retract, since they still contradict it, and what they free."""
    standing = standings.after(Action.CORRECT, memory, head.standing, at)
    rivals = settlement.rivals(near, head)
    taking = [r.memory.id for r in rivals if correcting.contradicts(memory, r.memory)]
    held = [near.heads[name].memory for name in head.standing.retracts if name in near.heads]
    freeing = [other.id for other in held if not correcting.contradicts(memory, other)]
    settled = settlement.settle(near, head, (memory, standing), taking, freeing)
    return standing.model_copy(update={"retracts": settled.retracts}), settled


def _learnable(
    table: Table, account: str, before: Memory, memory: Memory, at: datetime
) -> list[Write]:
    """The words that were corrected aren't learned again, and the new ones may be."""
    new = fingerprints(memory)
    return [
        *rejections.taking_back(table, account, memory),
        *rejections.rejecting(account, before, at, keeping=new),
    ]
