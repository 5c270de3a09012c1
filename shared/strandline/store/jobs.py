"""Jobs: stored with what makes them necessary, claimed by lease, ended exactly once."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from strandline import ids, keys
from strandline.errors import NotFound
from strandline.item_codec import decode, encode
from strandline.models.base import Value, rfc3339
from strandline.models.job import Job, JobKind, JobResult, JobState
from strandline.queries import Query
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, delete, put_new, update

KEPT_AFTER_END = timedelta(days=90)


class OpenJob(Value):
    """The mark of an unfinished job: what a worker or the re-drive needs to find it."""

    account: str
    job_id: str
    kind: JobKind
    session_id: str | None = None


def creation_writes(account: str, job: Job, redrive_at: datetime) -> list[Write]:
    """The writes that create a job, to go with what makes it necessary."""
    mark = OpenJob(account=account, job_id=job.id, kind=job.kind, session_id=job.session_id)
    due = {"open_shard": keys.open_shard(account), "due_at": rfc3339(redrive_at)}
    return [
        put_new(keys.job(account, job.id), encode(job)),
        put_new(keys.open_job(account, job.id), encode(mark) | due),
    ]


def get(table: Table, account: str, job_id: str) -> Job:
    """The account's job. Raises NotFound."""
    item = table.get(keys.job(account, ids.checked_id("job", job_id)))
    if item is None:
        raise NotFound
    return decode(Job, item)


def get_many(table: Table, account: str, job_ids: Iterable[str]) -> list[Job]:
    """Those jobs that are there, in the order of their ids."""
    found = table.get_many(keys.job(account, job_id) for job_id in job_ids)
    return sorted((decode(Job, item) for item in found.values()), key=lambda job: job.id)


def open_jobs(table: Table, account: str, up_to: str | None = None) -> list[OpenJob]:
    """The account's unfinished jobs in the order they were made, read strongly."""
    first = keys.open_job(account, "")
    if up_to is None:
        items = table.all(Query.of_prefix(first))
    else:
        items = table.all(Query.of_range(first, keys.open_job(account, up_to)))
    return [decode(OpenJob, item) for item in items]


def find_unfinished(
    table: Table, account: str, kind: JobKind, session_id: str, sequence_number: int
) -> Job | None:
    """The unfinished job of that kind about that turn or exchange, if there is one."""
    marks = open_jobs(table, account)
    names = [m.job_id for m in marks if m.kind is kind and m.session_id == session_id]
    found = get_many(table, account, names)
    return next((job for job in found if job.sequence_number == sequence_number), None)


def due_jobs(table: Table, at: datetime, limit: int) -> list[OpenJob]:
    """Unfinished jobs of all accounts whose time for a re-drive has come, oldest first."""
    shards = (f"OPEN#{number}" for number in range(keys.OPEN_JOBS_SHARDS))
    found = [item for shard in shards for item in table.open_jobs(shard, rfc3339(at), limit)]
    return [decode(OpenJob, item) for item in sorted(found, key=lambda i: i["due_at"])[:limit]]


def claim_write(account: str, job: Job, lease: str, at: datetime, until: datetime) -> Write:
    """The write that makes a worker the job's only one until then, if it is free as read."""
    return update(
        keys.job(account, job.id),
        "SET #state = :running, lease = :lease, lease_until = :until, attempts = :next,"
        " updated_at = :now",
        # Another's try may have begun or failed since the job was read: neither may go uncounted.
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


def end_writes(
    account: str, job: Job, state: JobState, reason: str | None, result: JobResult, at: datetime
) -> list[Write]:
    """The writes that end a job, if the lease is still this worker's. First the job's own."""
    end = update(
        keys.job(account, job.id),
        "SET #state = :state, reason = :reason, #result = :result, updated_at = :now,"
        " expires_at = :expires REMOVE lease, lease_until",
        condition="#state = :running AND lease = :lease",
        names={"#state": "state", "#result": "result"},
        values={
            ":running": JobState.RUNNING,
            ":lease": job.lease,
            ":state": state,
            ":reason": reason,
            ":result": encode(result),
            ":now": rfc3339(at),
            ":expires": _kept_until(at),
        },
    )
    return [end, delete(keys.open_job(account, job.id))]


def release(
    table: Table, account: str, job: Job, reason: str, at: datetime, due_at: datetime
) -> None:
    """Give a job back after a failed try, to be tried again at `due_at` or when delivered.

    Raises ConditionFailed when the lease is no longer this worker's.
    """
    back = update(
        keys.job(account, job.id),
        "SET reason = :reason, failures = :failures, lease_until = :now, updated_at = :now",
        condition="#state = :running AND lease = :lease",
        names={"#state": "state"},
        values={
            ":running": JobState.RUNNING,
            ":lease": job.lease,
            ":reason": reason,
            ":failures": job.failures + 1,
            ":now": rfc3339(at),
        },
    )
    table.transact([back, postpone_write(account, job.id, due_at)])


def progress_write(account: str, job: Job, place: str) -> Write:
    """The write that keeps how far a job has come, if the lease is still this worker's."""
    return update(
        keys.job(account, job.id),
        "SET #place = :place",
        condition="lease = :lease",
        names={"#place": "place"},
        values={":place": place, ":lease": job.lease},
    )


def postpone_write(account: str, job_id: str, due_at: datetime) -> Write:
    """The write that moves an unfinished job's next re-drive."""
    return update(
        keys.open_job(account, job_id), "SET due_at = :due", values={":due": rfc3339(due_at)}
    )


def cancel_queued_write(account: str, job_id: str, reason: str, at: datetime) -> Write:
    """The write that cancels a job nobody has begun; its open mark stays until it comes due."""
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
            ":expires": _kept_until(at),
        },
    )


def cancel(table: Table, account: str, job_ids: Sequence[str], reason: str, at: datetime) -> None:
    """Cancel those that are not ended, and take recorded words out of those that are."""
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
            ":expires": _kept_until(at),
        },
    )
    try:
        table.transact([cancelling, delete(keys.open_job(account, job_id))])
    except ConditionFailed:
        _forget_words(table, account, job_id)


def _kept_until(ended_at: datetime) -> int:
    return int((ended_at + KEPT_AFTER_END).timestamp())


def _forget_words(table: Table, account: str, job_id: str) -> None:
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
