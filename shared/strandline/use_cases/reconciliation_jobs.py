"""Jobs that bring memories up to date with what they rest on, once that has changed."""

from datetime import datetime, timedelta

from strandline import ids
from strandline.dependencies import Dependencies
from strandline.memories import derivation
from strandline.models.job import Job, JobKind, JobState
from strandline.store import jobs
from strandline.use_cases.job_dispatch import send_jobs
from strandline.writes import Write


def memory_job(memory_id: str, at: datetime) -> Job:
    """The job for what refers to a memory whose words have changed."""
    return _job(at, memory_id=memory_id)


def exchange_job(session_id: str, question: int, at: datetime) -> Job:
    """The job for what rests on an exchange one of whose turns was replaced."""
    return _job(at, session_id=session_id, sequence_number=question)


def creation_writes(deps: Dependencies, account: str, job: Job) -> list[Write]:
    """The writes that create the job, to go with what makes it necessary."""
    redrive_at = job.created_at + timedelta(seconds=deps.settings.job_redrive_seconds)
    return jobs.creation_writes(account, job, redrive_at)


def mark_referring_stale(
    deps: Dependencies, account: str, memory_id: str, job: Job | None, at: datetime
) -> None:
    """Mark stale at once what refers to the changed memory; the job brings it up to date.

    The job marks it too, should this end here. What has come to refer to it only just now gets a
    job here: it may have been made from the earlier words.
    """
    referring = derivation.currently_referring(deps.table, account, [memory_id])
    if job is None:
        if not referring:
            return
        job = memory_job(memory_id, at)
        deps.table.transact(creation_writes(deps, account, job))
    derivation.mark_stale(deps.table, account, referring, at)
    send_jobs(deps, account, [job.id])


def _job(at: datetime, **what: str | int) -> Job:
    return Job.model_validate(
        {
            "id": ids.new_id("job", at),
            "kind": JobKind.RECONCILIATION,
            "state": JobState.QUEUED,
            "created_at": at,
            "updated_at": at,
            **what,
        }
    )
