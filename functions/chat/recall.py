"""Recall as an answer uses it: what the account remembers that belongs into this prompt."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from functions.chat.answer_options import AnswerOptions
from functions.chat.exchange import OpenQuestion
from functions.chat.recollection import RecallResult
from strandline.clock import Deadline
from strandline.context.boundary import Boundary
from strandline.dependencies import Dependencies
from strandline.errors import StrandlineError
from strandline.models.memory import Memory
from strandline.models.receipt import (
    MOST_EQUIVALENTS,
    LeftOut,
    Recalled,
    RecallScope,
    RecallState,
)
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
from strandline.store.conversations import sessions
from strandline.store.memories import memory_heads

Scope = frozenset[str] | None
"""The sessions to look in; None is the whole account."""


@dataclass(frozen=True, slots=True)
class RecallSources:
    """Where to look: the index and scope under way, and what is hidden."""

    index: Future[AccountIndex]
    scope: Future[Scope]
    boundary: Boundary | None


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """A question's vector, or why there is none."""

    vector: Vectors | None
    space: EmbeddingSpace | None
    failure: str | None = None


def sessions_to_search(
    deps: Dependencies, account: str, session: Session, options: AnswerOptions
) -> Scope:
    """The sessions whose memories may be recalled for a question."""
    return sessions_in_scope(deps, account, options.recall, session.id, session.space_id)


def sessions_in_scope(
    deps: Dependencies, account: str, wanted: str, session_id: str | None, space_id: str | None
) -> Scope:
    """The sessions a scope stands for."""
    if wanted == RecallScope.SESSION and session_id:
        return frozenset({session_id})
    if wanted == RecallScope.SPACE and space_id:
        return sessions.session_ids_of_space(deps.table, account, space_id)
    return None


def recall_for_question(
    deps: Dependencies, exchange: OpenQuestion, remembering: RecallSources, until: Deadline
) -> RecallResult:
    """What to recall for a question; its failure never keeps the answer from being given."""
    question = exchange.question
    embedded = embed_query(deps, question.content, until)
    try:
        current, allowed = remembering.index.result(), remembering.scope.result()
    except Exception as error:  # noqa: BLE001  whatever storage does, the answer goes on
        return RecallResult(RecallState.FAILED, _failed(error))
    query = RecallQuery(
        vector=embedded.vector,
        space=embedded.space,
        terms=stemming.stem_counts(question.content, exchange.profile.language),
        now=deps.clock(),
        scope=allowed,
        session_id=question.session_id,
        boundary=remembering.boundary,
    )
    selection = rank_memories(current, query, scoring_rules(deps.settings))
    return _remembered(deps, exchange.account, selection, embedded, current)


def embed_query(deps: Dependencies, text: str, until: Deadline) -> QueryEmbedding:
    """The text's vector. A failure is logged and counted, and told to whoever asks."""
    left = min(deps.settings.embedding_timeout_seconds, until.remaining())
    try:
        embedder = deps.embedder
        vectors = embedder.embed([text], deadline=Deadline.after(left))
        return QueryEmbedding(checked_vectors(vectors, 1, embedder.space)[0], embedder.space)
    except Exception as error:  # noqa: BLE001  whatever the embedder does, the words alone find
        return QueryEmbedding(None, None, _failed(error))


def recall_state(selection: RecallSelection, failure: str | None) -> RecallState:
    """How the relevant branch went."""
    if failure is not None:
        return RecallState.DEGRADED if selection.relevant else RecallState.FAILED
    return RecallState.OK if selection.relevant else RecallState.NO_MATCH


def recalled_memory(hit: RankedMemory, memory: Memory) -> Recalled:
    """A hit with the revision it stands for now."""
    return Recalled(
        memory_id=hit.memory_id,
        revision=memory.revision,
        selected_by=hit.selected_by,
        similarity=hit.similarity,
        lexical=hit.lexical,
        relevance=hit.relevance,
        importance=hit.importance,
        recency=hit.recency,
        score=hit.score,
        equivalents=hit.equivalents[:MOST_EQUIVALENTS],
    )


def current_memories(
    deps: Dependencies, account: str, hits: tuple[RankedMemory, ...]
) -> Mapping[str, Memory]:
    """The memories of those hits that are still there, by id."""
    heads = memory_heads.readable(deps.table, account, [hit.memory_id for hit in hits])
    return {name: head.memory for name, head in heads.items()}


def _remembered(
    deps: Dependencies,
    account: str,
    selection: RecallSelection,
    embedded: QueryEmbedding,
    index: AccountIndex,
) -> RecallResult:
    hits = selection.merged
    try:
        there = current_memories(deps, account, hits) if hits else {}
    except Exception as error:  # noqa: BLE001  whatever storage does, the answer goes on
        return RecallResult(RecallState.FAILED, _failed(error))
    found = tuple(
        (recalled_memory(hit, there[hit.memory_id]), there[hit.memory_id])
        for hit in hits
        if hit.memory_id in there
    )
    gone = tuple(
        LeftOut(what="memory", reason="deleted meanwhile", memory_id=hit.memory_id)
        for hit in hits
        if hit.memory_id not in there
    )
    return RecallResult(
        state=recall_state(selection, embedded.failure),
        failure=embedded.failure,
        found=found,
        left_out=gone,
        needs_embedding=len(index.needs_embedding(embedded.space)),
    )


def _failed(error: Exception) -> str:
    """Log and count a failure of recall; its code, as the receipt tells it."""
    log_failure("recall failed", error)
    metric("RecallFailed")
    return error.code if isinstance(error, StrandlineError) else "INTERNAL_ERROR"
