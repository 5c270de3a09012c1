"""Recall as an answer uses it: what the account remembers that belongs into this prompt."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from functions.chat.exchange import Exchange
from functions.chat.options import Options
from functions.chat.recollection import Recollection
from strandline.arrays import Vectors
from strandline.clock import Deadline
from strandline.context.boundary import Boundary
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
from strandline.recall import lexical
from strandline.recall.index import AccountIndex
from strandline.recall.rank import Hit, Query, Selection, rank
from strandline.recall.score import rules
from strandline.recall.vectors import usable
from strandline.runtime import Runtime
from strandline.store import memories, sessions

Scope = frozenset[str] | None
"""The sessions to look in; None is the whole account."""


@dataclass(frozen=True, slots=True)
class Remembering:
    """Where to look: the index and scope under way, and what is hidden."""

    index: Future[AccountIndex]
    scope: Future[Scope]
    boundary: Boundary | None


@dataclass(frozen=True, slots=True)
class Embedded:
    """A question's vector, or why there is none."""

    vector: Vectors | None
    space: EmbeddingSpace | None
    failure: str | None = None


def sessions_of(runtime: Runtime, account: str, session: Session, options: Options) -> Scope:
    """The sessions whose memories may be recalled for a question."""
    return scope(runtime, account, options.recall, session.id, session.space_id)


def scope(
    runtime: Runtime, account: str, wanted: str, session_id: str | None, space_id: str | None
) -> Scope:
    """The sessions a scope stands for."""
    if wanted == RecallScope.SESSION and session_id:
        return frozenset({session_id})
    if wanted == RecallScope.SPACE and space_id:
        return sessions.ids_of_space(runtime.table, account, space_id)
    return None


def recollect(
    runtime: Runtime, exchange: Exchange, remembering: Remembering, until: Deadline
) -> Recollection:
    """What to recall for a question; its failure never keeps the answer from being given."""
    question = exchange.question
    embedded = embed(runtime, question.content, until)
    try:
        current, allowed = remembering.index.result(), remembering.scope.result()
    except Exception as error:  # noqa: BLE001  whatever storage does, the answer goes on
        return Recollection(RecallState.FAILED, _failed(error))
    query = Query(
        vector=embedded.vector,
        space=embedded.space,
        terms=lexical.stems(question.content, exchange.profile.language),
        now=runtime.clock(),
        scope=allowed,
        session_id=question.session_id,
        boundary=remembering.boundary,
    )
    selection = rank(current, query, rules(runtime.settings))
    return _remembered(runtime, exchange.account, selection, embedded, current)


def embed(runtime: Runtime, text: str, until: Deadline) -> Embedded:
    """The text's vector. A failure is logged and counted, and told to whoever asks."""
    left = min(runtime.settings.embedding_timeout_seconds, until.remaining())
    try:
        embedder = runtime.embedder
        vectors = embedder.embed([text], deadline=Deadline.after(left))
        return Embedded(usable(vectors, 1, embedder.space)[0], embedder.space)
    except Exception as error:  # noqa: BLE001  whatever the embedder does, the words alone find
        return Embedded(None, None, _failed(error))


def state_of(selection: Selection, failure: str | None) -> RecallState:
    """How the relevant branch went."""
    if failure is not None:
        return RecallState.DEGRADED if selection.relevant else RecallState.FAILED
    return RecallState.OK if selection.relevant else RecallState.NO_MATCH


def recalled(hit: Hit, memory: Memory) -> Recalled:
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


def current_memories(runtime: Runtime, account: str, hits: tuple[Hit, ...]) -> Mapping[str, Memory]:
    """The memories of those hits that are still there, by id."""
    heads = memories.readable(runtime.table, account, [hit.memory_id for hit in hits])
    return {name: head.memory for name, head in heads.items()}


def _remembered(
    runtime: Runtime, account: str, selection: Selection, embedded: Embedded, index: AccountIndex
) -> Recollection:
    hits = selection.merged
    try:
        there = current_memories(runtime, account, hits) if hits else {}
    except Exception as error:  # noqa: BLE001  whatever storage does, the answer goes on
        return Recollection(RecallState.FAILED, _failed(error))
    found = tuple(
        (recalled(hit, there[hit.memory_id]), there[hit.memory_id])
        for hit in hits
        if hit.memory_id in there
    )
    gone = tuple(
        LeftOut(what="memory", reason="deleted meanwhile", memory_id=hit.memory_id)
        for hit in hits
        if hit.memory_id not in there
    )
    return Recollection(
        state=state_of(selection, embedded.failure),
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
