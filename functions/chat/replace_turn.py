"""Replacing a turn's transcript: the new words stand, the earlier ones stay as evidence."""

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
"""What an idempotency key of such a request is a key of."""

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class ReplacementRequest:
    """A replacement as it was asked for; `expected_version` where the client named one."""

    account: str
    turn_id: str
    content: str
    expected_version: int | None = None
    idempotency_key: str | None = None

    @property
    def body_sha256(self) -> str:
        """What tells this request from others with its key."""
        return idempotency.request_hash(self.turn_id, self.content, str(self.expected_version))


def replace_transcript(deps: Dependencies, asked: ReplacementRequest) -> Turn:
    """The turn with that content; what rests on the words it had becomes stale at once.

    The content it has already makes no new version. Raises NotFound, ContentDeleted, TooLarge,
    IdempotencyKeyReused, Conflict with the current version, RequestInProgress.
    """
    for _ in range(_ATTEMPTS):
        at = deps.clock()
        turn = turns.get(deps.table, asked.account, asked.turn_id, at)
        _check_size(asked)
        if (made := _previous_result(deps, asked, at)) is not None:
            _finish_interrupted(deps, asked.account, turn, at)
            return made
        if asked.expected_version not in (None, turn.version):
            raise Conflict(current_version=turn.version)
        try:
            if turn.content == asked.content:
                return _keep_content(deps, asked, turn, at)
            return _replace(deps, asked, turn, at)
        except ConditionFailed:
            continue
    raise Conflict


def _check_size(asked: ReplacementRequest) -> None:
    if len(asked.content.encode()) > MAX_CONTENT_BYTES:
        raise TooLarge(f"The content is longer than {MAX_CONTENT_BYTES} bytes.")


def _previous_result(deps: Dependencies, asked: ReplacementRequest, at: datetime) -> Turn | None:
    """The version that the same request made when it came first."""
    if asked.idempotency_key is None:
        return None
    item = deps.table.get(keys.idempotency(asked.account, asked.idempotency_key, KEY_SCOPE))
    request = idempotency.record_from_item(item)
    if request is None:
        return None
    if request.body_sha256 != asked.body_sha256 or request.result is None:
        raise IdempotencyKeyReused
    wanted = {request.made: int(request.result)}
    found = turn_versions.get_many(deps.table, asked.account, wanted, at)
    if request.made not in found:
        raise NotFound
    return found[request.made]


def _keep_content(deps: Dependencies, asked: ReplacementRequest, turn: Turn, at: datetime) -> Turn:
    """What says so already; a replacement that was interrupted just then is finished."""
    for write in _idempotency_writes(asked, turn, at):
        deps.table.write(write)
    _finish_interrupted(deps, asked.account, turn, at)
    return turn


def _finish_interrupted(deps: Dependencies, account: str, turn: Turn, at: datetime) -> None:
    """What a replacement that ended before its answer has left to do, unless its job has begun."""
    if turn.version == 1:
        return
    question = turns.question_number(turn.sequence_number)
    kind = JobKind.RECONCILIATION
    job = jobs.find_unfinished(deps.table, account, kind, turn.session_id, question)
    if job is not None and job.state is JobState.QUEUED:
        staleness.mark_stale_by_turn(deps.table, account, turn.id, at)
        send_jobs(deps, account, [job.id])


def _idempotency_writes(asked: ReplacementRequest, made: Turn, at: datetime) -> list[Write]:
    if asked.idempotency_key is None:
        return []
    request = idempotency.IdempotencyRecord(
        body_sha256=asked.body_sha256, made=made.id, result=str(made.version)
    )
    return [idempotency.record_write(asked.account, asked.idempotency_key, request, at, KEY_SCOPE)]


def _replace(deps: Dependencies, asked: ReplacementRequest, turn: Turn, at: datetime) -> Turn:
    """Raises RequestInProgress, ConditionFailed."""
    if turn.status is TurnStatus.ANSWERING:
        raise RequestInProgress(retry_after=1)
    job, creating = _reconciliation_job(deps, asked.account, turn, at)
    job_id = job.id if job else None
    new, writes = turn_versions.replacement_writes(asked.account, turn, asked.content, at, job_id)
    writes.append(sessions.exists_check(asked.account, turn.session_id))
    writes += _idempotency_writes(asked, new, at)
    deps.table.transact([*writes, *creating])
    staleness.mark_stale_by_turn(deps.table, asked.account, turn.id, at)
    if job is not None:
        send_jobs(deps, asked.account, [job.id])
    return new


def _reconciliation_job(
    deps: Dependencies, account: str, turn: Turn, at: datetime
) -> tuple[Job | None, list[Write]]:
    """The job that reads the exchange again; nothing was learned from one without an answer."""
    question = turns.question_number(turn.sequence_number)
    if deps.table.get(keys.receipt(account, turn.session_id, question + 1)) is None:
        return None, []
    job = reconciliation_jobs.exchange_job(turn.session_id, question, at)
    return job, reconciliation_jobs.creation_writes(deps, account, job)
