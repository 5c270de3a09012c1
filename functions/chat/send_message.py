"""A chat turn: store the question, gather its context, ask the model, store the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from functions.chat import idempotency, prompt_inputs, store_answer
from functions.chat.answer_options import AnswerOptions, resolve_options
from functions.chat.exchange import OpenQuestion
from functions.chat.prompt_inputs import PromptInputs
from functions.chat.requests import NewMessage
from functions.chat.responses import Answer
from strandline import ids, keys
from strandline.clock import Deadline
from strandline.context.prompt import to_messages
from strandline.dependencies import Dependencies
from strandline.errors import (
    IdempotencyKeyReused,
    Invalid,
    ModelError,
    ModelReplyInvalid,
    NotFound,
    RequestInProgress,
    TooLarge,
)
from strandline.item_size import MAX_ITEM_BYTES
from strandline.models.profile import Profile
from strandline.models.retention import Retention
from strandline.models.session import Session
from strandline.models.turn import Role, Turn, TurnStatus
from strandline.observability import metric
from strandline.providers.base import Completion
from strandline.store.accounts import idempotency as once
from strandline.store.accounts import profiles
from strandline.store.conversations import questions, sessions, turns
from strandline.table import ConditionFailed
from strandline.writes import Write

MAX_CONTENT_BYTES = 100_000
MAX_ANSWER_BYTES = MAX_ITEM_BYTES - 2_000
"""What else a turn's item holds takes a few hundred."""
SECONDS_TO_STORE = 1.5
LEASE_SLACK = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class MessageRequest:
    """One message as it came in."""

    account: str
    session_id: str
    message: NewMessage
    idempotency_key: str | None


def answer_deadline(deps: Dependencies, context: Any) -> Deadline:
    """When an answer must be there: before the function and the gateway give up."""
    left = context.get_remaining_time_in_millis() / 1000 - SECONDS_TO_STORE
    return Deadline.after(max(0.0, min(deps.settings.chat_timeout_seconds, left)))


def answer_message(deps: Dependencies, asked: MessageRequest, until: Deadline) -> Answer:
    """Answer a message.

    Raises NotFound before anything else; Invalid, TooLarge, ModelNotConfigured before anything is
    stored; a ModelError with the stored question's id when the model fails.
    """
    session, profile, retention, request = _load(deps, asked)
    _check(asked.message)
    if request is not None:
        return _again(deps, asked, request, until)
    options = resolve_options(deps, asked.account, session, asked.message)
    # Neither the history nor the log depends on the question: they are read while it is stored.
    reads = prompt_inputs.start_reads(deps, asked.account, session, options, retention)
    question = _store(deps, asked, options, until)
    if question is None:
        return answer_message(deps, asked, until)
    exchange = OpenQuestion(asked.account, session, profile, question, options)
    return _answer(deps, exchange, reads, until)


def answer_stored_question(
    deps: Dependencies, account: str, turn_id: str, until: Deadline
) -> Answer:
    """Answer a stored question, without storing it again; an answered one as it was answered.

    Raises NotFound, Invalid for an assistant turn, RequestInProgress, a ModelError.
    """
    at = deps.clock()
    question = turns.get(deps.table, account, turn_id, at)
    if not turns.is_question(question):
        raise Invalid("Only a user turn can be answered.")
    if question.status is TurnStatus.ANSWERED:
        return store_answer.stored_answer(deps, account, question)
    try:
        questions.claim_question(deps.table, account, question, at, _lease(at, until))
    except ConditionFailed:
        raise RequestInProgress(retry_after=_seconds(until)) from None
    session = sessions.get(deps.table, account, question.session_id)
    options = AnswerOptions.model_validate(questions.stored_options(deps.table, account, question))
    item = deps.table.get(keys.profile(account))
    profile, retention = profiles.profile_from_item(item), profiles.retention_from_item(item)
    number = question.sequence_number
    reads = prompt_inputs.start_reads(deps, account, session, options, retention, number)
    return _answer(deps, OpenQuestion(account, session, profile, question, options), reads, until)


