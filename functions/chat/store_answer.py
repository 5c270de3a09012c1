"""What is stored of an answer, in one transaction, and the answer as clients get it."""

from dataclasses import dataclass
from datetime import timedelta

from functions.chat import receipt_view
from functions.chat.exchange import OpenQuestion
from functions.chat.prompt_inputs import PromptInputs
from functions.chat.responses import Answer, ExtractionRef
from strandline import ids, keys
from strandline.context.prompt import prompt_hash, render_text
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.models.checkpoint import Checkpoint
from strandline.models.job import Job, JobKind, JobState
from strandline.models.receipt import CheckpointRef, Context, Durations, Receipt, Usage
from strandline.models.turn import Role, Turn, TurnStatus
from strandline.observability import metric
from strandline.providers.base import Completion, Finish
from strandline.store import jobs
from strandline.store.conversations import questions, sessions, turns
from strandline.store.conversations import receipts as stored_receipts
from strandline.store.conversations.spaces import EXISTS
from strandline.store.patch import patch_write
from strandline.table import ConditionFailed
from strandline.use_cases.job_dispatch import send_jobs
from strandline.writes import Write


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer, what it was given and how long both took."""

    gathered: PromptInputs
    completion: Completion
    context_ms: int
    total_ms: int


def store_model_answer(deps: Dependencies, exchange: OpenQuestion, answered: ModelAnswer) -> Answer:
    """Store an answer and hand its extraction to the queue.

    An answer that someone else stored first stands. Raises NotFound or ContentDeleted when the
    session or the question was deleted meanwhile.
    """
    at = deps.clock()
    job = _job(deps, exchange)
    answer = _turn(deps, exchange, answered.completion)
    receipt = _receipt(exchange, answered, answer, job)
    redrive_at = at + timedelta(seconds=deps.settings.job_redrive_seconds)
    writes = [
        *questions.answer_writes(exchange.account, exchange.question, answer),
        _session_write(exchange),
        stored_receipts.receipt_write(exchange.account, answer, receipt),
        *jobs.creation_writes(exchange.account, job, redrive_at),
    ]
    try:
        deps.table.transact(writes)
    except ConditionFailed as failure:
        if failure.failed & {0, 1}:
            question = turns.get(deps.table, exchange.account, exchange.question.id, at)
            return stored_answer(deps, exchange.account, question)
        raise NotFound from None
    metric("ModelMilliseconds", receipt.durations.model_ms, "Milliseconds", model=receipt.model)
    send_jobs(deps, exchange.account, [job.id])
    lines = answered.gathered.recollection.lines()
    return _response(
        exchange.question, answer, receipt_view.receipt_summary(receipt, lines), job.id
    )


def stored_answer(deps: Dependencies, account: str, question: Turn) -> Answer:
    """The answer a question got, exactly as it was given then."""
    number = turns.answer_number(question)
    receipt = stored_receipts.get(deps.table, account, question.session_id, number)
    answer = turns.get(deps.table, account, receipt.turn_id, deps.clock())
    lines = receipt_view.recalled_lines(deps, account, receipt)
    return _response(question, answer, receipt_view.receipt_summary(receipt, lines), receipt.job_id)


def _response(question: Turn, answer: Turn, context: Context, job_id: str) -> Answer:
    return Answer(
        user_turn=question.model_copy(update={"status": TurnStatus.ANSWERED}),
        assistant_turn=answer,
        context=context,
        extraction=ExtractionRef(job_id=job_id, state=JobState.QUEUED),
    )


def _turn(deps: Dependencies, exchange: OpenQuestion, completion: Completion) -> Turn:
    question = exchange.question
    number = turns.answer_number(question)
    cut = completion.finish is Finish.LENGTH
    return Turn(
        id=ids.turn_id(question.session_id, number),
        session_id=question.session_id,
        sequence_number=number,
        role=Role.ASSISTANT,
        content=completion.text,
        provider=completion.provider,
        model=completion.model,
        created_at=deps.clock(),
        status=TurnStatus.TRUNCATED if cut else TurnStatus.COMPLETE,
    )


def _job(deps: Dependencies, exchange: OpenQuestion) -> Job:
    at = deps.clock()
    return Job(
        id=ids.new_id("job", at),
        kind=JobKind.EXTRACTION,
        state=JobState.QUEUED,
        session_id=exchange.question.session_id,
        sequence_number=exchange.question.sequence_number,
        created_at=at,
        updated_at=at,
    )


def _receipt(exchange: OpenQuestion, answered: ModelAnswer, answer: Turn, job: Job) -> Receipt:
    gathered, completion = answered.gathered, answered.completion
    recollection = gathered.recollection
    text = render_text(gathered.prompt)
    return Receipt(
        turn_id=answer.id,
        user_turn_id=exchange.question.id,
        job_id=job.id,
        mode=gathered.view.mode,
        recall=recollection.state,
        recall_scope=exchange.options.recall,
        recall_failure=recollection.failure,
        memories=tuple(recalled for recalled, _ in recollection.found),
        prompt_order=tuple(memory.id for memory in recollection.prompt_order()),
        checkpoints=tuple(_reference(each) for each in gathered.view.checkpoints),
        boundary=gathered.view.mount,
        sequences=tuple(turn.sequence_number for turn in gathered.window.turns),
        versions={
            turn.id: turn.version
            for turn in (*gathered.window.turns, exchange.question)
            if turn.version > 1
        },
        left_out=gathered.left_out,
        needs_embedding=recollection.needs_embedding,
        prompt_sha256=prompt_hash(text),
        prompt_characters=len(text),
        provider=completion.provider,
        model=completion.model,
        usage=Usage(
            input_tokens=completion.usage.input_tokens,
            output_tokens=completion.usage.output_tokens,
        ),
        durations=Durations(
            context_ms=answered.context_ms,
            model_ms=answered.total_ms - answered.context_ms,
            total_ms=answered.total_ms,
        ),
        created_at=answer.created_at,
    )


def _reference(checkpoint: Checkpoint) -> CheckpointRef:
    return CheckpointRef(
        id=checkpoint.id,
        commit_hash=checkpoint.commit_hash,
        short_hash=checkpoint.short_hash,
    )


def _session_write(exchange: OpenQuestion) -> Write:
    """The session's being there; and, where it changed, which provider and model it uses now."""
    session = exchange.session
    provider, _, model = exchange.options.model.partition(":")
    if session.provider is None or (session.provider, session.model) == (provider, model):
        return sessions.exists_check(exchange.account, session.id)
    return patch_write(
        keys.session(exchange.account, session.id),
        {"provider": provider, "model": model},
        condition=EXISTS,
    )
