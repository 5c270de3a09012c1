"""Memories and their revisions."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.diagnostics import memory_queries, memory_views
from functions.diagnostics.query_params import (
    FreshnessFilter,
    LabelFilter,
    ReviewFilter,
    Since,
    SourceFilter,
    StateFilter,
    Until,
    span,
)
from functions.diagnostics.responses import MemoryHead, RevisionView
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import requests
from strandline.models.memory import Author, Kind
from strandline.models.memory_filter import MemoryFilter, YesNo
from strandline.models.memory_status import Freshness, State
from strandline.runtime import runtime

router = Router()


@router.get("/v1/debug/memories")
def list_memories(  # noqa: PLR0913, PLR0917  one parameter a filter, as the query has them
    limit: Limit = 20,
    cursor: Cursor = None,
    kind: Kind | None = None,
    label: LabelFilter = None,
    source: SourceFilter = None,
    actor: Author | None = None,
    review: ReviewFilter | None = None,
    saved: YesNo = YesNo.ANY,
    dismissed: YesNo = YesNo.NO,
    state: StateFilter = State.ACTIVE,
    freshness: FreshnessFilter = Freshness.CURRENT,
    since: Since = None,
    until: Until = None,
) -> Page[MemoryHead]:
    """The account's memories, newest first.

    What is stale, retracted, rejected or dismissed is shown only when it is asked for.
    """
    times = span(since, until)
    wanted = MemoryFilter(
        kind, label, source, actor, review, saved, dismissed, state, freshness, *times
    )
    this = ("debug memories", account(router), *wanted.cursor_values())
    after = cursors.read_cursor(cursor, *this)
    return to_page(memory_queries.page(runtime(), account(router), wanted, limit, after), *this)


@router.get("/v1/debug/memories/<memory_id>")
def read_memory(memory_id: str) -> MemoryHead:
    """A memory as it is now, with all it refers to."""
    return memory_views.head(memory_queries.head(runtime(), account(router), memory_id))


@router.delete("/v1/debug/memories/<memory_id>", status_code=204)
def delete_memory(memory_id: str) -> None:
    """Delete a memory, its history and what derives from it; the turns stay."""
    requests.delete_memory(runtime(), account(router), memory_id)


@router.get("/v1/debug/memories/<memory_id>/revisions")
def list_revisions(memory_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[RevisionView]:
    """A memory's history, newest first."""
    this = ("debug revisions", account(router), memory_id)
    after = cursors.read_cursor(cursor, *this)
    return to_page(
        memory_queries.revisions(runtime(), account(router), memory_id, limit, after), *this
    )


@router.get("/v1/debug/memories/<memory_id>/revisions/<revision>")
def read_revision(memory_id: str, revision: int) -> RevisionView:
    """One revision of a memory, as it was."""
    return memory_queries.revision(runtime(), account(router), memory_id, revision)
