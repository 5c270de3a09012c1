"""Answers a message: stores the question, builds the prompt, asks the model, stores the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from functions.chat import prompt_inputs, store_answer
from functions.chat.answer_options import AnswerOptions, OpenQuestion, resolve_options
from functions.chat.prompt_inputs import PromptInputs, PromptRequest
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
from strandline.store.accounts import idempotency, profiles
from strandline.store.conversations import questions, sessions, turns
from strandline.table import ConditionFailed
from strandline.writes import Write

MAX_CONTENT_BYTES = 100_000
MAX_ANSWER_BYTES = MAX_ITEM_BYTES - 2_000
"""The other attributes of a turn's item take a few hundred bytes."""
SECONDS_TO_STORE = 1.5
LEASE_SLACK = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class MessageRequest:
    """A message to a session, as it was received."""

    account: str
    session_id: str
    message: NewMessage
    idempotency_key: str | None

    @property
    def body_sha256(self) -> str:
        """The hash that tells this request from others with the same idempotency key."""
        return idempotency.request_hash(self.session_id, self.message.model_dump(mode="json"))


def answer_deadline(deps: Dependencies, context: Any) -> Deadline:
    """Returns when an answer must be complete: before the function and the gateway time out.

    `context` is the Lambda context.
    """
    left = context.get_remaining_time_in_millis() / 1000 - SECONDS_TO_STORE
    return Deadline.after(max(0.0, min(deps.settings.chat_timeout_seconds, left)))


def answer_message(deps: Dependencies, request: MessageRequest, until: Deadline) -> Answer:
    """Stores a message and answers it. The same request sent again gets the same answer.

    Raises NotFound before anything else; TooLarge, IdempotencyKeyReused, Invalid and
    ModelNotConfigured before anything is stored; a ModelError with the stored question's id when
    the model fails.
    """
    session, profile, retention, earlier = _load(deps, request)
    _check_size(request.message)
    if earlier is not None:
        return _answer_repeated_request(deps, request, earlier, until)
    options = resolve_options(deps, request.account, session, request.message)
    # Neither the history nor the index depends on the question: both are read while it is stored.
    prompt_request = PromptRequest(request.account, session, options, retention)
    reads = prompt_inputs.start_reads(deps, prompt_request)
    question = _store_question(deps, request, options, until)
    if question is None:
        return answer_message(deps, request, until)
    open_question = OpenQuestion(request.account, session, profile, question, options)
    return _answer(deps, open_question, reads, until)


def answer_stored_question(
    deps: Dependencies, account: str, turn_id: str, until: Deadline
) -> Answer:
    """Answers a stored question. For one that has an answer, returns that answer.

    Raises NotFound, Invalid for an assistant turn, RequestInProgress while another request answers
    it, and a ModelError.
    """
    at = deps.clock()
    question = turns.get(deps.table, account, turn_id, at)
    if not turns.is_question(question):
        raise Invalid("Only a user turn can be answered.")
    if question.status is TurnStatus.ANSWERED:
        return store_answer.stored_answer(deps, account, question)
    try:
        questions.claim_question(deps.table, account, question, at, _lease_until(at, until))
    except ConditionFailed:
        raise RequestInProgress(retry_after=_retry_after(until)) from None
    session = sessions.get(deps.table, account, question.session_id)
    options = AnswerOptions.model_validate(questions.stored_options(deps.table, account, question))
    item = deps.table.get(keys.profile(account))
    profile, retention = profiles.profile_from_item(item), profiles.retention_from_item(item)
    number = question.sequence_number
    prompt_request = PromptRequest(account, session, options, retention, before=number)
    reads = prompt_inputs.start_reads(deps, prompt_request)
    return _answer(deps, OpenQuestion(account, session, profile, question, options), reads, until)


def _load(
    deps: Dependencies, request: MessageRequest
) -> tuple[Session, Profile, Retention, idempotency.IdempotencyRecord | None]:
    """Reads the session, the profile and the idempotency record in one batch."""
    account = request.account
    session_key = keys.session(account, ids.checked_id("ses", request.session_id))
    wanted = [session_key, keys.profile(account)]
    if request.idempotency_key:
        wanted.append(keys.idempotency(account, request.idempotency_key))
    found = deps.table.get_many(wanted)
    session = sessions.session_from_item(found.get(session_key))
    item = found.get(keys.profile(account))
    record = found.get(wanted[2]) if request.idempotency_key else None
    return (
        session,
        profiles.profile_from_item(item),
        profiles.retention_from_item(item),
        idempotency.record_from_item(record),
    )


