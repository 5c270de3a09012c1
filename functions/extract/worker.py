"""Running a job: claimed by lease, in the account's order, ended exactly once.

The jobs of an account are learned from in the order they were made, so that any order and number
of deliveries ends in the same table. One whose try failed doesn't hold up those behind it.
"""

from collections.abc import Sequence
from datetime import timedelta

from functions.extract import pipeline, session_titles
from functions.extract.outcome import Postponed, TurnsChanged, record_failure, store_outcome
from functions.extract.pipeline import ExchangeInput, Outcome, VerifiedCandidates
from functions.extract.reconciliation import reference_refresh, turn_reconciliation
from functions.extract.reconciliation.changes import ChangePlanner
from strandline import ids, keys
from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.errors import NotFound, StorageBusy
from strandline.models.base import rfc3339
from strandline.models.job import Job, JobKind, JobResult, JobState
from strandline.models.memory_head import HeadMoved
from strandline.models.receipt import Receipt
from strandline.observability import logger
from strandline.store import jobs
from strandline.table import ConditionFailed
from strandline.writes import Write, update

MAX_ATTEMPTS = 12
SECONDS_PER_JOB = 8.0
_SETTLING_ATTEMPTS = 5
LEARNING = frozenset({JobKind.EXTRACTION, JobKind.RECONCILIATION})


class GivenUp(Exception):
    """The job failed for good; its message goes to the dead-letter queue."""


def work(deps: Dependencies, account: str, job_id: str, until: Deadline) -> None:
    """Run a delivered job, and before it those of the account that were made earlier.

    Raises Postponed, GivenUp.
    """
    try:
        job = jobs.get(deps.table, account, job_id)
    except NotFound:
        logger.warning("no such job", extra={"job_id": job_id})
        return
    if not job.state.ended:
        for earlier in _earlier(deps, account, job):
            _run_earlier(deps, account, earlier, until)
        job = run(deps, account, job, until)
    _entitle(deps, account, job, until)
    if job.state is JobState.FAILED:
        raise GivenUp(job.reason)


def _entitle(deps: Dependencies, account: str, job: Job, until: Deadline) -> None:
    """Give the session its title, if it is due: the job has ended, whatever comes of this.

    Raises Postponed where there is no time for it; the ended job's message then comes back.
    """
    try:
        if not session_titles.needs_title(deps, account, job):
            return
        if until.remaining() < SECONDS_PER_JOB:
            raise Postponed(1, "no time left in this batch")
        session_titles.make_title(deps, account, job.session_id or "", until)
    except StorageBusy as busy:
        raise Postponed(deps.settings.job_retry_seconds, busy.message) from busy


def run(deps: Dependencies, account: str, job: Job, until: Deadline) -> Job:
    """Claim a job and run it to its end; the job as it ended. Raises Postponed."""
    if until.remaining() < SECONDS_PER_JOB:
        raise Postponed(1, "no time left in this batch")
    if job.memory_id:
        return _repin(deps, account, job)
    try:
        material = pipeline.load_exchange(deps, account, job)
    except NotFound:
        jobs.cancel(deps.table, account, [job.id], "the session was deleted", deps.clock())
        return jobs.get(deps.table, account, job.id)
    except StorageBusy as busy:
        raise Postponed(deps.settings.job_retry_seconds, busy.message) from busy
    except Exception as error:  # noqa: BLE001  what can't be read fails the job, not the queue
        return record_failure(deps, account, _claim(deps, account, job, ()), error)
    counted = job.attempts or job.kind is not JobKind.EXTRACTION
    uses = [] if counted else _uses(account, material.receipt)
    claimed = _claim(deps, account, job, uses)
    try:
        return _end(deps, account, claimed, material, until)
    except Postponed:
        raise
    except TurnsChanged:
        return _read_anew(deps, account, claimed, until)
    except Exception as error:  # noqa: BLE001  whatever it was, the job says so and is tried again
        return record_failure(deps, account, claimed, error)


def _read_anew(deps: Dependencies, account: str, job: Job, until: Deadline) -> Job:
    """Once more from the turns as they are now; a deleted one ends the job."""
    try:
        return _end(deps, account, job, pipeline.load_exchange(deps, account, job), until)
    except NotFound:
        reason = "a turn of the exchange was deleted"
        jobs.cancel(deps.table, account, [job.id], reason, deps.clock())
        return jobs.get(deps.table, account, job.id)
    except TurnsChanged:
        raise Postponed(2, "the turns of the exchange change too fast") from None
    except Postponed:
        raise
    except Exception as error:  # noqa: BLE001  as for any try
        return record_failure(deps, account, job, error)


