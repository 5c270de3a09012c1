"""Reconciliation jobs: they bring memories up to date after a source has changed."""

from datetime import datetime, timedelta

from strandline import ids
from strandline.dependencies import Dependencies
from strandline.memories import derivation_walk, staleness
from strandline.models.job import Job, JobKind, JobState
from strandline.store import jobs
from strandline.use_cases.job_dispatch import send_jobs
from strandline.writes import Write


def memory_job(memory_id: str, at: datetime) -> Job:
    """Returns a new job for the memories that refer to a changed memory."""
    return _new_job(at, memory_id=memory_id)


def exchange_job(session_id: str, question: int, at: datetime) -> Job:
    """Returns a new job for the memories of an exchange with a replaced turn.

    `question` is the sequence number of the exchange's question.
    """
    return _new_job(at, session_id=session_id, sequence_number=question)


def creation_writes(deps: Dependencies, account: str, job: Job) -> list[Write]:
    """Returns the writes that create a job, for the transaction that makes it necessary."""
    redrive_at = job.created_at + timedelta(seconds=deps.settings.job_redrive_seconds)
    return jobs.creation_writes(account, job, redrive_at)


def mark_referring_stale(
    deps: Dependencies, account: str, memory_id: str, job: Job | None, at: datetime
) -> None:
    """Marks stale what refers to a changed memory, and sends the job that reconciles it.

    The job also marks it stale, in case this request ends early. Without a `job`, a new one is
    made if a memory refers to this one by now: it may have been made from the earlier words.
    """
    referring = derivation_walk.find_referring(deps.table, account, [memory_id])
    if job is None:
        if not referring:
            return
        job = memory_job(memory_id, at)
        deps.table.transact(creation_writes(deps, account, job))
    staleness.mark_stale(deps.table, account, referring, at)
    send_jobs(deps, account, [job.id])


def _new_job(at: datetime, **target: str | int) -> Job:
    return Job.model_validate(
        {
            "id": ids.new_id("job", at),
            "kind": JobKind.RECONCILIATION,
            "state": JobState.QUEUED,
            "created_at": at,
            "updated_at": at,
            **target,
        }
    )
