"""Drafts a checkpoint from a session's window or a document: model call, then verification."""

from dataclasses import dataclass
from typing import Any

from functions.checkpoint.drafts import prompt
from functions.checkpoint.drafts.reply_parser import (
    MAX_DROPPED,
    DraftProposal,
    UnusableReply,
    parse_draft,
)
from functions.checkpoint.drafts.request import MAX_DOCUMENT_CHARACTERS, NewDraft
from functions.checkpoint.drafts.response import Draft
from functions.checkpoint.drafts.verification import DraftVerifier
from functions.checkpoint.drafts.window import (
    FULL,
    SMALLER,
    Excerpt,
    PromptLimits,
    document_excerpt,
    turns_excerpt,
)
from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.errors import ModelError, ModelReplyInvalid, TooLarge
from strandline.ids import MAX_SEQUENCE
from strandline.models.job import Dropped
from strandline.models.receipt import Usage
from strandline.models.session import Session
from strandline.models.turn import Turn, TurnWindow
from strandline.observability import metric
from strandline.providers.base import Completion, Finish
from strandline.store.accounts import profiles
from strandline.store.conversations import sessions, spaces, turn_queries
from strandline.store.conversations.turn_queries import HistoryQuery
from strandline.use_cases.session_context import resolve_mount, session_context

RESERVED_SECONDS = 4.0
"""Kept back from the function's time-out, to verify the reply."""

MAX_TURNS = 2_000


@dataclass(frozen=True, slots=True)
class SessionWindow:
    """A session's window and its turns, newest first; `more` if older turns were not read."""

    window: TurnWindow
    turns: tuple[Turn, ...]
    more: bool

    def excerpt(self, limits: PromptLimits) -> Excerpt:
        """Returns the turns that fit. The first number of a window bounded by time is unknown."""
        first = self.window.after + 1 if self.window.since is None else None
        return turns_excerpt(self.turns, limits, first=first, more=self.more)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The last completion, and the usage of all calls."""

    completion: Completion
    usage: Usage


def draft_deadline(deps: Dependencies, context: Any) -> Deadline:
    """Returns when the model must have replied: before the function and the gateway time out."""
    seconds = context.get_remaining_time_in_millis() / 1000 - RESERVED_SECONDS
    return Deadline.after(max(0.0, min(deps.settings.background_timeout_seconds, seconds)))


def make_draft(deps: Dependencies, account: str, request: NewDraft, deadline: Deadline) -> Draft:
    """Returns a draft of a session's window or of a document; nothing is stored.

    Raises NotFound, Invalid, TooLarge before any model is called; a ModelError when the model
    fails or its reply is unusable.
    """
    if request.document is not None:
        return _draft_of_document(deps, account, request.document, request.space_id, deadline)
    session = sessions.get(deps.table, account, request.session_id or "")
    window = _session_window(deps, account, session, request)
    excerpt = window.excerpt(FULL)
    if not excerpt.sources:
        return Draft(session_id=session.id, left_out=excerpt.left_out)
    reply, limits = _complete(deps, (excerpt, window.excerpt(SMALLER)), deadline)
    excerpt = window.excerpt(limits)
    numbers = list(excerpt.sources)
    return _draft_from_reply(deps, account, excerpt, reply).model_copy(
        update={
            "session_id": session.id,
            "from_sequence": numbers[0],
            "to_sequence": numbers[-1],
            "left_out": excerpt.left_out,
        }
    )


def _draft_of_document(
    deps: Dependencies, account: str, document: str, space_id: str | None, deadline: Deadline
) -> Draft:
    if space_id is not None:
        spaces.get(deps.table, account, space_id)
    if len(document) > MAX_DOCUMENT_CHARACTERS:
        raise TooLarge(f"A document has at most {MAX_DOCUMENT_CHARACTERS} characters.")
    excerpt = document_excerpt(document)
    reply, _ = _complete(deps, (excerpt, excerpt), deadline)
    return _draft_from_reply(deps, account, excerpt, reply)


def _session_window(
    deps: Dependencies, account: str, session: Session, request: NewDraft
) -> SessionWindow:
    """Returns exactly the window that the session's next message would have."""
    table = deps.table
    mount = resolve_mount(
        table, account, session, request.mounted_checkpoint_id, request.history_base_seq
    )
    window = session_context(table, account, session, mount).window
    history = HistoryQuery(session.id, window, MAX_SEQUENCE, MAX_TURNS, FULL.window_characters)
    found, more = turn_queries.newest_turns(table, account, history, deps.clock())
    return SessionWindow(window, tuple(found), more)


