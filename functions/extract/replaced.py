"""What becomes of memories that rest on what a turn said before it was replaced."""

from dataclasses import replace
from datetime import datetime

from functions.extract import refreshing
from functions.extract.learning import Material, Outcome
from strandline import reconciliation
from strandline.models.job import JobState
from strandline.models.memory import Citation
from strandline.models.standing import Flag, Standing, State, changed, guarded
from strandline.recall.entries import grounds_of
from strandline.runtime import Runtime
from strandline.store import indexing, memories, staleness
from strandline.store.memories import Head
from strandline.store.publish import Change, NewRevision, Restanding, publish
from strandline.table import Table

TOGETHER = 8
"""Memories changed in one transaction, each with the job for what refers to it."""


def mark(runtime: Runtime, account: str, material: Material) -> None:
    """Mark stale what rests on earlier words, should the replacement have ended before it did."""
    for turn in material.turns:
        if turn.version > 1:
            staleness.mark_citing(runtime.table, account, turn.id, runtime.clock())


def settle(runtime: Runtime, account: str, material: Material, outcome: Outcome) -> Outcome:
    """Settle what the new words say nothing of; the outcome with that in its result.

    Other evidence supports it still: a revision without what was replaced. Nothing does: it is
    retracted. Its words are the user's: they stay, with a flag. Raises HeadMoved.
    """
    table, at = runtime.table, runtime.clock()
    revised = {c.memory.id for c in outcome.changes if isinstance(c, NewRevision)}
    names = sorted(_citing_earlier(table, account, material) - revised)
    heads = memories.live(memories.find_many(table, account, names))
    versions = {turn.id: turn.version for turn in material.turns}
    left = {name: _left(table, account, head, versions) for name, head in heads.items()}
    changes = {name: change for name, change in left.items() if change is not None}
    in_order = list(changes.values())
    for start in range(0, len(in_order), TOGETHER):
        _publish(runtime, account, in_order[start : start + TOGETHER], at)
    if not changes:
        return outcome
    stored = (*outcome.result.stored, *changes)
    result = outcome.result.model_copy(update={"stored": tuple(dict.fromkeys(stored))})
    return replace(outcome, state=JobState.STORED, reason=None, result=result)


def _citing_earlier(table: Table, account: str, material: Material) -> set[str]:
    replaced = [turn for turn in material.turns if turn.version > 1]
    found = (staleness.citing_earlier(table, account, turn.id) for turn in replaced)
    return {name for names in found for name in names}


def _left(table: Table, account: str, head: Head, versions: dict[str, int]) -> Change | None:
    """What a memory becomes without the words that were replaced; None when that is done."""
    memory, standing = head.memory, head.standing
    fresh = standing.model_copy(update={"stale_since": None})
    kept = tuple(each for each in memory.evidence if not _is_replaced(each, versions))
    if guarded(memory, standing):
        flagged = _with_flag(fresh)
        return None if flagged == standing else _restood(table, account, head, flagged)
    if not kept:
        retracted = fresh.model_copy(update={"state": State.RETRACTED})
        return None if retracted == standing else _restood(table, account, head, retracted)
    made = memory.model_copy(update={"revision": memory.revision + 1, "evidence": kept})
    entry = replace(indexing.entry_of(table, account, head), grounds=grounds_of(made))
    return NewRevision(made, entry, head, ("evidence", *changed(standing, fresh)), fresh)


def _restood(table: Table, account: str, head: Head, standing: Standing) -> Restanding:
    entry = indexing.entry_of(table, account, head)
    return Restanding(head, standing, changed(head.standing, standing), entry)


def _with_flag(standing: Standing) -> Standing:
    if Flag.SOURCE_REPLACED in standing.flags:
        return standing
    return standing.model_copy(update={"flags": (*standing.flags, Flag.SOURCE_REPLACED)})


def _is_replaced(citation: Citation, versions: dict[str, int]) -> bool:
    return citation.turn_version < versions.get(citation.turn_id, 0)


def _publish(runtime: Runtime, account: str, changes: list[Change], at: datetime) -> None:
    jobs = refreshing.following(runtime, account, changes, at)
    also = [write for job in jobs for write in reconciliation.creating(runtime, account, job)]
    publish(runtime.table, account, changes, at, also)
    for job in jobs:
        reconciliation.follow(runtime, account, job.memory_id or "", job, at)
