"""Drafts: what a window, or a document, came to, as the model says and our code could verify."""

from dataclasses import dataclass
from typing import Any

from functions.checkpoint.drafts import draft_prompt
from functions.checkpoint.drafts.draft_reply_parser import MAX_DROPPED, Proposal, Unusable, parse
from functions.checkpoint.drafts.draft_request import MAX_DOCUMENT_CHARACTERS, NewDraft
from functions.checkpoint.drafts.draft_response import Draft
from functions.checkpoint.drafts.draft_verification import Checker
from functions.checkpoint.drafts.draft_window import (
    FULL,
    SMALLER,
    Excerpt,
    Size,
    of_document,
    of_turns,
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
from strandline.store.conversations import sessions, spaces, turns
from strandline.use_cases.session_context import resolve_mount, session_context

SECONDS_TO_VERIFY = 4.0
MAX_TURNS = 2_000


@dataclass(frozen=True, slots=True)
class Shown:
    """A window's turns, newest first, whether older ones were not read, and where it begins."""

    window: TurnWindow
    turns: tuple[Turn, ...]
    more: bool

    def excerpt(self, size: Size) -> Excerpt:
        """As many of them as fit. Where a window begins by time, its first number isn't known."""
        first = self.window.after + 1 if self.window.since is None else None
        return of_turns(self.turns, size, first=first, more=self.more)


def draft_deadline(deps: Dependencies, context: Any) -> Deadline:
    """When the model must have replied: before the function and the gateway give up."""
    left = context.get_remaining_time_in_millis() / 1000 - SECONDS_TO_VERIFY
    return Deadline.after(max(0.0, min(deps.settings.background_timeout_seconds, left)))


def make_draft(deps: Dependencies, account: str, new: NewDraft, until: Deadline) -> Draft:
    """A draft of a session's window or of a document; nothing is stored.

    Raises NotFound, Invalid, TooLarge before any model is called; a ModelError when the model
    fails or its reply can't be used.
    """
    if new.document is not None:
        return _of_document(deps, account, new.document, new.space_id, until)
    session = sessions.get(deps.table, account, new.session_id or "")
    shown = _shown(deps, account, session, new)
    excerpt = shown.excerpt(FULL)
    if not excerpt.places:
        return Draft(session_id=session.id, left_out=excerpt.left_out)
    reply, size = _ask(deps, (excerpt, shown.excerpt(SMALLER)), until)
    excerpt = shown.excerpt(size)
    numbers = list(excerpt.places)
    return _made(deps, account, excerpt, reply).model_copy(
        update={
            "session_id": session.id,
            "from_sequence": numbers[0],
            "to_sequence": numbers[-1],
            "left_out": excerpt.left_out,
        }
    )


def _of_document(
    deps: Dependencies, account: str, document: str, space_id: str | None, until: Deadline
) -> Draft:
    if space_id is not None:
        spaces.get(deps.table, account, space_id)
    if len(document) > MAX_DOCUMENT_CHARACTERS:
        raise TooLarge(f"A document has at most {MAX_DOCUMENT_CHARACTERS} characters.")
    excerpt = of_document(document)
    reply, _ = _ask(deps, (excerpt, excerpt), until)
    return _made(deps, account, excerpt, reply)


def _shown(deps: Dependencies, account: str, session: Session, new: NewDraft) -> Shown:
    """Exactly the window that the session's next message would have."""
    table = deps.table
    mount = resolve_mount(table, account, session, new.mounted_checkpoint_id, new.history_base_seq)
    window = session_context(table, account, session, mount).window
    limits = (MAX_TURNS, FULL.window)
    found, more = turns.newest_turns(
        table, account, session.id, window, MAX_SEQUENCE, limits=limits, at=deps.clock()
    )
    return Shown(window, tuple(found), more)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said in the end, and what all of it took."""

    completion: Completion
    usage: Usage


def _ask(
    deps: Dependencies, excerpts: tuple[Excerpt, Excerpt], until: Deadline
) -> tuple[Reply, Size]:
    """One call; a reply that was cut off is asked for once more, smaller. Raises a ModelError."""
    full, smaller = excerpts
    model = deps.background_model
    try:
        messages = draft_prompt.messages(full, FULL)
        first = model.complete(messages, schema=draft_prompt.SCHEMA, deadline=until)
        if first.finish is not Finish.LENGTH:
            return Reply(first, _used(first)), FULL
        messages = draft_prompt.messages(smaller, SMALLER)
        second = model.complete(messages, schema=draft_prompt.SCHEMA, deadline=until)
        return Reply(second, _used(first, second)), SMALLER
    except ModelError as failure:
        raise _told(failure) from failure


def _made(deps: Dependencies, account: str, excerpt: Excerpt, reply: Reply) -> Draft:
    completion = reply.completion
    if completion.finish is Finish.REFUSAL:
        raise _told(ModelReplyInvalid("The model refused to make a draft."))
    parsed = parse(completion.text)
    if isinstance(parsed, Unusable):
        raise _told(ModelReplyInvalid(parsed.reason))
    language = profiles.get(deps.table, account).language
    made = verified(parsed, Checker.of(excerpt, language))
    name = f"{completion.provider}:{completion.model}"
    return made.model_copy(update={"model": name, "usage": reply.usage})


def verified(proposal: Proposal, checker: Checker) -> Draft:
    """The draft that is left of a proposal: what our code found in the excerpt."""
    decisions = [checker.cited(point, decision=True) for point in proposal.decisions]
    tasks = [checker.cited(point, decision=False) for point in proposal.tasks]
    questions = [checker.mentioned(point) for point in proposal.open_questions]
    entities = [checker.entity(point) for point in proposal.entities]
    assumptions = [checker.mentioned(point) for point in proposal.assumptions]
    looked_at = [*decisions, *tasks, *questions, *entities, *assumptions]
    dropped = [each for each in looked_at if isinstance(each, Dropped)]
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


def _told(failure: ModelError) -> ModelError:
    metric("DraftFailed", code=failure.code)
    failure.extra |= {"retryable": failure.retryable}
    return failure


def _used(*completions: Completion) -> Usage:
    """What all calls took together, as far as the provider says."""
    given = [each.usage.input_tokens for each in completions]
    made = [each.usage.output_tokens for each in completions]
    return Usage(input_tokens=_sum(given), output_tokens=_sum(made))


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