def _complete(
    deps: Dependencies, excerpts: tuple[Excerpt, Excerpt], deadline: Deadline
) -> tuple[ModelReply, PromptLimits]:
    """Calls the model, once more with the smaller excerpt if its reply was cut off.

    Returns the reply and the limits of the excerpt it was made from. Raises a ModelError.
    """
    full, smaller = excerpts
    model = deps.background_model
    try:
        messages = prompt.draft_messages(full, FULL)
        first = model.complete(messages, schema=prompt.SCHEMA, deadline=deadline)
        if first.finish is not Finish.LENGTH:
            return ModelReply(first, _total_usage(first)), FULL
        messages = prompt.draft_messages(smaller, SMALLER)
        second = model.complete(messages, schema=prompt.SCHEMA, deadline=deadline)
        return ModelReply(second, _total_usage(first, second)), SMALLER
    except ModelError as failure:
        raise _report_failure(failure) from failure


def _draft_from_reply(
    deps: Dependencies, account: str, excerpt: Excerpt, reply: ModelReply
) -> Draft:
    completion = reply.completion
    if completion.finish is Finish.REFUSAL:
        raise _report_failure(ModelReplyInvalid("The model refused to make a draft."))
    parsed = parse_draft(completion.text)
    if isinstance(parsed, UnusableReply):
        raise _report_failure(ModelReplyInvalid(parsed.reason))
    language = profiles.get(deps.table, account).language
    draft = verify_proposal(parsed, DraftVerifier.for_excerpt(excerpt, language))
    name = f"{completion.provider}:{completion.model}"
    return draft.model_copy(update={"model": name, "usage": reply.usage})


def verify_proposal(proposal: DraftProposal, verifier: DraftVerifier) -> Draft:
    """Returns the draft with the lines that pass verification, and the dropped ones."""
    decisions = [verifier.verify_cited(line, decision=True) for line in proposal.decisions]
    tasks = [verifier.verify_cited(line, decision=False) for line in proposal.tasks]
    questions = [verifier.verify_uncited(line) for line in proposal.open_questions]
    entities = [verifier.verify_entity(line) for line in proposal.entities]
    assumptions = [verifier.verify_uncited(line) for line in proposal.assumptions]
    results = [*decisions, *tasks, *questions, *entities, *assumptions]
    dropped = [each for each in results if isinstance(each, Dropped)]
    return Draft(
        title=proposal.title,
        objective=proposal.objective,
        summary=proposal.summary,
        decisions=tuple(each for each in decisions if not isinstance(each, Dropped)),
        tasks=tuple(each for each in tasks if not isinstance(each, Dropped)),
        open_questions=tuple(each for each in questions if not isinstance(each, Dropped)),
        entities=tuple(each for each in entities if not isinstance(each, Dropped)),
        assumptions=tuple(each for each in assumptions if not isinstance(each, Dropped)),
        dropped=tuple([*dropped, *proposal.dropped][:MAX_DROPPED]),
    )


def _report_failure(failure: ModelError) -> ModelError:
    """Counts the failure; returns it with `retryable` for the client."""
    metric("DraftFailed", code=failure.code)
    failure.extra |= {"retryable": failure.retryable}
    return failure


def _total_usage(*completions: Completion) -> Usage:
    """Returns the tokens of all calls together, as far as the provider tells them."""
    input_tokens = [each.usage.input_tokens for each in completions]
    output_tokens = [each.usage.output_tokens for each in completions]
    return Usage(input_tokens=_sum_known(input_tokens), output_tokens=_sum_known(output_tokens))


def _sum_known(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
