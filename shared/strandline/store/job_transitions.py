"""Changes of a job's state: claimed by a lease, released, ended exactly once, cancelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from strandline import keys
from strandline.item_codec import decode, encode
from strandline.models.base import rfc3339
from strandline.models.job import Job, JobResult, JobState
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, delete, update

KEPT_AFTER_END = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How a job ends: its last state, the reason if it failed, and its result."""

    state: JobState
    reason: str | None
    result: JobResult


@dataclass(frozen=True, slots=True)
class JobRetry:
    """Why an attempt failed, and when the job is due for a re-drive."""

    reason: str
    due_at: datetime


def claim_write(account: str, job: Job, lease: str, at: datetime, until: datetime) -> Write:
    """Returns the write that takes a job's lease until a time.

    It requires that nobody holds the lease and that the job is as it was read.
    """
    return update(
        keys.job(account, job.id),
        "SET #state = :running, lease = :lease, lease_until = :until, attempts = :next,"
        " updated_at = :now",
        # Another worker's attempt may have begun or failed since the read. Both must be counted.
        condition="#state IN (:queued, :running) AND attempts = :seen AND failures = :failures"
        " AND (attribute_not_exists(lease_until) OR lease_until <= :now)",
        names={"#state": "state"},
        values={
            ":queued": JobState.QUEUED,
            ":running": JobState.RUNNING,
            ":lease": lease,
            ":until": rfc3339(until),
            ":seen": job.attempts,
            ":failures": job.failures,
            ":next": job.attempts + 1,
            ":now": rfc3339(at),
        },
    )


def end_writes(account: str, job: Job, end: JobEnd, at: datetime) -> list[Write]:
    """Returns the writes that end a job; they require the lease that `job` has.

    The first one is the job's own, on which the lease is checked.
    """
    job_write = update(
        keys.job(account, job.id),
        "SET #state = :state, reason = :reason, #result = :result, updated_at = :now,"
        " expires_at = :expires REMOVE lease, lease_until",
        condition="#state = :running AND lease = :lease",
        names={"#state": "state", "#result": "result"},
        values={
            ":running": JobState.RUNNING,
            ":lease": job.lease,
            ":state": end.state,
            ":reason": end.reason,
            ":result": encode(end.result),
            ":now": rfc3339(at),
            ":expires": _expires_at(at),
        },
    )
    return [job_write, delete(keys.open_job(account, job.id))]


def release(table: Table, account: str, job: Job, retry: JobRetry, at: datetime) -> None:
    """Gives up a job's lease after a failed attempt and schedules the next one.

    Raises ConditionFailed when the lease has passed to another worker.
    """
    released = update(
        keys.job(account, job.id),
        "SET reason = :reason, failures = :failures, lease_until = :now, updated_at = :now",
        condition="#state = :running AND lease = :lease",
        names={"#state": "state"},
        values={
            ":running": JobState.RUNNING,
            ":lease": job.lease,
            ":reason": retry.reason,
            ":failures": job.failures + 1,
            ":now": rfc3339(at),
        },
    )
    table.transact([released, postpone_write(account, job.id, retry.due_at)])


def progress_write(account: str, job: Job, place: str) -> Write:
    """Returns the write that stores a job's progress; it requires the lease that `job` has.

    `place` is the sort key to continue at.
    """
    return update(
        keys.job(account, job.id),
        "SET #place = :place",
        condition="lease = :lease",
        names={"#place": "place"},
        values={":place": place, ":lease": job.lease},
    )


def postpone_write(account: str, job_id: str, due_at: datetime) -> Write:
    """Returns the write that moves the next re-drive of an unfinished job."""
    return update(
        keys.open_job(account, job_id), "SET due_at = :due", values={":due": rfc3339(due_at)}
    )


def cancel_queued_write(account: str, job_id: str, reason: str, at: datetime) -> Write:
    """Returns the write that cancels a job that no worker has begun.

    Its marker of an unfinished job stays until the next re-drive.
    """
    return update(
        keys.job(account, job_id),
        "SET #state = :cancelled, reason = :reason, updated_at = :now, expires_at = :expires",
        condition="#state = :queued",
        names={"#state": "state"},
        values={
            ":queued": JobState.QUEUED,
            ":cancelled": JobState.CANCELLED,
            ":reason": reason,
            ":now": rfc3339(at),
            ":expires": _expires_at(at),
        },
    )


def cancel(table: Table, account: str, job_ids: Sequence[str], reason: str, at: datetime) -> None:
    """Cancels unfinished jobs; removes quoted words from the results of ended ones."""
    for job_id in job_ids:
        _cancel_one(table, account, job_id, reason, at)


def _cancel_one(table: Table, account: str, job_id: str, reason: str, at: datetime) -> None:
    cancelling = update(
        keys.job(account, job_id),
        "SET #state = :cancelled, reason = :reason, #result = :nothing, updated_at = :now,"
        " expires_at = :expires REMOVE lease, lease_until",
        condition="#state IN (:queued, :running)",
        names={"#state": "state", "#result": "result"},
        values={
            ":queued": JobState.QUEUED,
            ":running": JobState.RUNNING,
            ":cancelled": JobState.CANCELLED,
            ":reason": reason,
            ":nothing": encode(JobResult()),
            ":now": rfc3339(at),
            ":expires": _expires_at(at),
        },
    )
    try:
        table.transact([cancelling, delete(keys.open_job(account, job_id))])
    except ConditionFailed:
        _remove_quoted_words(table, account, job_id)


def _expires_at(ended_at: datetime) -> int:
    return int((ended_at + KEPT_AFTER_END).timestamp())


def _remove_quoted_words(table: Table, account: str, job_id: str) -> None:
    item = table.get(keys.job(account, job_id))
    if item is None:
        return
    stored = decode(Job, item).result.stored
    table.write(
        update(
            keys.job(account, job_id),
            "SET #result = :result",
            names={"#result": "result"},
            values={":result": encode(JobResult(stored=stored))},
        )
    )
