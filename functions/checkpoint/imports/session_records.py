"""The rows of an imported session."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.checkpoint.imports.transcript_parser import Said
from functions.checkpoint.imports.turn_pairing import Pair
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

_TOGETHER = 50
_JOBS_TOGETHER = 48
_BYTES_TOGETHER = 1_000_000
"""A transaction takes a hundred writes and 4 MB; a job is two writes, a session up to four."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A session in the making, its pairs and the jobs that are to learn from them.

    `cleaning` is the job that removes what is written if the session never comes to be.
    """

    account: str
    session: Session
    pairs: Sequence[Pair]
    jobs: Sequence[Job]
    cleaning: Job

    def contents(self, model: str) -> Iterator[list[Write]]:
        """The writes of turns and receipts, in batches; `model` would answer open questions."""
        return _batches(self._contents(model))

    def learning(self, due_at: datetime) -> list[list[Write]]:
        """The writes of the jobs, in batches of which the first fits beside the session's."""
        starts = range(0, max(1, len(self.jobs)), _JOBS_TOGETHER)
        return [
            [
                write
                for job in self.jobs[start : start + _JOBS_TOGETHER]
                for write in jobs.creation_writes(self.account, job, due_at)
            ]
            for start in starts
        ]

    def _contents(self, model: str) -> Iterator[Write]:
        by_number = {job.sequence_number: job for job in self.jobs}
        for index, pair in enumerate(self.pairs):
            number = 2 * index + 1
            question = _turn(self.session, number, pair.question, answered=pair.answer is not None)
            yield _storing(self.account, question, {turns.OPTIONS: {"model": model}})
            if pair.answer is None:
                continue
            answer = _turn(self.session, number + 1, pair.answer)
            yield _storing(self.account, answer, {})
            if (job := by_number.get(number)) is not None:
                yield receipts.receipt_write(self.account, answer, _receipt(question, answer, job))


def made(account: str, session: Session, pairs: Sequence[Pair], *, extract: bool) -> Imported:
    """What an import consists of; with a job for each answered question if it is to be learned."""
    at = session.created_at
    cleaning = _job(JobKind.DELETION, session, at, 0)
    return Imported(account, session, pairs, _jobs(session, pairs) if extract else (), cleaning)


def _jobs(session: Session, pairs: Iterable[Pair]) -> list[Job]:
    """In order. A memory dates from the exchange it was learned in, not from the import."""
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


def _storing(account: str, turn: Turn, beside: dict[str, object]) -> Write:
    key = keys.turn(account, turn.session_id, turn.sequence_number)
    return put_new(key, encode(turn) | beside)


def _turn(session: Session, number: int, said: Said, *, answered: bool = False) -> Turn:
    is_question = said.role is Role.USER
    open_or_not = TurnStatus.ANSWERED if answered else TurnStatus.UNANSWERED
    return Turn(
        id=ids.turn_id(session.id, number),
        session_id=session.id,
        sequence_number=number,
        role=said.role,
        content=said.content,
        provider=None if is_question else IMPORTED,
        model=said.model,
        created_at=said.at or session.created_at,
        status=open_or_not if is_question else TurnStatus.COMPLETE,
    )


def _receipt(question: Turn, answer: Turn, job: Job) -> Receipt:
    """What is known of an imported answer: nothing of its prompt, so no hash matches."""
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
        if batch and (len(batch) == _TOGETHER or size + cost > _BYTES_TOGETHER):
            yield batch
            batch, size = [], 0
        batch.append(write)
        size += cost
    if batch:
        yield batch
