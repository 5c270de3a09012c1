"""How a try of a job ends: stored in one transaction, told and tried again, or given up."""

from collections import Counter
from datetime import timedelta

from functions.extract.pipeline import ExchangeInput, Outcome
from functions.extract.reasons import reason_of
from functions.extract.reconciliation import reference_refresh
from strandline.dependencies import Dependencies
from strandline.errors import ModelError
from strandline.memories.transaction import apply_changes
from strandline.models.job import Job, JobState
from strandline.observability import log_failure, metric
from strandline.store import jobs
from strandline.store.conversations import turns
from strandline.store.conversations.sessions import exists_check
from strandline.table import ConditionFailed
from strandline.use_cases import reconciliation_jobs
from strandline.writes import Write

MAX_BACK_OFF_SECONDS = 900
_SESSION = 0
"""Among the writes beside the changes, the session's being there; the job's end comes after."""


class Postponed(Exception):
    """The job can't be ended now; its message comes back."""

    def __init__(self, seconds: int, reason: str) -> None:
        self.seconds = seconds
        super().__init__(reason)


class TurnsChanged(Exception):
    """A turn of the exchange was replaced or deleted since it was read."""


def store_outcome(
    deps: Dependencies,
    account: str,
    job: Job,
    outcome: Outcome,
    material: ExchangeInput | None = None,
) -> Job:
    """Everything an outcome means, in one transaction with the job's end.

    Raises HeadMoved; TurnsChanged when the turns of `material` aren't any more what was read.
    """
    at = deps.clock()
    ending = jobs.end_writes(account, job, outcome.state, outcome.reason, outcome.result, at)
    following = reference_refresh.refresh_jobs(deps, account, outcome.changes, at)
    there = [exists_check(account, job.session_id)] if job.session_id else []
    also: list[Write] = [*there, *ending]
    also += [turns.unchanged_check(account, turn) for turn in (material.turns if material else ())]
    for each in following:
        also += reconciliation_jobs.creation_writes(deps, account, each)
    try:
        apply_changes(deps.table, account, outcome.changes, at, also)
    except ConditionFailed as failure:
        if len(there) in failure.failed:
            return job_ended_elsewhere(deps, account, job)
        if not (there and _SESSION in failure.failed):
            raise TurnsChanged from None
        jobs.cancel(deps.table, account, [job.id], "the session was deleted", at)
        return jobs.get(deps.table, account, job.id)
    for each in following:
        reconciliation_jobs.mark_referring_stale(deps, account, each.memory_id or "", each, at)
    _count(outcome)
    ended = {"state": outcome.state, "reason": outcome.reason, "result": outcome.result}
    return job.model_copy(update=ended)


def record_failure(deps: Dependencies, account: str, job: Job, error: Exception) -> Job:
    """A failed try: told on the job, and either tried again later or the end."""
    reason = reason_of(error)
    log_failure("extraction failed", error, job_id=job.id)
    metric("ExtractionFailed")
    failures = job.failures + 1
    at = deps.clock()
    hopeless = isinstance(error, ModelError) and not error.retryable
    if hopeless or failures >= deps.settings.job_max_failures:
        return store_outcome(deps, account, job, Outcome(JobState.FAILED, reason))
    seconds = _back_off(deps, failures, error)
    due_at = at + timedelta(seconds=seconds + deps.settings.job_redrive_seconds)
    try:
        jobs.release(deps.table, account, job, reason, at, due_at)
    except ConditionFailed:
        return job_ended_elsewhere(deps, account, job)
    raise Postponed(seconds, reason) from error


def _count(outcome: Outcome) -> None:
    metric("JobsEnded", state=outcome.state.value)
    if outcome.result.stored:
        metric("MemoriesStored", len(outcome.result.stored))
    # The reasons are a fixed set of sentences: as a dimension they stay few.
    for reason, number in Counter(each.reason for each in outcome.result.dropped).items():
        metric("MemoriesDropped", number, reason=reason)


def job_ended_elsewhere(deps: Dependencies, account: str, job: Job) -> Job:
    """The job as someone else has ended it meanwhile. Raises Postponed when it isn't ended."""
    found = jobs.get(deps.table, account, job.id)
    if not found.state.ended:
        raise Postponed(2, "another worker has the job")
    return found


def _back_off(deps: Dependencies, failures: int, error: Exception) -> int:
    """Seconds until the next try: three times as long each time, or as the service asks."""
    asked = error.retry_after if isinstance(error, ModelError) else None
    own = float(deps.settings.job_retry_seconds * 3 ** (failures - 1))
    return round(min(MAX_BACK_OFF_SECONDS, max(own, asked or 0.0)))
