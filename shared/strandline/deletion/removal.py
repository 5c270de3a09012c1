"""Removing what is hidden: through a session's partition, to be interrupted anywhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from strandline import ids, keys
from strandline.clock import Clock, Deadline
from strandline.errors import NotFound, StorageBusy
from strandline.memories import contradictions, derivation, index_placement
from strandline.memories.history_removal import remove_revisions
from strandline.memories.tombstones import Removal
from strandline.memories.transaction import NewRevision, apply_changes
from strandline.memories.visibility import (
    TurnPredicate,
    hide_sessions,
    turns_of_sessions,
    without_turns,
)
from strandline.models.index_entry import IndexEntry
from strandline.models.job import Job, JobKind
from strandline.models.memory_head import Head, HeadMoved
from strandline.queries import Query
from strandline.store import jobs
from strandline.store.conversations import sessions, turn_versions, turns
from strandline.store.memories import memory_heads
from strandline.table import Table
from strandline.writes import Item, delete

MARKED_TOGETHER = 24
"""Four writes each, and one for the change counter: a transaction takes a hundred."""
REMOVED_TOGETHER = 8
_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Erasure:
    """What every step of a removal needs."""

    table: Table
    account: str
    clock: Clock
    deadline: Deadline

    def has_time(self) -> bool:
        """Whether to go on."""
        return self.deadline.remaining() > 0


def remove_all(erasure: Erasure, job: Job) -> bool:
    """Remove the memory, turn, session or space of a deletion job; whether all of it is gone."""
    if job.memory_id:
        return _finish_memory(erasure, job.memory_id)
    if job.session_id and job.sequence_number:
        return _remove_turn(erasure, job.session_id, job.sequence_number)
    if job.session_id:
        return _remove_session(erasure, job.session_id)
    space_id = job.space_id or ""
    members = sorted(sessions.session_ids_of_space(erasure.table, erasure.account, space_id))
    _mark_members(erasure, members)
    if not all(_remove_session(erasure, session_id, space_id) for session_id in members):
        return False
    if not _remove_checkpoints(erasure, space_id):
        return False
    erasure.table.write(delete(keys.space(erasure.account, space_id)))
    return True


def _finish_memory(erasure: Erasure, memory_id: str) -> bool:
    """What derives from a deleted memory is made anew from the rest; then its own traces go."""
    table, account, at = erasure.table, erasure.account, erasure.clock()
    _let_go_derived(table, account, {memory_id: None}, at)
    remove_revisions(table, account, memory_id)
    return True


def _remove_turn(erasure: Erasure, session_id: str, number: int) -> bool:
    """What rests on a deleted turn, its earlier versions and notes, and what was made of it."""
    partition = keys.session_partition(erasure.account, session_id)
    turn_id = ids.turn_id(session_id, number)
    cited = keys.citation(erasure.account, session_id, number, "").sk
    for items in _pages(erasure, partition, cited, REMOVED_TOGETHER):
        if items is None:
            return False
        _let_go(erasure, {item["memory_id"] for item in items}, lambda each: each == turn_id)
        erasure.table.delete_many(keys.Key(item["pk"], item["sk"]) for item in items)
    remove_turn_attachments(erasure, session_id, number, "a turn of the exchange was deleted")
    return True


def remove_turn_attachments(erasure: Erasure, session_id: str, number: int, reason: str) -> None:
    """A turn's notes and earlier versions, and its words in what was made of it."""
    _forget_exchange(erasure, session_id, number, reason)
    partition = keys.session_partition(erasure.account, session_id)
    beside = (
        keys.note(erasure.account, session_id, number, "").sk,
        turn_versions.earlier_prefix(number),
    )
    for prefix in beside:
        found = erasure.table.all(Query(partition, prefix=prefix))
        erasure.table.delete_many([keys.Key(item["pk"], item["sk"]) for item in found])