def _load(
    deps: Dependencies, asked: MessageRequest
) -> tuple[Session, Profile, Retention, once.IdempotencyRecord | None]:
    """One read for the session, the profile and the record of the idempotency key."""
    account = asked.account
    session_key = keys.session(account, ids.checked_id("ses", asked.session_id))
    wanted = [session_key, keys.profile(account)]
    if asked.idempotency_key:
        wanted.append(keys.idempotency(account, asked.idempotency_key))
    found = deps.table.get_many(wanted)
    session = sessions.session_from_item(found.get(session_key))
    item = found.get(keys.profile(account))
    record = found.get(wanted[2]) if asked.idempotency_key else None
    return (
        session,
        profiles.profile_from_item(item),
        profiles.retention_from_item(item),
        once.record_from_item(record),
    )


def _check(message: NewMessage) -> None:
    if len(message.content.encode()) > MAX_CONTENT_BYTES:
        raise TooLarge(f"The content is longer than {MAX_CONTENT_BYTES} bytes.")


def _again(
    deps: Dependencies, asked: MessageRequest, request: once.IdempotencyRecord, until: Deadline
) -> Answer:
    if request.body_sha256 != idempotency.body_of(asked.session_id, asked.message):
        raise IdempotencyKeyReused
    return answer_stored_question(deps, asked.account, request.made, until)


def _store(
    deps: Dependencies, asked: MessageRequest, options: AnswerOptions, until: Deadline
) -> Turn | None:
    """Store the question; None when the same request with the same key came first."""
    at = deps.clock()
    number = sessions.reserve_sequence_numbers(deps.table, asked.account, asked.session_id, at)
    question = Turn(
        id=ids.turn_id(asked.session_id, number),
        session_id=asked.session_id,
        sequence_number=number,
        role=Role.USER,
        content=asked.message.content,
        created_at=at,
        status=TurnStatus.ANSWERING,
    )
    also = _taking_key(asked, question, at)
    stored_with = options.model_dump(mode="json", exclude_none=True)
    try:
        questions.store_question(
            deps.table, asked.account, question, _lease(at, until), stored_with, also
        )
    except ConditionFailed as failure:
        if failure.failed == {2}:
            return None
        raise NotFound from None
    return question


def _taking_key(asked: MessageRequest, question: Turn, at: datetime) -> Sequence[Write]:
    if asked.idempotency_key is None:
        return ()
    body = idempotency.body_of(asked.session_id, asked.message)
    request = once.IdempotencyRecord(body_sha256=body, made=question.id)
    return [once.record_write(asked.account, asked.idempotency_key, request, at)]


def _answer(
    deps: Dependencies,
    exchange: OpenQuestion,
    reads: prompt_inputs.PendingReads,
    until: Deadline,
) -> Answer:
    started = Stopwatch(until)
    try:
        gathered = prompt_inputs.build_prompt_inputs(deps, exchange, reads, until)
        context_ms = started.milliseconds()
        completion = _complete(deps, exchange, gathered, until)
        answer = store_answer.ModelAnswer(gathered, completion, context_ms, started.milliseconds())
        return store_answer.store_model_answer(deps, exchange, answer)
    except ModelError as failure:
        metric("ChatModelFailed", code=failure.code)
        questions.release_question(deps.table, exchange.account, exchange.question)
        failure.extra |= {"turn_id": exchange.question.id, "retryable": failure.retryable}
        raise
    except BaseException:
        questions.release_question(deps.table, exchange.account, exchange.question)
        raise


def _complete(
    deps: Dependencies, exchange: OpenQuestion, gathered: PromptInputs, until: Deadline
) -> Completion:
    model = deps.chat_models(exchange.options.model)
    completion = model.complete(to_messages(gathered.prompt), deadline=until)
    # A reply in JSON may hold halves of characters, which no store and no hash takes.
    text = completion.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if len(text.encode()) > MAX_ANSWER_BYTES:
        raise ModelReplyInvalid("The model's reply is too large to store.")
    return replace(completion, text=text)


class Stopwatch:
    """Milliseconds since it was made, on the clock the deadline runs by."""

    def __init__(self, until: Deadline) -> None:
        self._until = until
        self._left = until.remaining()

    def milliseconds(self) -> int:
        """Whole milliseconds so far."""
        return round((self._left - self._until.remaining()) * 1000)


def _lease(at: datetime, until: Deadline) -> datetime:
    return at + timedelta(seconds=until.remaining() + SECONDS_TO_STORE) + LEASE_SLACK


def _seconds(until: Deadline) -> int:
    return max(1, round(until.remaining()))
