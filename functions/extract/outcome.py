"""The outcome of a job's attempt: stored with the job's end, or recorded as a failure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from functions.extract.reconciliation import reference_refresh
from strandline.dependencies import Dependencies
from strandline.errors import ModelError, failure_reason
from strandline.memories.transaction import Change, apply_changes
from strandline.models.job import Job, JobResult, JobState
from strandline.models.turn import Turn
from strandline.observability import log_failure, metric
from strandline.store import job_transitions, jobs
from strandline.store.conversations import turns
from strandline.store.conversations.sessions import exists_check
from strandline.store.job_transitions import JobEnd, JobRetry
from strandline.table import ConditionFailed
from strandline.use_cases import reconciliation_jobs
from strandline.writes import Write

MAX_BACK_OFF_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end state of a job, and the changes to memories that go with it."""

    state: JobState
    reason: str | None = None
    result: JobResult = field(default_factory=JobResult)
    changes: Sequence[Change] = ()


class Postponed(Exception):
    """The job can't be ended now; its message comes back after `seconds`."""

    def __init__(self, seconds: int, reason: str) -> None:
        self.seconds = seconds
        super().__init__(reason)


class TurnsChanged(Exception):
    """A turn of the exchange was replaced or deleted since it was read."""


def store_outcome(
    deps: Dependencies, account: str, job: Job, outcome: Outcome, read_turns: Sequence[Turn] = ()
) -> Job:
    """Stores an outcome and the end of its job in one transaction; returns the ended job.

    `read_turns` are the turns the outcome was made from. Raises HeadChanged when a memory changed
    meanwhile, TurnsChanged when one of `read_turns` did, Postponed when another worker has the job.
    """
    at = deps.clock()
    session_check = [exists_check(account, job.session_id)] if job.session_id else []
    end = JobEnd(outcome.state, outcome.reason, outcome.result)
    refresh_jobs = reference_refresh.refresh_jobs(deps, account, outcome.changes, at)
    writes: list[Write] = [*session_check, *job_transitions.end_writes(account, job, end, at)]
    writes += [turns.unchanged_check(account, turn) for turn in read_turns]
    for each in refresh_jobs:
        writes += reconciliation_jobs.creation_writes(deps, account, each)
    try:
        apply_changes(deps.table, account, outcome.changes, at, writes)
    except ConditionFailed as failure:
        # The job's end is the first write after the session's check, which is there or not.
        if len(session_check) in failure.failed:
            return _job_ended_elsewhere(deps, account, job)
        if session_check and 0 in failure.failed:
            return cancel_job(deps, account, job, "the session was deleted", at)
        raise TurnsChanged from None
    for each in refresh_jobs:
        reconciliation_jobs.mark_referring_stale(deps, account, each.memory_id or "", each, at)
    _record_metrics(outcome)
    ended = {"state": outcome.state, "reason": outcome.reason, "result": outcome.result}
    return job.model_copy(update=ended)


def record_failure(deps: Dependencies, account: str, job: Job, error: Exception) -> Job:
    """Records a failed attempt on the job, which is tried again later or ends as failed.

    Returns the job when it has ended. Raises Postponed when it is tried again.
    """
    reason = failure_reason(error)
    log_failure("extraction failed", error, job_id=job.id)
    metric("ExtractionFailed")
    failures = job.failures + 1
    at = deps.clock()
    permanent = isinstance(error, ModelError) and not error.retryable
    if permanent or failures >= deps.settings.job_max_failures:
        return store_outcome(deps, account, job, Outcome(JobState.FAILED, reason))
    seconds = _retry_delay(deps, failures, error)
    due_at = at + timedelta(seconds=seconds + deps.settings.job_redrive_seconds)
    try:
        job_transitions.release(deps.table, account, job, JobRetry(reason, due_at), at)
    except ConditionFailed:
        return _job_ended_elsewhere(deps, account, job)
    raise Postponed(seconds, reason) from error


def cancel_job(deps: Dependencies, account: str, job: Job, reason: str, at: datetime) -> Job:
    """Cancels a job whose exchange is gone; returns the job as it is then."""
    job_transitions.cancel(deps.table, account, [job.id], reason, at)
    return jobs.get(deps.table, account, job.id)


def _record_metrics(outcome: Outcome) -> None:
    metric("JobsEnded", state=outcome.state.value)
    if outcome.result.stored:
        metric("MemoriesStored", len(outcome.result.stored))
    # The reasons are a fixed set of sentences, so as a metric dimension they stay few.
    for reason, number in Counter(each.reason for each in outcome.result.dropped).items():
        metric("MemoriesDropped", number, reason=reason)


def _job_ended_elsewhere(deps: Dependencies, account: str, job: Job) -> Job:
    """Returns the job as another worker ended it. Raises Postponed when it hasn't ended."""
    found = jobs.get(deps.table, account, job.id)
    if not found.state.ended:
        raise Postponed(2, "another worker has the job")
    return found


def _retry_delay(deps: Dependencies, failures: int, error: Exception) -> int:
    """Returns the seconds until the next attempt: threefold each time, or as the service asks."""
    requested = error.retry_after if isinstance(error, ModelError) else None
    own = float(deps.settings.job_retry_seconds * 3 ** (failures - 1))
    return round(min(MAX_BACK_OFF_SECONDS, max(own, requested or 0.0)))
