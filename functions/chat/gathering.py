"""Everything an answer's prompt is made of, read side by side where it can be."""

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.chat.exchange import Exchange
from functions.chat.options import Options
from functions.chat.recollection import NOTHING, Recollection
from strandline.clock import Deadline
from strandline.context.prompt import Prompt, Said, checkpoint_part
from strandline.context.window import Limits, Window, choose
from strandline.ids import MAX_SEQUENCE
from strandline.models.receipt import LeftOut, RecallScope
from strandline.models.session import Session
from strandline.models.turn import Turn
from strandline.retention import Retention
from strandline.runtime import Runtime
from strandline.store import turns
from strandline.view import View, of_session

if TYPE_CHECKING:
    from strandline.recall.index import AccountIndex


@dataclass(frozen=True, slots=True)
class Seen:
    """What the session shows, its newest turns first, and whether older ones were left."""

    view: View
    turns: tuple[Turn, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Reads:
    """Reads under way."""

    seen: Future[Seen]
    index: "Future[AccountIndex] | None"
    scope: Future[frozenset[str] | None] | None


@dataclass(frozen=True, slots=True)
class Gathered:
    """A prompt and what it was made of."""

    view: View
    prompt: Prompt
    window: Window
    recollection: Recollection
    left_out: tuple[LeftOut, ...]


def start(
    runtime: Runtime,
    account: str,
    session: Session,
    options: Options,
    retention: Retention,
    before: int = MAX_SEQUENCE,
) -> Reads:
    """Begin the reads that need nothing but the session.

    `before` is the question's number where that is known: what was said after it isn't read.
    """
    index = scope = None
    seen = runtime.threads.submit(_see, runtime, account, session, options, retention, before)
    if options.recall is not RecallScope.OFF:
        # numpy is loaded by the first message, not by the handler's import.
        from functions.chat import recalling  # noqa: PLC0415
        from strandline.recall.live import current_index  # noqa: PLC0415

        index = runtime.threads.submit(current_index, runtime, account, retention)
        scope = runtime.threads.submit(recalling.sessions_of, runtime, account, session, options)
    return Reads(seen, index, scope)


def finish(runtime: Runtime, exchange: Exchange, reads: Reads, until: Deadline) -> Gathered:
    """The prompt of a question, from those reads, the question's embedding and the heads."""
    seen = reads.seen.result()
    recollection = NOTHING
    if reads.index is not None and reads.scope is not None:
        from functions.chat import recalling  # noqa: PLC0415

        remembering = recalling.Remembering(reads.index, reads.scope, seen.view.boundary)
        recollection = recalling.recollect(runtime, exchange, remembering, until)
    window = _history(runtime, exchange, seen)
    prompt = Prompt(
        query=exchange.question.content,
        checkpoints=tuple(checkpoint_part(each) for each in seen.view.checkpoints),
        history=tuple(Said(turn.role, turn.content) for turn in window.turns),
        memory_lines=tuple(recollection.prompt_lines()),
    )
    left_out = window.left_out + recollection.left_out
    return Gathered(seen.view, prompt, window, recollection, left_out)


def _see(
    runtime: Runtime,
    account: str,
    session: Session,
    options: Options,
    retention: Retention,
    before: int,
) -> Seen:
    view = of_session(runtime.table, account, session, options.mount, options.most_checkpoints)
    if options.history == "off":
        return Seen(view)
    settings = runtime.settings
    limits = (settings.history_turns, settings.history_characters)
    found, more = turns.newest(
        runtime.table,
        account,
        session.id,
        view.window,
        before,
        limits=limits,
        at=runtime.clock(),
        rule=retention.turns,
    )
    return Seen(view, tuple(found), more)


def _history(runtime: Runtime, exchange: Exchange, seen: Seen) -> Window:
    if exchange.options.history == "off":
        return Window((), (LeftOut(what="history", reason="off"),))
    settings = runtime.settings
    number = exchange.question.sequence_number
    earlier = [turn for turn in seen.turns if turn.sequence_number < number]
    limits = Limits(settings.history_turns, settings.history_characters)
    return choose(earlier, limits, more_before=seen.more)
