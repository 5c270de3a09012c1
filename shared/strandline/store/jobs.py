"""Jobs as items: creating them and finding them.

A job is stored in the transaction that makes it necessary. Its changes of state are in
strandline.store.job_transitions.
"""

from collections.abc import Iterable
from datetime import datetime

from strandline import ids, keys
from strandline.errors import NotFound
from strandline.item_codec import decode, encode
from strandline.models.base import Value, rfc3339
from strandline.models.job import Job, JobKind
from strandline.queries import Query
from strandline.table import Table
from strandline.writes import Write, put_new


class OpenJob(Value):
    """The marker of an unfinished job, by which the account and the re-drive find it."""

    account: str
    job_id: str
    kind: JobKind
    session_id: str | None = None


def creation_writes(account: str, job: Job, redrive_at: datetime) -> list[Write]:
    """Returns the writes that create a job.

    They belong in the transaction that makes the job necessary. The job is due for a re-drive at
    `redrive_at`.
    """
    mark = OpenJob(account=account, job_id=job.id, kind=job.kind, session_id=job.session_id)
    due = {"open_shard": keys.open_shard(account), "due_at": rfc3339(redrive_at)}
    return [
        put_new(keys.job(account, job.id), encode(job)),
        put_new(keys.open_job(account, job.id), encode(mark) | due),
    ]


def get(table: Table, account: str, job_id: str) -> Job:
    """Returns the account's job. Raises NotFound."""
    item = table.get(keys.job(account, ids.checked_id("job", job_id)))
    if item is None:
        raise NotFound
    return decode(Job, item)


def get_many(table: Table, account: str, job_ids: Iterable[str]) -> list[Job]:
    """Returns the jobs that exist, in the order of their ids."""
    found = table.get_many(keys.job(account, job_id) for job_id in job_ids)
    return sorted((decode(Job, item) for item in found.values()), key=lambda job: job.id)


def open_jobs(table: Table, account: str, up_to: str | None = None) -> list[OpenJob]:
    """Returns the account's unfinished jobs, oldest first, with a consistent read.

    `up_to` is the id of the newest job to return.
    """
    first = keys.open_job(account, "")
    if up_to is None:
        items = table.all(Query.of_prefix(first))
    else:
        items = table.all(Query.of_range(first, keys.open_job(account, up_to)))
    return [decode(OpenJob, item) for item in items]


def find_unfinished(
    table: Table, account: str, kind: JobKind, session_id: str, sequence_number: int
) -> Job | None:
    """Returns the unfinished job of a kind for a turn or an exchange, if there is one."""
    marks = open_jobs(table, account)
    names = [m.job_id for m in marks if m.kind is kind and m.session_id == session_id]
    found = get_many(table, account, names)
    return next((job for job in found if job.sequence_number == sequence_number), None)


def due_jobs(table: Table, at: datetime, limit: int) -> list[OpenJob]:
    """Returns unfinished jobs of all accounts that are due for a re-drive, earliest first."""
    shards = (f"OPEN#{number}" for number in range(keys.OPEN_JOBS_SHARDS))
    found = [item for shard in shards for item in table.open_jobs(shard, rfc3339(at), limit)]
    return [decode(OpenJob, item) for item in sorted(found, key=lambda i: i["due_at"])[:limit]]
