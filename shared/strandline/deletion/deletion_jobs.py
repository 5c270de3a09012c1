"""Deletion jobs: each is stored in the transaction that hides what it will erase.

A deletion hides its target from every read at once (strandline.memories.visibility). The job
then erases it.
"""

from datetime import datetime, timedelta
from typing import Any

from strandline import ids, keys
from strandline.deletion.erasure import Erasure
from strandline.deletion.memory_removal import erase_memory
from strandline.deletion.session_removal import erase_session, erase_space
from strandline.deletion.turn_removal import erase_turn
from strandline.errors import NotFound
from strandline.memories.memory_deletion import tombstone_memory
from strandline.memories.visibility import deletion_mark_write, hide_sessions
from strandline.models.job import Job, JobKind, JobState
from strandline.store import job_transitions, jobs
from strandline.store.conversations import sessions, turn_versions, turns
from strandline.store.job_transitions import JobEnd, JobRetry
from strandline.table import ConditionFailed, Table
from strandline.writes import delete

REDRIVE_AFTER = timedelta(seconds=60)


def delete_session(table: Table, account: str, session_id: str, at: datetime) -> Job:
    """Hides a session and returns the job that erases it. Raises NotFound."""
    session = sessions.get(table, account, session_id)
    job = _new_job(at, session_id=session_id)
    also = jobs.creation_writes(account, job, at + REDRIVE_AFTER)
    if session.space_id:
        # Its space must no longer recall memories through it that other sessions keep.
        also.append(delete(keys.space_member(account, session.space_id, session_id)))
    hide_sessions(table, account, [session_id], at, also)
    return job


def delete_space(table: Table, account: str, space_id: str, at: datetime) -> Job:
    """Hides a space and returns the job that erases it with its sessions. Raises NotFound."""
    job = _new_job(at, space_id=space_id)
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
    """Deletes a memory's words and returns the job that rebuilds what derives from it.

    None when it was deleted before: that deletion has made the job. Raises NotFound.
    """
    job = _new_job(at, memory_id=memory_id)
    also = jobs.creation_writes(account, job, at + REDRIVE_AFTER)
    return job if tombstone_memory(table, account, memory_id, at, also) else None


def delete_turn(table: Table, account: str, turn_id: str, at: datetime) -> Job | None:
    """Deletes a turn's words and returns the job that erases them from all that cites them.

    For a turn that was deleted before: the job if it is unfinished, else None. Raises NotFound.
    """
    session_id, number = ids.parse_turn_id(turn_id)
    sessions.get(table, account, session_id)
    key_functions = (keys.turn, keys.expired_turn)
    found = table.get_many(key(account, session_id, number) for key in key_functions)
    item = next(iter(found.values()), None)
    if item is None:
        raise NotFound
    if turns.is_deleted(item):
        return jobs.find_unfinished(table, account, JobKind.DELETION, session_id, number)
    job = _new_job(at, session_id=session_id, sequence_number=number)
    writes = [
        *turn_versions.deletion_writes(account, item, at),
        sessions.exists_check(account, session_id),
        *jobs.creation_writes(account, job, at + REDRIVE_AFTER),
    ]
    try:
        table.transact(writes)
    except ConditionFailed as failure:
        if 0 in failure.failed:
            # It was replaced or deleted concurrently: start over with what is there now.
            return delete_turn(table, account, turn_id, at)
        raise NotFound from None
    return job


def run_deletion(erasure: Erasure, job_id: str, lease_for: timedelta) -> bool:
    """Works on a deletion job until its erasure's deadline; whether the job is done.

    Does nothing while another worker holds the job's lease.
    """
    table, account, at = erasure.table, erasure.account, erasure.clock()
    job = jobs.get(table, account, job_id)
    if job.state.ended:
        return True
    lease = ids.new_id("lea", at)
    try:
        table.write(job_transitions.claim_write(account, job, lease, at, at + lease_for))
    except ConditionFailed:
        return False
    job = job.model_copy(update={"lease": lease})
    done = _erase_target(erasure, job)
    now = erasure.clock()
    try:
        if done:
            end = JobEnd(JobState.DONE, None, job.result)
            table.transact(job_transitions.end_writes(account, job, end, now))
        else:
            retry = JobRetry("not finished yet", now)
            job_transitions.release(table, account, job, retry, now)
    except ConditionFailed:
        # The lease expired and another worker has taken over.
        return False
    return done


def _erase_target(erasure: Erasure, job: Job) -> bool:
    """Erases the memory, turn, session or space that a job names; whether it finished."""
    if job.memory_id:
        erase_memory(erasure, job.memory_id)
        return True
    if job.session_id and job.sequence_number:
        return erase_turn(erasure, job.session_id, job.sequence_number)
    if job.session_id:
        return erase_session(erasure, job.session_id)
    return erase_space(erasure, job.space_id or "")


def _new_job(at: datetime, **target: Any) -> Job:
    return Job(
        id=ids.new_id("job", at),
        kind=JobKind.DELETION,
        state=JobState.QUEUED,
        created_at=at,
        updated_at=at,
        **target,
    )