def _repin(deps: Dependencies, account: str, job: Job) -> Job:
    """Bring up to date what refers to a memory whose words have changed; no model is asked."""
    claimed = _claim(deps, account, job, ())
    try:
        done = reference_refresh.refresh_references(
            deps, account, job.memory_id or "", deps.clock()
        )
        state = JobState.STORED if done else JobState.NONE
        reason = None if done else "nothing refers to it"
        return store_outcome(
            deps, account, claimed, Outcome(state, reason, JobResult(stored=tuple(done)))
        )
    except Exception as error:  # noqa: BLE001  as for any try
        return record_failure(deps, account, claimed, error)


def _earlier(deps: Dependencies, account: str, job: Job) -> list[Job]:
    """The account's unfinished jobs made before this one that teach it, oldest first."""
    marks = jobs.open_jobs(deps.table, account, up_to=job.id)
    names = [m.job_id for m in marks if m.kind in LEARNING and m.job_id < job.id]
    found = jobs.get_many(deps.table, account, names) if names else []
    return [other for other in found if not other.state.ended and not other.failures]


def _run_earlier(deps: Dependencies, account: str, job: Job, until: Deadline) -> None:
    if job.lease_until is not None and job.lease_until > deps.clock():
        raise Postponed(2, "an earlier job of the account is being worked on")
    try:
        run(deps, account, job, until)
    except Postponed:
        # It failed a try, which is told on the job; those behind it go on.
        if not jobs.get(deps.table, account, job.id).failures:
            raise


def _claim(deps: Dependencies, account: str, job: Job, uses: Sequence[Write]) -> Job:
    """Make this worker the job's only one, and count what the answer used. Raises Postponed."""
    at = deps.clock()
    lease = ids.new_id("lea", at)
    until = at + timedelta(seconds=deps.settings.job_lease_seconds)
    while True:
        try:
            claiming = jobs.claim_write(account, job, lease, at, until)
            deps.table.transact([claiming, *uses])
            break
        except ConditionFailed as failure:
            if 0 in failure.failed:
                raise Postponed(2, "another worker has the job") from None
            # A memory that was deleted since is not counted, nor brought back by counting.
            uses = [use for n, use in enumerate(uses, start=1) if n not in failure.failed]
    changed = {"state": JobState.RUNNING, "lease": lease, "attempts": job.attempts + 1}
    return job.model_copy(update=changed)


def _uses(account: str, receipt: Receipt) -> list[Write]:
    """One count for each memory that was in the prompt; the first claim of a job makes them."""
    return [
        update(
            keys.memory_usage(account, memory_id),
            "SET last_accessed_at = :at ADD access_count :one",
            values={":at": rfc3339(receipt.created_at), ":one": 1},
        )
        for memory_id in receipt.prompt_order
    ]


def _end(
    deps: Dependencies, account: str, job: Job, material: ExchangeInput, until: Deadline
) -> Job:
    if job.attempts > MAX_ATTEMPTS:
        reason = f"given up after {MAX_ATTEMPTS} attempts"
        return store_outcome(deps, account, job, Outcome(JobState.FAILED, reason))
    if job.kind is JobKind.RECONCILIATION:
        # Before the model: whatever becomes of that, what was replaced isn't current.
        turn_reconciliation.mark_stale_memories(deps, account, material)
    understood = pipeline.extract_candidates(deps, material, until)
    if isinstance(understood, Outcome) and job.kind is JobKind.EXTRACTION:
        return store_outcome(deps, account, job, understood, material)
    for _ in range(_SETTLING_ATTEMPTS):
        try:
            outcome = _settled(deps, account, material, understood)
            return store_outcome(deps, account, job, outcome, material)
        except HeadMoved:
            continue
    raise StorageBusy("The memories of this account change too fast.")


def _settled(
    deps: Dependencies,
    account: str,
    material: ExchangeInput,
    understood: VerifiedCandidates | Outcome,
) -> Outcome:
    """What the exchange teaches; and what becomes of what rests on its earlier words."""
    if isinstance(understood, Outcome):
        outcome = understood
    else:
        outcome = ChangePlanner(deps, account, material, understood).outcome()
    if material.job.kind is JobKind.EXTRACTION or outcome.state is JobState.FAILED:
        return outcome
    was_read = outcome.reason != pipeline.REFUSED
    return turn_reconciliation.reconcile_replaced_turn(
        deps, account, material, outcome, was_read=was_read
    )
