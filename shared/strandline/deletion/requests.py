"""Deleting on request: hidden at once, removed as far as the request's time allows."""

from datetime import timedelta

from strandline.clock import Deadline
from strandline.deletion import deletion_jobs
from strandline.deletion.removal import Erasure
from strandline.dependencies import Dependencies
from strandline.models.job import Job

SECONDS_FOR_REMOVAL = 15.0
LEASE = timedelta(seconds=40)


def delete_session(deps: Dependencies, account: str, session_id: str) -> None:
    """Delete a session. Raises NotFound."""
    job = deletion_jobs.delete_session(deps.table, account, session_id, deps.clock())
    _remove(deps, account, job)


def delete_space(deps: Dependencies, account: str, space_id: str) -> None:
    """Delete a space with its sessions. Raises NotFound."""
    job = deletion_jobs.delete_space(deps.table, account, space_id, deps.clock())
    _remove(deps, account, job)


def delete_memory(deps: Dependencies, account: str, memory_id: str) -> None:
    """Delete a memory and hide what derives from it; deleting it again is fine. Raises NotFound."""
    job = deletion_jobs.delete_memory(deps.table, account, memory_id, deps.clock())
    if job is not None:
        _remove(deps, account, job)


def delete_turn(deps: Dependencies, account: str, turn_id: str) -> None:
    """Delete a turn's words and what rests on nothing else; again is fine. Raises NotFound."""
    job = deletion_jobs.delete_turn(deps.table, account, turn_id, deps.clock())
    if job is not None:
        _remove(deps, account, job)


def _remove(deps: Dependencies, account: str, job: Job) -> None:
    """What there is no time for now, the maintenance function goes on with."""
    deadline = Deadline.after(SECONDS_FOR_REMOVAL)
    erasure = Erasure(deps.table, account, deps.clock, deadline)
    deletion_jobs.run_deletion(erasure, job.id, LEASE)
