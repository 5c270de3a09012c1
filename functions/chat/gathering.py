"""Everything an answer's prompt is made of, read side by side where it can be."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.chat.exchange import Exchange
from functions.chat.options import Options
from functions.chat.recollection import NOTHING, Recollection
from strandline.clock import Deadline
from strandline.context.prompt import MAX_MEMORY_LINES, Prompt, Said
from strandline.context.window import Limits, Window, choose
from strandline.ids import MAX_SEQUENCE
from strandline.models.receipt import LeftOut, Mode, RecallScope
from strandline.models.session import Session
from strandline.models.turn import Turn
from strandline.runtime import Runtime
from strandline.store import turns

if TYPE_CHECKING:
    from strandline.recall.index import AccountIndex

HistoryRead = tuple[list[Turn], bool]


@dataclass(frozen=True, slots=True)
class Reads:
    """Reads under way."""

    history: Future[HistoryRead] | None
    index: "Future[AccountIndex] | None"
    scope: Future[frozenset[str] | None] | None


@dataclass(frozen=True, slots=True)
class Gathered:
    """A prompt and what it was made of."""

    mode: Mode
    prompt: Prompt
    window: Window
    recollection: Recollection
    left_out: tuple[LeftOut, ...]


def start(
    runtime: Runtime,
    account: str,
    session: Session,
    options: Options,
    before: int = MAX_SEQUENCE,
) -> Reads:
    """Begin the reads that need nothing but the session.

    `before` is the question's number where that is known: what was said after it isn't read.
    """
    history = index = scope = None
    limits = (runtime.settings.history_turns, runtime.settings.history_characters)
    if options.history == "on":
        history = runtime.threads.submit(
            turns.newest, runtime.table, account, session.id, before, limits, runtime.clock()
        )
    if options.recall is not RecallScope.OFF:
        # numpy is loaded by the first message, not by the handler's import.
        from functions.chat import recalling  # noqa: PLC0415
        from strandline.recall.live import current_index  # noqa: PLC0415

        index = runtime.threads.submit(current_index, runtime, account)
        scope = runtime.threads.submit(recalling.sessions_of, runtime, account, session, options)
    return Reads(history, index, scope)


def finish(runtime: Runtime, exchange: Exchange, reads: Reads, until: Deadline) -> Gathered:
    """The prompt of a question, from those reads, the question's embedding and the heads."""
    recollection = NOTHING
    if reads.index is not None and reads.scope is not None:
        from functions.chat import recalling  # noqa: PLC0415

        recollection = recalling.recollect(runtime, exchange, reads.index, reads.scope, until)
    window = _history(runtime, exchange, reads)
    lines = recollection.prompt_lines()
    prompt = Prompt(
        query=exchange.question.content,
        history=tuple(Said(turn.role, turn.content) for turn in window.turns),
        memory_lines=tuple(lines[:MAX_MEMORY_LINES]),
    )
    left_out = window.left_out + recollection.left_out
    return Gathered(Mode.FRESH, prompt, window, recollection, left_out)


def _history(runtime: Runtime, exchange: Exchange, reads: Reads) -> Window:
    if reads.history is None:
        return Window((), (LeftOut(what="history", reason="off"),))
    found, more = reads.history.result()
    settings = runtime.settings
    earlier = [t for t in found if t.sequence_number < exchange.question.sequence_number]
    limits = Limits(settings.history_turns, settings.history_characters)
    return choose(earlier, limits, more_before=more)