def _check_size(message: NewMessage) -> None:
    if len(message.content.encode()) > MAX_CONTENT_BYTES:
        raise TooLarge(f"The content is longer than {MAX_CONTENT_BYTES} bytes.")


def _answer_repeated_request(
    deps: Dependencies,
    request: MessageRequest,
    earlier: idempotency.IdempotencyRecord,
    until: Deadline,
) -> Answer:
    if earlier.body_sha256 != request.body_sha256:
        raise IdempotencyKeyReused
    return answer_stored_question(deps, request.account, earlier.made, until)


def _store_question(
    deps: Dependencies, request: MessageRequest, options: AnswerOptions, until: Deadline
) -> Turn | None:
    """Stores the question; returns None when a request with the same key came first."""
    at = deps.clock()
    number = sessions.reserve_sequence_numbers(deps.table, request.account, request.session_id, at)
    question = Turn(
        id=ids.turn_id(request.session_id, number),
        session_id=request.session_id,
        sequence_number=number,
        role=Role.USER,
        content=request.message.content,
        created_at=at,
        status=TurnStatus.ANSWERING,
    )
    key_writes = _idempotency_writes(request, question, at)
    stored_options = options.model_dump(mode="json", exclude_none=True)
    try:
        new = questions.NewQuestion(question, _lease_until(at, until), stored_options)
        questions.store_question(deps.table, request.account, new, key_writes)
    except ConditionFailed as failure:
        if failure.failed == {2}:
            return None
        raise NotFound from None
    return question


def _idempotency_writes(request: MessageRequest, question: Turn, at: datetime) -> Sequence[Write]:
    if request.idempotency_key is None:
        return ()
    record = idempotency.IdempotencyRecord(body_sha256=request.body_sha256, made=question.id)
    return [idempotency.record_write(request.account, request.idempotency_key, record, at)]


def _answer(
    deps: Dependencies,
    open_question: OpenQuestion,
    reads: prompt_inputs.PendingReads,
    until: Deadline,
) -> Answer:
    started = Stopwatch(until)
    try:
        inputs = prompt_inputs.build_prompt_inputs(deps, open_question, reads, until)
        context_ms = started.milliseconds()
        completion = _complete(deps, open_question, inputs, until)
        answer = store_answer.ModelAnswer(inputs, completion, context_ms, started.milliseconds())
        return store_answer.store_model_answer(deps, open_question, answer)
    except ModelError as failure:
        metric("ChatModelFailed", code=failure.code)
        questions.release_question(deps.table, open_question.account, open_question.question)
        failure.extra |= {"turn_id": open_question.question.id, "retryable": failure.retryable}
        raise
    except BaseException:
        questions.release_question(deps.table, open_question.account, open_question.question)
        raise


def _complete(
    deps: Dependencies, open_question: OpenQuestion, inputs: PromptInputs, until: Deadline
) -> Completion:
    model = deps.chat_models(open_question.options.model)
    completion = model.complete(to_messages(inputs.prompt), deadline=until)
    # A reply in JSON may hold lone surrogates, which can be neither stored nor hashed.
    text = completion.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if len(text.encode()) > MAX_ANSWER_BYTES:
        raise ModelReplyInvalid("The model's reply is too large to store.")
    return replace(completion, text=text)


class Stopwatch:
    """Measures milliseconds since its creation, on the deadline's clock."""

    def __init__(self, until: Deadline) -> None:
        self._until = until
        self._left = until.remaining()

    def milliseconds(self) -> int:
        """Returns the whole milliseconds so far."""
        return round((self._left - self._until.remaining()) * 1000)


def _lease_until(at: datetime, until: Deadline) -> datetime:
    return at + timedelta(seconds=until.remaining() + SECONDS_TO_STORE) + LEASE_SLACK


def _retry_after(until: Deadline) -> int:
    return max(1, round(until.remaining()))
