"""Deleting sessions and spaces: gone from every read at once, then without a trace.

One transaction marks a session deleted and takes what it taught out of recall (hiding.py); the
job made with it removes what is left (removal.py).
"""

from datetime import datetime, timedelta
from typing import Any

from strandline import ids, keys
from strandline.deletion.removal import Erasure, remove_all
from strandline.errors import NotFound
from strandline.memories.history_removal import tombstone_memory
from strandline.memories.visibility import deletion_mark_write, hide_sessions
from strandline.models.job import Job, JobKind, JobState
from strandline.store import jobs
from strandline.store.conversations import sessions, turn_versions, turns
from strandline.table import ConditionFailed, Table
from strandline.writes import delete

REDRIVE_AFTER = timedelta(seconds=60)


def delete_session(table: Table, account: str, session_id: str, at: datetime) -> Job:
    """Mark a session deleted and make the job that removes it. Raises NotFound."""
    session = sessions.get(table, account, session_id)
    job = _job(at, session_id=session_id)
    also = jobs.creation_writes(account, job, at + REDRIVE_AFTER)
    if session.space_id:
        # A space no longer recalls through it what other sessions keep.
        also.append(delete(keys.space_member(account, session.space_id, session_id)))
    hide_sessions(table, account, [session_id], at, also)
    return job


def delete_space(table: Table, account: str, space_id: str, at: datetime) -> Job:
    """Mark a space deleted and make the job that removes it and its sessions. Raises NotFound."""
    job = _job(at, space_id=space_id)
    writes = [
        deletion_mark_write(keys.space(account, ids.checked_id("spc", space_id)), at),
        *jobs.creation_writes(account, job, at + REDRIVE_AFTER),
    ]
    try:
        table.transact(writes)
    except ConditionFailed:
        raise NotFound from None
    return job


def delete_memory(table: Table, account: str, memory_id: str, at: datetime) -> Job | None:
    """Delete a memory and make the job that frees of it what derives from it. Raises NotFound.

    None when it was deleted before: its job is under way or done.
    """
    job = _job(at, memory_id=memory_id)
    also = jobs.creation_writes(account, job, at + REDRIVE_AFTER)
    return job if tombstone_memory(table, account, memory_id, at, also) else None


def delete_turn(table: Table, account: str, turn_id: str, at: datetime) -> Job | None:
    """Take a turn's words away and make the job that removes what rests on them.

    The job that is under way when it was deleted before; None when that is done. Raises NotFound.
    """
    session_id, number = ids.parse_turn_id(turn_id)
    sessions.get(table, account, session_id)
    places = (keys.turn, keys.expired_turn)
    found = table.get_many(place(account, session_id, number) for place in places)
    item = next(iter(found.values()), None)
    if item is None:
        raise NotFound
    if turns.is_deleted(item):
        return jobs.find_unfinished(table, account, JobKind.DELETION, session_id, number)
    job = _job(at, session_id=session_id, sequence_number=number)
    writes = [
        *turn_versions.deletion_writes(account, item, at),
        sessions.exists_check(account, session_id),
        *jobs.creation_writes(account, job, at + REDRIVE_AFTER),
    ]
    try:
        table.transact(writes)
    except ConditionFailed as failure:
        if 0 in failure.failed:
            # Replaced or deleted just now: looked at again.
            return delete_turn(table, account, turn_id, at)
        raise NotFound from None
    return job


def run_deletion(erasure: Erasure, job_id: str, lease_for: timedelta) -> bool:
    """Work on a deletion job; whether it is done. Another worker's job is left to it."""
    table, account, at = erasure.table, erasure.account, erasure.clock()
    job = jobs.get(table, account, job_id)
    if job.state.ended:
        return True
    lease = ids.new_id("lea", at)
    try:
        table.write(jobs.claim_write(account, job, lease, at, at + lease_for))
    except ConditionFailed:
        return False
    job = job.model_copy(update={"lease": lease})
    done = remove_all(erasure, job)
    now = erasure.clock()
    try:
        if done:
            table.transact(jobs.end_writes(account, job, JobState.DONE, None, job.result, now))
        else:
            jobs.release(table, account, job, "not finished yet", now, now)
    except ConditionFailed:
        # The lease ran out and someone else has taken over.
        return False
    return done


def _job(at: datetime, **what: Any) -> Job:
    return Job(
        id=ids.new_id("job", at),
        kind=JobKind.DELETION,
        state=JobState.QUEUED,
        created_at=at,
        updated_at=at,
        **what,
    )
