"""Runs jobs: each under a lease, in the account's order, ended exactly once.

An account's jobs run in the order they were created, so that every order and number of deliveries
ends in the same table. A job whose attempt failed doesn't hold up the jobs behind it.
"""

from functions.extract import pipeline, session_titles
from functions.extract.candidates.candidate import ExtractedCandidates
from functions.extract.job_input import JobInput, load_job_input
from functions.extract.job_lease import claim_job, usage_writes
from functions.extract.outcome import (
    Outcome,
    Postponed,
    TurnsChanged,
    cancel_job,
    record_failure,
    store_outcome,
)
from functions.extract.reconciliation import reference_refresh, turn_reconciliation
from functions.extract.reconciliation.changes import ChangePlanner
from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.errors import NotFound, StorageBusy
from strandline.models.job import Job, JobKind, JobResult, JobState
from strandline.models.memory_head import HeadChanged
from strandline.observability import logger
from strandline.store import jobs

MAX_ATTEMPTS = 12
MIN_SECONDS_PER_JOB = 8.0
"""A job isn't begun with less time than this left."""

LEARNING_JOB_KINDS = frozenset({JobKind.EXTRACTION, JobKind.RECONCILIATION})
_RECONCILE_ATTEMPTS = 5


class JobFailed(Exception):
    """The job failed for good; its message goes to the dead-letter queue."""


def process_job(deps: Dependencies, account: str, job_id: str, deadline: Deadline) -> None:
    """Runs a delivered job, and before it the account's unfinished jobs created earlier.

    Raises Postponed when the message is to come back, JobFailed when the job ended as failed.
    """
    try:
        job = jobs.get(deps.table, account, job_id)
    except NotFound:
        logger.warning("no such job", extra={"job_id": job_id})
        return
    if not job.state.ended:
        for earlier in _earlier_open_jobs(deps, account, job):
            _run_earlier_job(deps, account, earlier, deadline)
        job = run_job(deps, account, job, deadline)
    _title_session(deps, account, job, deadline)
    if job.state is JobState.FAILED:
        raise JobFailed(job.reason)


def run_job(deps: Dependencies, account: str, job: Job, deadline: Deadline) -> Job:
    """Claims a job and runs it; returns the ended job. Raises Postponed."""
    if deadline.remaining() < MIN_SECONDS_PER_JOB:
        raise Postponed(1, "no time left in this batch")
    if job.memory_id:
        return _run_refresh_job(deps, account, job)
    try:
        job_input = load_job_input(deps, account, job)
    except NotFound:
        return cancel_job(deps, account, job, "the session was deleted", deps.clock())
    except StorageBusy as busy:
        raise Postponed(deps.settings.job_retry_seconds, busy.message) from busy
    except Exception as error:  # noqa: BLE001  unreadable input fails the job, not the queue
        return record_failure(deps, account, claim_job(deps, account, job, ()), error)
    counted = job.attempts or job.kind is not JobKind.EXTRACTION
    uses = [] if counted else usage_writes(account, job_input.receipt)
    claimed = claim_job(deps, account, job, uses)
    try:
        return _extract_and_store(deps, account, claimed, job_input, deadline)
    except Postponed:
        raise
    except TurnsChanged:
        return _retry_with_changed_turns(deps, account, claimed, deadline)
    except Exception as error:  # noqa: BLE001  any error is recorded on the job and tried again
        return record_failure(deps, account, claimed, error)


def _title_session(deps: Dependencies, account: str, job: Job, deadline: Deadline) -> None:
    """Gives the job's session its title, if that is due.

    The job has ended whatever comes of this. Raises Postponed where there is no time for it; the
    ended job's message then comes back.
    """
    try:
        if not session_titles.needs_title(deps, account, job):
            return
        if deadline.remaining() < MIN_SECONDS_PER_JOB:
            raise Postponed(1, "no time left in this batch")
        session_titles.make_title(deps, account, job.session_id or "", deadline)
    except StorageBusy as busy:
        raise Postponed(deps.settings.job_retry_seconds, busy.message) from busy


