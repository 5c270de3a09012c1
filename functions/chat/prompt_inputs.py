"""Loads what an answer's prompt is made of, in parallel where possible."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.chat.answer_options import AnswerOptions, OpenQuestion
from functions.chat.recall_result import RECALL_OFF, RecallResult
from strandline.clock import Deadline
from strandline.context.history import HistoryLimits, HistorySelection, select_history
from strandline.context.prompt import HistoryTurn, Prompt, checkpoint_part
from strandline.dependencies import Dependencies
from strandline.ids import MAX_SEQUENCE
from strandline.models.receipt import LeftOut, RecallScope
from strandline.models.retention import Retention
from strandline.models.session import Session
from strandline.models.turn import Turn
from strandline.store.conversations import turn_queries
from strandline.store.conversations.turn_queries import HistoryQuery
from strandline.use_cases.session_context import SessionContext, session_context

if TYPE_CHECKING:
    from strandline.recall.account_index import AccountIndex


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """The session and the options that a prompt is built for.

    `before` is the question's sequence number where it is known: later turns aren't read.
    """

    account: str
    session: Session
    options: AnswerOptions
    retention: Retention
    before: int = MAX_SEQUENCE


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """A session's context and its newest turns, newest first.

    `more` tells whether older turns were left out.
    """

    context: SessionContext
    turns: tuple[Turn, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class PendingReads:
    """Reads in progress. `index` and `scope` are None when recall is off."""

    history: Future[SessionHistory]
    index: "Future[AccountIndex] | None"
    scope: Future[frozenset[str] | None] | None


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """A prompt and what it was made of."""

    context: SessionContext
    prompt: Prompt
    history: HistorySelection
    recall: RecallResult
    left_out: tuple[LeftOut, ...]


def start_reads(deps: Dependencies, request: PromptRequest) -> PendingReads:
    """Starts the reads that don't depend on the question, in the background."""
    index = scope = None
    history = deps.threads.submit(_read_history, deps, request)
    if request.options.recall is not RecallScope.OFF:
        # numpy is loaded by the first message, not by the handler's import.
        from functions.chat import recall  # noqa: PLC0415
        from strandline.use_cases.recall_index import current_index  # noqa: PLC0415

        account, retention = request.account, request.retention
        index = deps.threads.submit(current_index, deps, account, retention)
        scope = deps.threads.submit(
            recall.sessions_to_search, deps, account, request.session, request.options
        )
    return PendingReads(history, index, scope)


def build_prompt_inputs(
    deps: Dependencies, open_question: OpenQuestion, reads: PendingReads, until: Deadline
) -> PromptInputs:
    """Returns a question's prompt, made from those reads and the memories it recalls."""
    found = reads.history.result()
    recalled = RECALL_OFF
    if reads.index is not None and reads.scope is not None:
        from functions.chat import recall  # noqa: PLC0415

        sources = recall.RecallSources(reads.index, reads.scope, found.context.boundary)
        recalled = recall.recall_for_question(deps, open_question, sources, until)
    history = _select_history(deps, open_question, found)
    prompt = Prompt(
        query=open_question.question.content,
        checkpoints=tuple(checkpoint_part(each) for each in found.context.checkpoints),
        history=tuple(HistoryTurn(turn.role, turn.content) for turn in history.turns),
        memory_lines=tuple(recalled.prompt_lines()),
    )
    left_out = history.left_out + recalled.left_out
    return PromptInputs(found.context, prompt, history, recalled, left_out)


def _read_history(deps: Dependencies, request: PromptRequest) -> SessionHistory:
    options = request.options
    context = session_context(
        deps.table, request.account, request.session, options.mount, options.most_checkpoints
    )
    if options.history == "off":
        return SessionHistory(context)
    settings = deps.settings
    history = HistoryQuery(
        request.session.id,
        context.window,
        request.before,
        settings.history_turns,
        settings.history_characters,
    )
    found, more = turn_queries.newest_turns(
        deps.table, request.account, history, deps.clock(), request.retention.turns
    )
    return SessionHistory(context, tuple(found), more)


def _select_history(
    deps: Dependencies, open_question: OpenQuestion, found: SessionHistory
) -> HistorySelection:
    if open_question.options.history == "off":
        return HistorySelection((), (LeftOut(what="history", reason="off"),))
    settings = deps.settings
    number = open_question.question.sequence_number
    earlier = [turn for turn in found.turns if turn.sequence_number < number]
    limits = HistoryLimits(settings.history_turns, settings.history_characters)
    return select_history(earlier, limits, more_before=found.more)
