"""Stores an answer in one transaction, and returns it as clients get it."""

from dataclasses import dataclass
from datetime import timedelta

from functions.chat import receipt_view
from functions.chat.answer_options import OpenQuestion
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
    """A model's answer and the prompt it was given, with the times since the request's start."""

    inputs: PromptInputs
    completion: Completion
    context_ms: int
    total_ms: int


def store_model_answer(
    deps: Dependencies, open_question: OpenQuestion, answered: ModelAnswer
) -> Answer:
    """Stores an answer with its receipt and extraction job, and sends the job to the queue.

    If another request stored an answer first, returns that one. Raises NotFound or
    ContentDeleted when the session or the question was deleted meanwhile.
    """
    at = deps.clock()
    job = _extraction_job(deps, open_question)
    answer = _answer_turn(deps, open_question, answered.completion)
    receipt = _receipt(open_question, answered, answer, job)
    redrive_at = at + timedelta(seconds=deps.settings.job_redrive_seconds)
    writes = [
        *questions.answer_writes(open_question.account, open_question.question, answer),
        _session_write(open_question),
        stored_receipts.receipt_write(open_question.account, answer, receipt),
        *jobs.creation_writes(open_question.account, job, redrive_at),
    ]
    try:
        deps.table.transact(writes)
    except ConditionFailed as failure:
        if failure.failed & {0, 1}:
            question = turns.get(deps.table, open_question.account, open_question.question.id, at)
            return stored_answer(deps, open_question.account, question)
        raise NotFound from None
    metric("ModelMilliseconds", receipt.durations.model_ms, "Milliseconds", model=receipt.model)
    send_jobs(deps, open_question.account, [job.id])
    lines = answered.inputs.recall.lines()
    return _response(
        open_question.question, answer, receipt_view.receipt_summary(receipt, lines), job.id
    )


def stored_answer(deps: Dependencies, account: str, question: Turn) -> Answer:
    """Returns the stored answer of a question, as it was given."""
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


def _answer_turn(deps: Dependencies, open_question: OpenQuestion, completion: Completion) -> Turn:
    question = open_question.question
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


def _extraction_job(deps: Dependencies, open_question: OpenQuestion) -> Job:
    at = deps.clock()
    return Job(
        id=ids.new_id("job", at),
        kind=JobKind.EXTRACTION,
        state=JobState.QUEUED,
        session_id=open_question.question.session_id,
        sequence_number=open_question.question.sequence_number,
        created_at=at,
        updated_at=at,
    )


def _receipt(open_question: OpenQuestion, answered: ModelAnswer, answer: Turn, job: Job) -> Receipt:
    inputs, completion = answered.inputs, answered.completion
    recalled = inputs.recall
    text = render_text(inputs.prompt)
    return Receipt(
        turn_id=answer.id,
        user_turn_id=open_question.question.id,
        job_id=job.id,
        mode=inputs.context.mode,
        recall=recalled.state,
        recall_scope=open_question.options.recall,
        recall_failure=recalled.failure,
        memories=tuple(hit for hit, _ in recalled.found),
        prompt_order=tuple(memory.id for memory in recalled.prompt_order()),
        checkpoints=tuple(_checkpoint_ref(each) for each in inputs.context.checkpoints),
        boundary=inputs.context.mount,
        sequences=tuple(turn.sequence_number for turn in inputs.history.turns),
        versions={
            turn.id: turn.version
            for turn in (*inputs.history.turns, open_question.question)
            if turn.version > 1
        },
        left_out=inputs.left_out,
        needs_embedding=recalled.needs_embedding,
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


def _checkpoint_ref(checkpoint: Checkpoint) -> CheckpointRef:
    return CheckpointRef(
        id=checkpoint.id,
        commit_hash=checkpoint.commit_hash,
        short_hash=checkpoint.short_hash,
    )


def _session_write(open_question: OpenQuestion) -> Write:
    """Returns the write that requires the session to exist and records a changed model."""
    session = open_question.session
    provider, _, model = open_question.options.model.partition(":")
    if session.provider is None or (session.provider, session.model) == (provider, model):
        return sessions.exists_check(open_question.account, session.id)
    return patch_write(
        keys.session(open_question.account, session.id),
        {"provider": provider, "model": model},
        condition=EXISTS,
    )