def _forget_exchange(erasure: Erasure, session_id: str, number: int, reason: str) -> None:
    """Its jobs aren't begun any more, and what ended ones tell of its words goes."""
    table, account = erasure.table, erasure.account
    question = turns.question_number(number)
    receipt = table.get(keys.receipt(account, session_id, question + 1))
    told = [] if receipt is None else [receipt]
    partition = keys.session_partition(account, session_id)
    for each in (question, question + 1):
        told += table.all(Query(partition, prefix=turn_versions.earlier_prefix(each)))
    job_ids = [item[turns.JOB] for item in told if turns.JOB in item]
    jobs.cancel(table, account, job_ids, reason, erasure.clock())


def _let_go_derived(
    table: Table, account: str, roots: Mapping[str, int | None], at: datetime
) -> None:
    """All of it is hidden before any is made anew."""
    affected = derivation.find_derived(table, account, roots)
    derivation.withhold_derived(table, account, affected, at)
    derivation.rebuild_derived(table, account, affected, at)


def _remove_checkpoints(erasure: Erasure, space_id: str) -> bool:
    """A checkpoint's notes and the checkpoint before its node, by which it is found."""
    account = erasure.account
    for items in _pages(erasure, keys.lineage_node(account, space_id, "").pk, "CHECKPOINT#", 25):
        if items is None:
            return False
        for item in items:
            notes = erasure.table.all(Query(keys.checkpoint_note(account, item["id"], "").pk))
            erasure.table.delete_many(keys.Key(note["pk"], note["sk"]) for note in notes)
        erasure.table.delete_many(keys.checkpoint(account, item["id"]) for item in items)
        erasure.table.delete_many(keys.Key(item["pk"], item["sk"]) for item in items)
    return True


def _mark_members(erasure: Erasure, members: Sequence[str]) -> None:
    """Every session of the space is hidden before any is taken apart, and whatever the time.

    A deletion that was answered has hidden all; only removing may be left for later.
    """
    for start in range(0, len(members), MARKED_TOGETHER):
        _mark_unmarked(erasure, members[start : start + MARKED_TOGETHER])


def _mark_unmarked(erasure: Erasure, session_ids: Sequence[str]) -> None:
    """Mark those that aren't yet; looked at again when someone else marks one meanwhile."""
    table, account, at = erasure.table, erasure.account, erasure.clock()
    wanted = [keys.session(account, session_id) for session_id in session_ids]
    for _ in range(_ATTEMPTS):
        found = table.get_many(wanted).items()
        live = [key.sk.removeprefix("SESSION#") for key, i in found if "deleted_at" not in i]
        try:
            if live:
                hide_sessions(table, account, live, at, ())
            return
        except NotFound:
            continue
    raise StorageBusy


def _remove_session(erasure: Erasure, session_id: str, space_id: str | None = None) -> bool:
    table, account = erasure.table, erasure.account
    session = table.get(keys.session(account, session_id))
    space_id = space_id or (session or {}).get("space_id")
    _cancel_open_jobs(erasure, session_id)
    if not _remove_contents(erasure, session_id):
        return False
    last = [keys.session(account, session_id), keys.deletion_mark(account, session_id)]
    if space_id:
        last.insert(0, keys.space_member(account, space_id, session_id))
    # One by one and in this order: the mark that hides what is left goes last.
    for key in last:
        table.write(delete(key))
    return True


def _cancel_open_jobs(erasure: Erasure, session_id: str) -> None:
    table, account = erasure.table, erasure.account
    waiting = [
        job.job_id
        for job in jobs.open_jobs(table, account)
        if job.session_id == session_id and job.kind is not JobKind.DELETION
    ]
    jobs.cancel(table, account, waiting, "the session was deleted", erasure.clock())


def _remove_contents(erasure: Erasure, session_id: str) -> bool:
    """One look spares many: most sessions of a big space hold little or nothing."""
    partition = keys.session_partition(erasure.account, session_id)
    if not erasure.table.page(Query(partition), limit=1).items:
        return True
    return _remove_memories(erasure, session_id) and _remove_turns(erasure, session_id)


