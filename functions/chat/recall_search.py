"""Recall on its own: what would be remembered for a question, and why."""

from dataclasses import dataclass, replace

from functions.chat import memory_view, recall
from functions.chat.responses import RecallAnswer, RecallHit
from strandline.clock import Deadline
from strandline.context.boundary import Boundary
from strandline.dependencies import Dependencies
from strandline.errors import Invalid
from strandline.memories import visibility
from strandline.models.memory import Memory
from strandline.models.receipt import RecallScope
from strandline.models.session import Session
from strandline.recall import stemming
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import RankedMemory, rank_memories
from strandline.recall.scoring import scoring_rules
from strandline.store.accounts import profiles
from strandline.store.conversations import sessions, spaces
from strandline.use_cases.recall_index import current_index
from strandline.use_cases.session_context import session_context


@dataclass(frozen=True, slots=True)
class RecallSearch:
    """What to look for, how much of it and where."""

    question: str
    limit: int
    scope: str
    session_id: str | None
    space_id: str | None


def search_recall(deps: Dependencies, account: str, wanted: RecallSearch) -> RecallAnswer:
    """The memories relevant to a question, best first.

    Raises NotFound for a session or space that isn't there, Invalid for a scope without one.
    """
    if not wanted.question.strip():
        raise Invalid("q must hold something other than white space.")
    session = _session(deps, account, wanted)
    within = _scope(deps, account, wanted, session)
    index = deps.threads.submit(current_index, deps, account)
    profile = profiles.get(deps.table, account)
    timeout = Deadline.after(deps.settings.embedding_timeout_seconds)
    embedded = recall.embed_query(deps, wanted.question, timeout)
    query = RecallQuery(
        vector=embedded.vector,
        space=embedded.space,
        terms=stemming.stem_counts(wanted.question, profile.language),
        now=deps.clock(),
        scope=within,
        boundary=_boundary(deps, account, session),
    )
    chosen = replace(scoring_rules(deps.settings), limit=wanted.limit)
    selection = rank_memories(index.result(), query, chosen)
    return RecallAnswer(
        items=_hits(deps, account, selection.relevant),
        recall=recall.recall_state(selection, embedded.failure),
    )


def _hits(
    deps: Dependencies, account: str, hits: tuple[RankedMemory, ...]
) -> tuple[RecallHit, ...]:
    """What is still there of the hits, without what rests on sessions that are deleted."""
    there = recall.current_memories(deps, account, hits)
    erased = visibility.sessions_being_deleted(deps.table, account)
    visible = {i: seen for i, m in there.items() if (seen := visibility.visible_memory(m, erased))}
    quoted = memory_view.quoted_evidence(deps, account, list(visible.values()))
    return tuple(
        _hit(
            recall.recalled_memory(hit, visible[hit.memory_id]).model_dump(),
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


def _session(deps: Dependencies, account: str, wanted: RecallSearch) -> Session | None:
    if wanted.session_id is None:
        return None
    return sessions.get(deps.table, account, wanted.session_id)


def _boundary(deps: Dependencies, account: str, session: Session | None) -> Boundary | None:
    """What is mounted in the session a search names hides here what it hides in its prompts."""
    if session is None or session.mount is None:
        return None
    return session_context(deps.table, account, session, session.mount).boundary


def _scope(
    deps: Dependencies, account: str, wanted: RecallSearch, session: Session | None
) -> recall.Scope:
    own = session.space_id if session and wanted.scope == RecallScope.SPACE else None
    space_id = wanted.space_id or own
    if wanted.scope == RecallScope.SESSION and session is None:
        raise Invalid("The scope session needs a session_id.")
    if wanted.scope == RecallScope.SPACE and not space_id:
        raise Invalid("The scope space needs a space_id, or the session_id of one in a space.")
    if space_id:
        spaces.get(deps.table, account, space_id)
    return recall.sessions_in_scope(deps, account, wanted.scope, wanted.session_id, space_id)
