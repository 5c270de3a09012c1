"""Builds the items of an imported session: turns, receipts and jobs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.checkpoint.imports.transcript import ImportedMessage
from functions.checkpoint.imports.turn_pairing import TurnPair
from strandline import ids, keys
from strandline.item_codec import encode
from strandline.item_size import json_size
from strandline.models.job import Job, JobKind, JobState
from strandline.models.receipt import (
    Durations,
    LeftOut,
    Mode,
    RecallScope,
    RecallState,
    Receipt,
)
from strandline.models.session import Session
from strandline.models.turn import IMPORTED, Role, Turn, TurnStatus
from strandline.store import jobs
from strandline.store.conversations import receipts, turns
from strandline.writes import Write, put_new

_WRITES_PER_BATCH = 50
_JOBS_PER_BATCH = 48
_BYTES_PER_BATCH = 1_000_000
"""A transaction takes 100 writes and 4 MB. A job takes two writes, a session up to four."""


@dataclass(frozen=True, slots=True)
class ImportRecords:
    """Everything an import writes.

    `jobs` learn from the pairs. `cleanup_job` deletes what was written if the import is killed
    before the session itself is stored.
    """

    account: str
    session: Session
    pairs: Sequence[TurnPair]
    jobs: Sequence[Job]
    cleanup_job: Job

    def turn_batches(self, model: str) -> Iterator[list[Write]]:
        """Returns the writes of turns and receipts, in batches that fit a transaction.

        `model` is the one that is to answer an unanswered question (`provider:model`).
        """
        return _batches(self._turn_writes(model))

    def job_batches(self, due_at: datetime) -> list[list[Write]]:
        """Returns the writes of the jobs, in batches; there is at least one, perhaps empty.

        The first fits into the transaction that stores the session.
        """
        starts = range(0, max(1, len(self.jobs)), _JOBS_PER_BATCH)
        return [
            [
                write
                for job in self.jobs[start : start + _JOBS_PER_BATCH]
                for write in jobs.creation_writes(self.account, job, due_at)
            ]
            for start in starts
        ]

    def _turn_writes(self, model: str) -> Iterator[Write]:
        by_number = {job.sequence_number: job for job in self.jobs}
        for index, pair in enumerate(self.pairs):
            number = 2 * index + 1
            question = _turn(self.session, number, pair.question, answered=pair.answer is not None)
            yield _turn_write(self.account, question, {turns.OPTIONS: {"model": model}})
            if pair.answer is None:
                continue
            answer = _turn(self.session, number + 1, pair.answer)
            yield _turn_write(self.account, answer, {})
            if (job := by_number.get(number)) is not None:
                yield receipts.receipt_write(
                    self.account, answer, _imported_receipt(question, answer, job)
                )


def build_import_records(
    account: str, session: Session, pairs: Sequence[TurnPair], *, extract: bool
) -> ImportRecords:
    """Returns what an import writes; `extract` adds a job for each answered question."""
    cleanup_job = _job(JobKind.DELETION, session, session.created_at, 0)
    learning = _extraction_jobs(session, pairs) if extract else ()
    return ImportRecords(account, session, pairs, learning, cleanup_job)


def _extraction_jobs(session: Session, pairs: Iterable[TurnPair]) -> list[Job]:
    """Returns a job per answered question, in order.

    It is created at the answer's time: a memory dates from its exchange, not from the import.
    """
    return [
        _job(JobKind.EXTRACTION, session, pair.answer.at or session.created_at, 2 * index + 1)
        for index, pair in enumerate(pairs)
        if pair.answer is not None
    ]


def _job(kind: JobKind, session: Session, created_at: datetime, number: int) -> Job:
    return Job(
        id=ids.new_id("job", session.created_at),
        kind=kind,
        state=JobState.QUEUED,
        session_id=session.id,
        sequence_number=number,
        created_at=created_at,
        updated_at=session.created_at,
    )


def _turn_write(account: str, turn: Turn, attributes: dict[str, object]) -> Write:
    key = keys.turn(account, turn.session_id, turn.sequence_number)
    return put_new(key, encode(turn) | attributes)


def _turn(
    session: Session, number: int, message: ImportedMessage, *, answered: bool = False
) -> Turn:
    is_question = message.role is Role.USER
    question_status = TurnStatus.ANSWERED if answered else TurnStatus.UNANSWERED
    return Turn(
        id=ids.turn_id(session.id, number),
        session_id=session.id,
        sequence_number=number,
        role=message.role,
        content=message.content,
        provider=None if is_question else IMPORTED,
        model=message.model,
        created_at=message.at or session.created_at,
        status=question_status if is_question else TurnStatus.COMPLETE,
    )


def _imported_receipt(question: Turn, answer: Turn, job: Job) -> Receipt:
    """Returns the receipt of an imported answer; its prompt is unknown, so no hash matches."""
    return Receipt(
        turn_id=answer.id,
        user_turn_id=question.id,
        job_id=job.id,
        mode=Mode.FRESH,
        recall=RecallState.OFF,
        recall_scope=RecallScope.OFF,
        left_out=(LeftOut(what="history", reason="imported: the prompt is not known"),),
        prompt_sha256="",
        prompt_characters=0,
        provider=IMPORTED,
        model=answer.model or "unknown",
        durations=Durations(context_ms=0, model_ms=0, total_ms=0),
        created_at=answer.created_at,
    )


def _batches(writes: Iterator[Write]) -> Iterator[list[Write]]:
    batch: list[Write] = []
    size = 0
    for write in writes:
        cost = json_size(write.item or {})
        if batch and (len(batch) == _WRITES_PER_BATCH or size + cost > _BYTES_PER_BATCH):
            yield batch
            batch, size = [], 0
        batch.append(write)
        size += cost
    if batch:
        yield batch
