"""Recall on its own: what would be remembered for a question, and why."""

from dataclasses import dataclass, replace

from functions.chat import reading, recalling
from functions.chat.responses import RecallAnswer, RecallHit
from strandline.clock import Deadline
from strandline.context.boundary import Boundary
from strandline.errors import Invalid
from strandline.models.memory import Memory
from strandline.models.receipt import RecallScope
from strandline.models.session import Session
from strandline.recall import lexical
from strandline.recall.live import current_index
from strandline.recall.rank import Hit, Query, rank
from strandline.recall.score import rules
from strandline.runtime import Runtime
from strandline.store import hiding, profiles, sessions, spaces
from strandline.view import of_session


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for, how much of it and where."""

    question: str
    limit: int
    scope: str
    session_id: str | None
    space_id: str | None


def search(runtime: Runtime, account: str, wanted: Search) -> RecallAnswer:
    """The memories relevant to a question, best first.

    Raises NotFound for a session or space that isn't there, Invalid for a scope without one.
    """
    if not wanted.question.strip():
        raise Invalid("q must hold something other than white space.")
    session = _session(runtime, account, wanted)
    within = _scope(runtime, account, wanted, session)
    index = runtime.threads.submit(current_index, runtime, account)
    profile = profiles.get(runtime.table, account)
    timeout = Deadline.after(runtime.settings.embedding_timeout_seconds)
    embedded = recalling.embed(runtime, wanted.question, timeout)
    query = Query(
        vector=embedded.vector,
        space=embedded.space,
        terms=lexical.stems(wanted.question, profile.language),
        now=runtime.clock(),
        scope=within,
        boundary=_boundary(runtime, account, session),
    )
    chosen = replace(rules(runtime.settings), limit=wanted.limit)
    selection = rank(index.result(), query, chosen)
    return RecallAnswer(
        items=_hits(runtime, account, selection.relevant),
        recall=recalling.state_of(selection, embedded.failure),
    )


def _hits(runtime: Runtime, account: str, hits: tuple[Hit, ...]) -> tuple[RecallHit, ...]:
    """What is still there of the hits, without what rests on sessions that are deleted."""
    there = recalling.current_memories(runtime, account, hits)
    erased = hiding.being_erased(runtime.table, account)
    visible = {i: seen for i, m in there.items() if (seen := hiding.visible(m, erased))}
    quoted = reading.evidence(runtime, account, list(visible.values()))
    return tuple(
        _hit(
            recalling.recalled(hit, visible[hit.memory_id]).model_dump(),
            visible[hit.memory_id],
            quoted[hit.memory_id],
        )
        for hit in hits
        if hit.memory_id in visible
    )


def _hit(terms: dict[str, object], memory: Memory, citations: object) -> RecallHit:
    return RecallHit.model_validate(
        terms
        | {
            "kind": memory.kind,
            "title": memory.title,
            "text": memory.text,
            "citations": citations,
        }
    )


def _session(runtime: Runtime, account: str, wanted: Search) -> Session | None:
    if wanted.session_id is None:
        return None
    return sessions.get(runtime.table, account, wanted.session_id)


def _boundary(runtime: Runtime, account: str, session: Session | None) -> Boundary | None:
    """What is mounted in the session a search names hides here what it hides in its prompts."""
    if session is None or session.mount is None:
        return None
    return of_session(runtime.table, account, session, session.mount).boundary


def _scope(
    runtime: Runtime, account: str, wanted: Search, session: Session | None
) -> recalling.Scope:
    own = session.space_id if session and wanted.scope == RecallScope.SPACE else None
    space_id = wanted.space_id or own
    if wanted.scope == RecallScope.SESSION and session is None:
        raise Invalid("The scope session needs a session_id.")
    if wanted.scope == RecallScope.SPACE and not space_id:
        raise Invalid("The scope space needs a space_id, or the session_id of one in a space.")
    if space_id:
        spaces.get(runtime.table, account, space_id)
    return recalling.scope(runtime, account, wanted.scope, wanted.session_id, space_id)
