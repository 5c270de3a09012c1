"""Recall: the memories for an answer's prompt, and the search for memories by a question."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace

from functions.chat import memory_view
from functions.chat.answer_options import AnswerOptions, OpenQuestion
from functions.chat.recall_result import RecallResult, recall_state, recalled_memory
from functions.chat.requests import RecallSearch
from functions.chat.responses import RecallAnswer, RecallHit
from strandline.clock import Deadline
from strandline.context.boundary import Boundary
from strandline.dependencies import Dependencies
from strandline.errors import Invalid, StrandlineError
from strandline.memories import visibility
from strandline.models.memory import Memory
from strandline.models.receipt import LeftOut, RecallScope, RecallState
from strandline.models.session import Session
from strandline.observability import log_failure, metric
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall import stemming
from strandline.recall.account_index import AccountIndex
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import RankedMemory, RecallSelection, rank_memories
from strandline.recall.scoring import scoring_rules
from strandline.recall.vectors import checked_vectors
from strandline.store.accounts import profiles
from strandline.store.conversations import sessions, spaces
from strandline.store.memories import memory_heads
from strandline.use_cases.recall_index import current_index
from strandline.use_cases.session_context import session_context

Scope = frozenset[str] | None
"""The ids of the sessions to search; None for the whole account."""


@dataclass(frozen=True, slots=True)
class RecallSources:
    """The index and the scope, which are still being read, and the boundary of a mount."""

    index: Future[AccountIndex]
    scope: Future[Scope]
    boundary: Boundary | None


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """A question's vector and its embedding space, or the code of the failure."""

    vector: Vectors | None
    space: EmbeddingSpace | None
    failure: str | None = None


def sessions_to_search(
    deps: Dependencies, account: str, session: Session, options: AnswerOptions
) -> Scope:
    """Returns the sessions whose memories may be recalled for a question."""
    return sessions_in_scope(deps, account, options.recall, session.id, session.space_id)


def sessions_in_scope(
    deps: Dependencies, account: str, wanted: str, session_id: str | None, space_id: str | None
) -> Scope:
    """Returns the sessions that a scope covers."""
    if wanted == RecallScope.SESSION and session_id:
        return frozenset({session_id})
    if wanted == RecallScope.SPACE and space_id:
        return sessions.session_ids_of_space(deps.table, account, space_id)
    return None


def recall_for_question(
    deps: Dependencies, open_question: OpenQuestion, sources: RecallSources, until: Deadline
) -> RecallResult:
    """Returns the memories to recall for a question. Never raises: a failure is in the result."""
    question = open_question.question
    embedded = embed_query(deps, question.content, until)
    try:
        index, scope = sources.index.result(), sources.scope.result()
    except Exception as error:  # noqa: BLE001  an answer is given without recall as well
        return RecallResult(RecallState.FAILED, _report_failure(error))
    query = RecallQuery(
        vector=embedded.vector,
        space=embedded.space,
        terms=stemming.stem_counts(question.content, open_question.profile.language),
        now=deps.clock(),
        scope=scope,
        session_id=question.session_id,
        boundary=sources.boundary,
    )
    selection = rank_memories(index, query, scoring_rules(deps.settings))
    return _recall_result(deps, open_question.account, selection, embedded, index)


def embed_query(deps: Dependencies, text: str, until: Deadline) -> QueryEmbedding:
    """Returns a text's vector. A failure is logged, counted and returned, not raised."""
    seconds = min(deps.settings.embedding_timeout_seconds, until.remaining())
    try:
        embedder = deps.embedder
        vectors = embedder.embed([text], deadline=Deadline.after(seconds))
        return QueryEmbedding(checked_vectors(vectors, 1, embedder.space)[0], embedder.space)
    except Exception as error:  # noqa: BLE001  recall goes on by the words alone
        return QueryEmbedding(None, None, _report_failure(error))


def current_memories(
    deps: Dependencies, account: str, hits: tuple[RankedMemory, ...]
) -> Mapping[str, Memory]:
    """Returns by id the memories of the hits that may still be read."""
    heads = memory_heads.get_readable(deps.table, account, [hit.memory_id for hit in hits])
    return {memory_id: head.memory for memory_id, head in heads.items()}