def _retry_with_changed_turns(
    deps: Dependencies, account: str, job: Job, deadline: Deadline
) -> Job:
    """Runs the job once more with the turns as they are now; a deleted turn cancels it."""
    try:
        job_input = load_job_input(deps, account, job)
        return _extract_and_store(deps, account, job, job_input, deadline)
    except NotFound:
        return cancel_job(deps, account, job, "a turn of the exchange was deleted", deps.clock())
    except TurnsChanged:
        raise Postponed(2, "the turns of the exchange change too fast") from None
    except Postponed:
        raise
    except Exception as error:  # noqa: BLE001  as for any attempt
        return record_failure(deps, account, job, error)


def _run_refresh_job(deps: Dependencies, account: str, job: Job) -> Job:
    """Refreshes the references to a memory that has changed; calls no model."""
    claimed = claim_job(deps, account, job, ())
    try:
        refreshed = reference_refresh.refresh_references(
            deps, account, job.memory_id or "", deps.clock()
        )
        state = JobState.STORED if refreshed else JobState.NONE
        reason = None if refreshed else "nothing refers to it"
        outcome = Outcome(state, reason, JobResult(stored=tuple(refreshed)))
        return store_outcome(deps, account, claimed, outcome)
    except Exception as error:  # noqa: BLE001  as for any attempt
        return record_failure(deps, account, claimed, error)


def _earlier_open_jobs(deps: Dependencies, account: str, job: Job) -> list[Job]:
    """Returns the account's unfinished learning jobs created before this one, oldest first.

    Those with a failed attempt are left out.
    """
    marks = jobs.open_jobs(deps.table, account, up_to=job.id)
    names = [m.job_id for m in marks if m.kind in LEARNING_JOB_KINDS and m.job_id < job.id]
    found = jobs.get_many(deps.table, account, names) if names else []
    return [other for other in found if not other.state.ended and not other.failures]


def _run_earlier_job(deps: Dependencies, account: str, job: Job, deadline: Deadline) -> None:
    if job.lease_until is not None and job.lease_until > deps.clock():
        raise Postponed(2, "an earlier job of the account is being worked on")
    try:
        run_job(deps, account, job, deadline)
    except Postponed:
        # A failed attempt is recorded on the job; the jobs behind it go on.
        if not jobs.get(deps.table, account, job.id).failures:
            raise


def _extract_and_store(
    deps: Dependencies, account: str, job: Job, job_input: JobInput, deadline: Deadline
) -> Job:
    """Runs the pipeline for a claimed job and stores its outcome.

    Raises TurnsChanged, Postponed, StorageBusy when the account's memories change too fast, and
    what the model raises.
    """
    if job.attempts > MAX_ATTEMPTS:
        reason = f"given up after {MAX_ATTEMPTS} attempts"
        return store_outcome(deps, account, job, Outcome(JobState.FAILED, reason))
    if job.kind is JobKind.RECONCILIATION:
        # Before the model call: whatever comes of that, replaced evidence isn't current.
        turn_reconciliation.mark_stale_memories(deps, account, job_input)
    extracted = pipeline.extract_candidates(deps, job_input.exchange, deadline)
    if isinstance(extracted, Outcome) and job.kind is JobKind.EXTRACTION:
        return store_outcome(deps, account, job, extracted, job_input.turns)
    for _ in range(_RECONCILE_ATTEMPTS):
        try:
            outcome = _reconciled_outcome(deps, account, job_input, extracted)
            return store_outcome(deps, account, job, outcome, job_input.turns)
        except HeadChanged:
            continue
    raise StorageBusy("The memories of this account change too fast.")


def _reconciled_outcome(
    deps: Dependencies,
    account: str,
    job_input: JobInput,
    extracted: ExtractedCandidates | Outcome,
) -> Outcome:
    """Returns the outcome of comparing the candidates with the account's memories.

    For a replaced turn, memories that cite its earlier version are reconciled as well. Raises
    HeadChanged.
    """
    if isinstance(extracted, Outcome):
        outcome = extracted
    else:
        outcome = ChangePlanner(deps, account, job_input, extracted).plan_outcome()
    if job_input.job.kind is JobKind.EXTRACTION or outcome.state is JobState.FAILED:
        return outcome
    was_read = outcome.reason != pipeline.MODEL_REFUSED
    return turn_reconciliation.reconcile_replaced_turn(
        deps, account, job_input, outcome, was_read=was_read
    )
