"""Redrive of due jobs: most are sent to the queue again, deletion and retention run here."""

from datetime import timedelta

from functions.maintenance import expiry
from strandline import keys
from strandline.clock import Deadline
from strandline.deletion import deletion_jobs
from strandline.deletion.erasure import Erasure
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.models.job import Job, JobKind
from strandline.observability import log_failure, metric
from strandline.store import job_transitions, jobs
from strandline.store.jobs import OpenJob
from strandline.table import ConditionFailed
from strandline.writes import delete

MAX_JOBS = 500


def redrive(deps: Dependencies, deadline: Deadline) -> dict[str, int]:
    """Continues the jobs that are due, oldest first, until the deadline.

    Returns how many were sent to the queue and how many were finished here.
    """
    counts = {"sent": 0, "finished": 0}
    for open_job in jobs.due_jobs(deps.table, deps.clock(), MAX_JOBS):
        if deadline.remaining() <= 0:
            break
        try:
            outcome = _continue_job(deps, open_job, deadline)
        except Exception as error:  # noqa: BLE001  one failing job must not stop the others
            # The job stays due, and the next run tries it again.
            log_failure("job not taken up", error, job_id=open_job.job_id)
            metric("RedriveFailed")
            continue
        if outcome:
            counts[outcome] += 1
    if counts["sent"]:
        metric("JobsRedriven", counts["sent"])
    return counts


def _continue_job(deps: Dependencies, open_job: OpenJob, deadline: Deadline) -> str:
    job = _unfinished_job(deps, open_job)
    if job is None:
        return ""
    if job.kind is JobKind.DELETION:
        erasure = Erasure(deps.table, open_job.account, deps.clock, deadline)
        lease = timedelta(seconds=deadline.remaining() + 5)
        return "finished" if deletion_jobs.run_deletion(erasure, job.id, lease) else ""
    if job.kind is JobKind.RETENTION:
        return "finished" if expiry.run_retention_job(deps, open_job.account, job, deadline) else ""
    return _send(deps, open_job, job)


def _unfinished_job(deps: Dependencies, open_job: OpenJob) -> Job | None:
    """Returns the job if it is unfinished; otherwise deletes its entry in the list of open jobs."""
    try:
        job = jobs.get(deps.table, open_job.account, open_job.job_id)
    except NotFound:
        job = None
    if job is None or job.state.ended:
        deps.table.write(delete(keys.open_job(open_job.account, open_job.job_id)))
        return None
    return job


def _send(deps: Dependencies, open_job: OpenJob, job: Job) -> str:
    at = deps.clock()
    pause = timedelta(seconds=deps.settings.job_redrive_seconds)
    leased = job.lease_until is not None and job.lease_until > at
    if not leased:
        deps.queue.send(open_job.account, job.id)
    try:
        deps.table.write(job_transitions.postpone_write(open_job.account, job.id, at + pause))
    except ConditionFailed:
        # The job ended meanwhile, so the worker ignores the message.
        return ""
    return "" if leased else "sent"