def _remove_memories(erasure: Erasure, session_id: str) -> bool:
    partition = keys.session_partition(erasure.account, session_id)
    for items in _pages(erasure, partition, "CITED#", REMOVED_TOGETHER):
        if items is None:
            return False
        _let_go(erasure, {item["memory_id"] for item in items}, turns_of_sessions({session_id}))
        erasure.table.delete_many(keys.Key(item["pk"], item["sk"]) for item in items)
    return True


def _let_go(erasure: Erasure, memory_ids: set[str], gone: TurnPredicate) -> None:
    """Remove those memories or take what is gone out of their evidence; again if they moved.

    Earlier revisions hold words that rest on it: only the newest of what stays is kept, also of
    what was let go by a removal that was interrupted just then.
    """
    table, account, at = erasure.table, erasure.account, erasure.clock()
    for _ in range(_ATTEMPTS):
        heads = memory_heads.find_many(table, account, memory_ids)
        live = [head for head in heads.values() if isinstance(head, Head)]
        try:
            found = [_without(erasure, head, gone) for head in live]
            changes = [change for change in found if change is not None]
            for change in changes:
                if isinstance(change, Removal):
                    contradictions.release_contradicted(table, account, change.head, at)
            apply_changes(table, account, changes, at)
            break
        except HeadMoved:
            continue
    else:
        raise StorageBusy
    kept = {head.memory.id: head.memory.revision for head in live}
    for change in changes:
        if isinstance(change, NewRevision):
            kept[change.memory.id] = change.memory.revision
        else:
            del kept[change.head.memory.id]
    _let_go_derived(table, account, {name: kept.get(name) for name in sorted(heads)}, at)
    for memory_id in heads:
        remove_revisions(table, account, memory_id, before=kept.get(memory_id))


def _without(erasure: Erasure, head: Head, gone: TurnPredicate) -> NewRevision | Removal | None:
    memory = head.memory
    kept = without_turns(memory, gone)
    if kept is None:
        return Removal(head, forget=False)
    if kept == memory:
        return None
    entry = index_placement.entry_of(erasure.table, erasure.account, head)
    revised = kept.model_copy(
        update={
            "revision": memory.revision + 1,
            # Its earlier revisions go, so nothing may refer to them.
            "references": tuple(r for r in memory.references if r.memory_id != memory.id),
        }
    )
    return NewRevision(revised, entry_without_turns(entry, gone), head, ("evidence",), head.status)


def entry_without_turns(entry: IndexEntry, gone: TurnPredicate) -> IndexEntry:
    """An entry that no longer rests on what is gone."""
    kept = tuple(
        ground
        for ground in entry.source_turns
        if not gone(ids.turn_id(ground.session_id, ground.sequence_number))
    )
    return replace(entry, source_turns=kept)


def _remove_turns(erasure: Erasure, session_id: str) -> bool:
    """Receipts and earlier versions name the jobs whose results hold words of the session."""
    account = erasure.account
    partition = keys.session_partition(account, session_id)
    for prefix in ("RECEIPT#", "NOTE#", "WAS#", "EXPIRED#", "TURN#"):
        for items in _pages(erasure, partition, prefix, 25):
            if items is None:
                return False
            done = [item[turns.JOB] for item in items if turns.JOB in item]
            jobs.cancel(erasure.table, account, done, "the session was deleted", erasure.clock())
            erasure.table.delete_many(keys.Key(item["pk"], item["sk"]) for item in items)
    return True


def _pages(erasure: Erasure, partition: str, prefix: str, size: int) -> Iterator[list[Item] | None]:
    """What is left under that prefix, some at a time; None when time is up before the end."""
    while items := erasure.table.page(Query(partition, prefix), limit=size).items:
        yield items if erasure.has_time() else None
