"""Everything an answer's prompt is made of, read side by side where it can be."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.chat.answer_options import AnswerOptions
from functions.chat.exchange import OpenQuestion
from functions.chat.recollection import RECALL_OFF, RecallResult
from strandline.clock import Deadline
from strandline.context.history import HistoryLimits, HistorySelection, select_history
from strandline.context.prompt import HistoryTurn, Prompt, checkpoint_part
from strandline.dependencies import Dependencies
from strandline.ids import MAX_SEQUENCE
from strandline.models.receipt import LeftOut, RecallScope
from strandline.models.retention import Retention
from strandline.models.session import Session
from strandline.models.turn import Turn
from strandline.store.conversations import turns
from strandline.use_cases.session_context import SessionContext, session_context

if TYPE_CHECKING:
    from strandline.recall.account_index import AccountIndex


@dataclass(frozen=True, slots=True)
class VisibleTurns:
    """What the session shows, its newest turns first, and whether older ones were left."""

    view: SessionContext
    turns: tuple[Turn, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class PendingReads:
    """Reads under way."""

    seen: Future[VisibleTurns]
    index: "Future[AccountIndex] | None"
    scope: Future[frozenset[str] | None] | None


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """A prompt and what it was made of."""

    view: SessionContext
    prompt: Prompt
    window: HistorySelection
    recollection: RecallResult
    left_out: tuple[LeftOut, ...]


def start_reads(
    deps: Dependencies,
    account: str,
    session: Session,
    options: AnswerOptions,
    retention: Retention,
    before: int = MAX_SEQUENCE,
) -> PendingReads:
    """Begin the reads that need nothing but the session.

    `before` is the question's number where that is known: what was said after it isn't read.
    """
    index = scope = None
    seen = deps.threads.submit(_see, deps, account, session, options, retention, before)
    if options.recall is not RecallScope.OFF:
        # numpy is loaded by the first message, not by the handler's import.
        from functions.chat import recall  # noqa: PLC0415
        from strandline.use_cases.recall_index import current_index  # noqa: PLC0415

        index = deps.threads.submit(current_index, deps, account, retention)
        scope = deps.threads.submit(recall.sessions_to_search, deps, account, session, options)
    return PendingReads(seen, index, scope)


def build_prompt_inputs(
    deps: Dependencies, exchange: OpenQuestion, reads: PendingReads, until: Deadline
) -> PromptInputs:
    """The prompt of a question, from those reads, the question's embedding and the heads."""
    seen = reads.seen.result()
    recollection = RECALL_OFF
    if reads.index is not None and reads.scope is not None:
        from functions.chat import recall  # noqa: PLC0415

        remembering = recall.RecallSources(reads.index, reads.scope, seen.view.boundary)
        recollection = recall.recall_for_question(deps, exchange, remembering, until)
    window = _history(deps, exchange, seen)
    prompt = Prompt(
        query=exchange.question.content,
        checkpoints=tuple(checkpoint_part(each) for each in seen.view.checkpoints),
        history=tuple(HistoryTurn(turn.role, turn.content) for turn in window.turns),
        memory_lines=tuple(recollection.prompt_lines()),
    )
    left_out = window.left_out + recollection.left_out
    return PromptInputs(seen.view, prompt, window, recollection, left_out)


def _see(
    deps: Dependencies,
    account: str,
    session: Session,
    options: AnswerOptions,
    retention: Retention,
    before: int,
) -> VisibleTurns:
    view = session_context(deps.table, account, session, options.mount, options.most_checkpoints)
    if options.history == "off":
        return VisibleTurns(view)
    settings = deps.settings
    limits = (settings.history_turns, settings.history_characters)
    found, more = turns.newest_turns(
        deps.table,
        account,
        session.id,
        view.window,
        before,
        limits=limits,
        at=deps.clock(),
        rule=retention.turns,
    )
    return VisibleTurns(view, tuple(found), more)


def _history(deps: Dependencies, exchange: OpenQuestion, seen: VisibleTurns) -> HistorySelection:
    if exchange.options.history == "off":
        return HistorySelection((), (LeftOut(what="history", reason="off"),))
    settings = deps.settings
    number = exchange.question.sequence_number
    earlier = [turn for turn in seen.turns if turn.sequence_number < number]
    limits = HistoryLimits(settings.history_turns, settings.history_characters)
    return select_history(earlier, limits, more_before=seen.more)
