"""Memories and their revisions."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.diagnostics import memory_queries, memory_views
from functions.diagnostics.query_params import MemoryListQuery
from functions.diagnostics.responses import MemoryHead, RevisionView
from strandline.api.app import account
from strandline.api.cursor import read_cursor
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.api.query_model import expand_query
from strandline.deletion import deletion_requests
from strandline.runtime import runtime
from strandline.store.pagination import PageRequest

router = Router()


@router.get("/v1/debug/memories")
@expand_query
def list_memories(query: MemoryListQuery) -> Page[MemoryHead]:
    """Lists the account's memories, newest first.

    Stale, retracted, rejected and dismissed memories are left out unless a filter asks for them.
    """
    wanted = query.memory_filter()
    list_key = ("debug memories", account(router), *wanted.cursor_values())
    request = PageRequest(query.limit, read_cursor(query.cursor, *list_key))
    found = memory_queries.list_heads(runtime(), account(router), wanted, request)
    return to_page(found, *list_key)


@router.get("/v1/debug/memories/<memory_id>")
def read_memory(memory_id: str) -> MemoryHead:
    """Returns a memory's current revision, with its citations, references and status."""
    return memory_views.head_view(memory_queries.get_head(runtime(), account(router), memory_id))


@router.delete("/v1/debug/memories/<memory_id>", status_code=204)
def delete_memory(memory_id: str) -> None:
    """Deletes a memory, its history and what derives from it. The turns it cites stay."""
    deletion_requests.delete_memory(runtime(), account(router), memory_id)


@router.get("/v1/debug/memories/<memory_id>/revisions")
def list_revisions(memory_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[RevisionView]:
    """Lists a memory's revisions, newest first."""
    list_key = ("debug revisions", account(router), memory_id)
    request = PageRequest(limit, read_cursor(cursor, *list_key))
    found = memory_queries.list_revisions(runtime(), account(router), memory_id, request)
    return to_page(found, *list_key)


@router.get("/v1/debug/memories/<memory_id>/revisions/<revision>")
def read_revision(memory_id: str, revision: int) -> RevisionView:
    """Returns one revision of a memory as it was stored."""
    return memory_queries.get_revision(runtime(), account(router), memory_id, revision)
