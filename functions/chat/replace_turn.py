"""Replaces a turn's content. The earlier version stays, for the memories that cite it."""

from dataclasses import dataclass
from datetime import datetime

from functions.chat.send_message import MAX_CONTENT_BYTES
from strandline import keys
from strandline.dependencies import Dependencies
from strandline.errors import (
    Conflict,
    IdempotencyKeyReused,
    NotFound,
    RequestInProgress,
    TooLarge,
)
from strandline.memories import staleness
from strandline.models.job import Job, JobKind, JobState
from strandline.models.turn import Turn, TurnStatus
from strandline.store import jobs
from strandline.store.accounts import idempotency
from strandline.store.conversations import sessions, turn_versions, turns
from strandline.table import ConditionFailed
from strandline.use_cases import reconciliation_jobs
from strandline.use_cases.job_dispatch import send_jobs
from strandline.writes import Write

KEY_SCOPE = "replacement"
"""The scope of these requests' idempotency keys: other requests may use the same keys."""

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class ReplacementRequest:
    """A request to replace a turn's content, if the turn is in the expected version."""

    account: str
    turn_id: str
    content: str
    expected_version: int | None = None
    idempotency_key: str | None = None

    @property
    def body_sha256(self) -> str:
        """The hash that tells this request from others with the same idempotency key."""
        return idempotency.request_hash(self.turn_id, self.content, str(self.expected_version))


def replace_transcript(deps: Dependencies, request: ReplacementRequest) -> Turn:
    """Replaces a turn's content and returns the turn. Memories that cite it become stale at once.

    The same content makes no new version. Raises NotFound, ContentDeleted, TooLarge,
    IdempotencyKeyReused, Conflict with the current version, RequestInProgress.
    """
    for _ in range(_ATTEMPTS):
        at = deps.clock()
        turn = turns.get(deps.table, request.account, request.turn_id, at)
        _check_size(request)
        if (previous := _previous_result(deps, request, at)) is not None:
            _finish_interrupted(deps, request.account, turn, at)
            return previous
        if request.expected_version not in (None, turn.version):
            raise Conflict(current_version=turn.version)
        try:
            if turn.content == request.content:
                return _keep_content(deps, request, turn, at)
            return _replace(deps, request, turn, at)
        except ConditionFailed:
            continue
    raise Conflict


def _check_size(request: ReplacementRequest) -> None:
    if len(request.content.encode()) > MAX_CONTENT_BYTES:
        raise TooLarge(f"The content is longer than {MAX_CONTENT_BYTES} bytes.")


def _previous_result(deps: Dependencies, request: ReplacementRequest, at: datetime) -> Turn | None:
    """Returns the version that an earlier request with the same key made, None without one.

    Raises IdempotencyKeyReused, and NotFound when that version is gone.
    """
    if request.idempotency_key is None:
        return None
    item = deps.table.get(keys.idempotency(request.account, request.idempotency_key, KEY_SCOPE))
    record = idempotency.record_from_item(item)
    if record is None:
        return None
    if record.body_sha256 != request.body_sha256 or record.result is None:
        raise IdempotencyKeyReused
    wanted = {record.made: int(record.result)}
    found = turn_versions.get_many(deps.table, request.account, wanted, at)
    if record.made not in found:
        raise NotFound
    return found[record.made]


def _keep_content(
    deps: Dependencies, request: ReplacementRequest, turn: Turn, at: datetime
) -> Turn:
    """Returns the turn unchanged, and finishes an interrupted replacement with that content."""
    for write in _idempotency_writes(request, turn, at):
        deps.table.write(write)
    _finish_interrupted(deps, request.account, turn, at)
    return turn


def _finish_interrupted(deps: Dependencies, account: str, turn: Turn, at: datetime) -> None:
    """Repeats the steps after a replacement's transaction, which may have been interrupted.

    Does nothing once the reconciliation job has started.
    """
    if turn.version == 1:
        return
    question = turns.question_number(turn.sequence_number)
    kind = JobKind.RECONCILIATION
    job = jobs.find_unfinished(deps.table, account, kind, turn.session_id, question)
    if job is not None and job.state is JobState.QUEUED:
        staleness.mark_stale_by_turn(deps.table, account, turn.id, at)
        send_jobs(deps, account, [job.id])


def _idempotency_writes(request: ReplacementRequest, result: Turn, at: datetime) -> list[Write]:
    if request.idempotency_key is None:
        return []
    record = idempotency.IdempotencyRecord(
        body_sha256=request.body_sha256, made=result.id, result=str(result.version)
    )
    return [
        idempotency.record_write(request.account, request.idempotency_key, record, at, KEY_SCOPE)
    ]


def _replace(deps: Dependencies, request: ReplacementRequest, turn: Turn, at: datetime) -> Turn:
    """Stores the new version and a reconciliation job.

    Raises RequestInProgress for a question that is being answered, ConditionFailed after a change.
    """
    if turn.status is TurnStatus.ANSWERING:
        raise RequestInProgress(retry_after=1)
    job, creating = _reconciliation_job(deps, request.account, turn, at)
    job_id = job.id if job else None
    new, writes = turn_versions.replacement_writes(
        request.account, turn, request.content, at, job_id
    )
    writes.append(sessions.exists_check(request.account, turn.session_id))
    writes += _idempotency_writes(request, new, at)
    deps.table.transact([*writes, *creating])
    staleness.mark_stale_by_turn(deps.table, request.account, turn.id, at)
    if job is not None:
        send_jobs(deps, request.account, [job.id])
    return new


def _reconciliation_job(
    deps: Dependencies, account: str, turn: Turn, at: datetime
) -> tuple[Job | None, list[Write]]:
    """Returns the job that reconciles the exchange's memories, and its writes.

    None for an exchange without an answer: nothing was learned from it.
    """
    question = turns.question_number(turn.sequence_number)
    if deps.table.get(keys.receipt(account, turn.session_id, question + 1)) is None:
        return None, []
    job = reconciliation_jobs.exchange_job(turn.session_id, question, at)
    return job, reconciliation_jobs.creation_writes(deps, account, job)
