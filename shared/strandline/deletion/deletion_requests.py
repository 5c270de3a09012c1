"""Deletions on request: hidden at once, erased as far as the request's time allows."""

from datetime import timedelta

from strandline.clock import Deadline
from strandline.deletion import deletion_jobs
from strandline.deletion.erasure import Erasure
from strandline.dependencies import Dependencies
from strandline.models.job import Job

SECONDS_FOR_REMOVAL = 15.0
LEASE = timedelta(seconds=40)


def delete_session(deps: Dependencies, account: str, session_id: str) -> None:
    """Deletes a session. Raises NotFound."""
    job = deletion_jobs.delete_session(deps.table, account, session_id, deps.clock())
    _start_job(deps, account, job)


def delete_space(deps: Dependencies, account: str, space_id: str) -> None:
    """Deletes a space with its sessions. Raises NotFound."""
    job = deletion_jobs.delete_space(deps.table, account, space_id, deps.clock())
    _start_job(deps, account, job)


def delete_memory(deps: Dependencies, account: str, memory_id: str) -> None:
    """Deletes a memory and hides what derives from it; idempotent. Raises NotFound."""
    job = deletion_jobs.delete_memory(deps.table, account, memory_id, deps.clock())
    if job is not None:
        _start_job(deps, account, job)


def delete_turn(deps: Dependencies, account: str, turn_id: str) -> None:
    """Deletes a turn's words and what only they support; idempotent. Raises NotFound."""
    job = deletion_jobs.delete_turn(deps.table, account, turn_id, deps.clock())
    if job is not None:
        _start_job(deps, account, job)


def _start_job(deps: Dependencies, account: str, job: Job) -> None:
    """Works on the job for some seconds; the maintenance function continues an unfinished one."""
    deadline = Deadline.after(SECONDS_FOR_REMOVAL)
    erasure = Erasure(deps.table, account, deps.clock, deadline)
    deletion_jobs.run_deletion(erasure, job.id, LEASE)