def _recall_result(
    deps: Dependencies,
    account: str,
    selection: RecallSelection,
    embedded: QueryEmbedding,
    index: AccountIndex,
) -> RecallResult:
    hits = selection.merged
    try:
        memories = current_memories(deps, account, hits) if hits else {}
    except Exception as error:  # noqa: BLE001  an answer is given without recall as well
        return RecallResult(RecallState.FAILED, _report_failure(error))
    found = tuple(
        (recalled_memory(hit, memories[hit.memory_id]), memories[hit.memory_id])
        for hit in hits
        if hit.memory_id in memories
    )
    gone = tuple(
        LeftOut(what="memory", reason="deleted meanwhile", memory_id=hit.memory_id)
        for hit in hits
        if hit.memory_id not in memories
    )
    return RecallResult(
        state=recall_state(selection, embedded.failure),
        failure=embedded.failure,
        found=found,
        left_out=gone,
        needs_embedding=len(index.needs_embedding(embedded.space)),
    )


def search_recall(deps: Dependencies, account: str, search: RecallSearch) -> RecallAnswer:
    """Returns the memories relevant to a question, best first.

    Raises NotFound for a missing session or space, Invalid for a blank question and for a scope
    without its session or space.
    """
    if not search.q.strip():
        raise Invalid("q must hold something other than white space.")
    session = _searched_session(deps, account, search)
    scope = _searched_scope(deps, account, search, session)
    index = deps.threads.submit(current_index, deps, account)
    profile = profiles.get(deps.table, account)
    timeout = Deadline.after(deps.settings.embedding_timeout_seconds)
    embedded = embed_query(deps, search.q, timeout)
    query = RecallQuery(
        vector=embedded.vector,
        space=embedded.space,
        terms=stemming.stem_counts(search.q, profile.language),
        now=deps.clock(),
        scope=scope,
        boundary=_boundary(deps, account, session),
    )
    rules = replace(scoring_rules(deps.settings), limit=search.limit)
    selection = rank_memories(index.result(), query, rules)
    return RecallAnswer(
        items=_hits(deps, account, selection.relevant),
        recall=recall_state(selection, embedded.failure),
    )


def _hits(
    deps: Dependencies, account: str, hits: tuple[RankedMemory, ...]
) -> tuple[RecallHit, ...]:
    """Returns the hits that may still be read, without citations of sessions being deleted."""
    memories = current_memories(deps, account, hits)
    deleting = visibility.sessions_being_deleted(deps.table, account)
    visible = {
        i: shown for i, m in memories.items() if (shown := visibility.visible_memory(m, deleting))
    }
    quoted = memory_view.quoted_evidence(deps, account, list(visible.values()))
    return tuple(
        _recall_hit(
            recalled_memory(hit, visible[hit.memory_id]).model_dump(),
            visible[hit.memory_id],
            quoted[hit.memory_id],
        )
        for hit in hits
        if hit.memory_id in visible
    )


def _recall_hit(scores: dict[str, object], memory: Memory, citations: object) -> RecallHit:
    return RecallHit.model_validate(
        scores
        | {
            "kind": memory.kind,
            "title": memory.title,
            "text": memory.text,
            "citations": citations,
        }
    )


def _searched_session(deps: Dependencies, account: str, search: RecallSearch) -> Session | None:
    if search.session_id is None:
        return None
    return sessions.get(deps.table, account, search.session_id)


def _boundary(deps: Dependencies, account: str, session: Session | None) -> Boundary | None:
    """Returns what the session's mount hides: a search hides the same as the session's prompts."""
    if session is None or session.mount is None:
        return None
    return session_context(deps.table, account, session, session.mount).boundary


def _searched_scope(
    deps: Dependencies, account: str, search: RecallSearch, session: Session | None
) -> Scope:
    kind = RecallScope(search.scope)
    own_space = session.space_id if session and kind is RecallScope.SPACE else None
    space_id = search.space_id or own_space
    if kind is RecallScope.SESSION and session is None:
        raise Invalid("The scope session needs a session_id.")
    if kind is RecallScope.SPACE and not space_id:
        raise Invalid("The scope space needs a space_id, or the session_id of one in a space.")
    if space_id:
        spaces.get(deps.table, account, space_id)
    return sessions_in_scope(deps, account, kind, search.session_id, space_id)


def _report_failure(error: Exception) -> str:
    """Logs and counts a failure of recall; returns its code for the receipt."""
    log_failure("recall failed", error)
    metric("RecallFailed")
    return error.code if isinstance(error, StrandlineError) else "INTERNAL_ERROR"
