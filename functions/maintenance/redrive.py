"""Jobs that are due: extractions go to the queue again, removals are worked on here."""

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
    """Go on with the jobs that are due, oldest first, while there is time."""
    done = {"sent": 0, "finished": 0}
    for mark in jobs.due_jobs(deps.table, deps.clock(), MAX_JOBS):
        if deadline.remaining() <= 0:
            break
        try:
            outcome = _continue_job(deps, mark, deadline)
        except Exception as error:  # noqa: BLE001  one job never keeps the others from their end
            # The mark stays due: the next run takes it up again.
            log_failure("job not taken up", error, job_id=mark.job_id)
            metric("RedriveFailed")
            continue
        if outcome:
            done[outcome] += 1
    if done["sent"]:
        metric("JobsRedriven", done["sent"])
    return done


def _continue_job(deps: Dependencies, mark: OpenJob, deadline: Deadline) -> str:
    job = _unfinished_job(deps, mark)
    if job is None:
        return ""
    if job.kind is JobKind.DELETION:
        erasure = Erasure(deps.table, mark.account, deps.clock, deadline)
        lease = timedelta(seconds=deadline.remaining() + 5)
        return "finished" if deletion_jobs.run_deletion(erasure, job.id, lease) else ""
    if job.kind is JobKind.RETENTION:
        return "finished" if expiry.run_retention_job(deps, mark.account, job, deadline) else ""
    return _send(deps, mark, job)


def _unfinished_job(deps: Dependencies, mark: OpenJob) -> Job | None:
    """The job, if it is unfinished; the mark of any other is taken away."""
    try:
        job = jobs.get(deps.table, mark.account, mark.job_id)
    except NotFound:
        job = None
    if job is None or job.state.ended:
        deps.table.write(delete(keys.open_job(mark.account, mark.job_id)))
        return None
    return job


def _send(deps: Dependencies, mark: OpenJob, job: Job) -> str:
    at = deps.clock()
    pause = timedelta(seconds=deps.settings.job_redrive_seconds)
    at_work = job.lease_until is not None and job.lease_until > at
    if not at_work:
        deps.queue.send(mark.account, job.id)
    try:
        deps.table.write(job_transitions.postpone_write(mark.account, job.id, at + pause))
    except ConditionFailed:
        # It ended between the two: the message finds an ended job and does nothing.
        return ""
    return "" if at_work else "sent"
