"""Memories and recall."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat import memory_view
from functions.chat.requests import MemoryChange, MemoryListQuery, RecallSearch
from functions.chat.responses import MemoryView, RecallAnswer
from strandline.api.app import account
from strandline.api.cursor import read_cursor
from strandline.api.fields import IdempotencyKey
from strandline.api.paging import Page, to_page
from strandline.api.query_model import expand_query
from strandline.deletion import deletion_requests
from strandline.runtime import runtime
from strandline.store.pagination import PageRequest
from strandline.use_cases.give_feedback import apply_verdict

router = Router()


@router.get("/v1/memories")
@expand_query
def list_memories(query: MemoryListQuery) -> Page[MemoryView]:
    """Lists the account's memories, newest first.

    Stale, retracted, rejected and dismissed memories are left out unless a filter asks for them.
    """
    wanted = query.memory_filter()
    list_key = ("memories", account(router), *wanted.cursor_values())
    request = PageRequest(query.limit, read_cursor(query.cursor, *list_key))
    found = memory_view.list_memory_views(runtime(), account(router), wanted, request)
    return to_page(found, *list_key)


@router.get("/v1/memories/<memory_id>")
def read_memory(memory_id: str) -> MemoryView:
    """Returns a memory with the words of the turns it cites."""
    return memory_view.read_memory_view(runtime(), account(router), memory_id)


@router.patch("/v1/memories/<memory_id>")
def change_memory(
    memory_id: str, change: MemoryChange, idempotency_key: IdempotencyKey = None
) -> MemoryView:
    """Corrects, confirms, rejects, saves or dismisses a memory, or takes that back."""
    deps = runtime()
    verdict = change.verdict(memory_id, idempotency_key)
    apply_verdict(deps, account(router), verdict)
    return memory_view.read_memory_view(deps, account(router), memory_id)


@router.delete("/v1/memories/<memory_id>", status_code=204)
def delete_memory(memory_id: str) -> None:
    """Deletes a memory and its history. The turns it cites stay."""
    deletion_requests.delete_memory(runtime(), account(router), memory_id)


@router.get("/v1/recall")
@expand_query
def recall(query: RecallSearch) -> RecallAnswer:
    """Returns the memories that recall finds for a question, with the parts of each score."""
    # recall loads numpy, which no other route needs at import.
    from functions.chat.recall import search_recall  # noqa: PLC0415

    return search_recall(runtime(), account(router), query)
