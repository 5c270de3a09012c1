"""Memories and recall."""

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.chat import memory_view
from functions.chat.memory_response import MemoryView
from functions.chat.requests import MemoryChange
from functions.chat.responses import RecallAnswer
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.fields import IdempotencyKey
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import requests
from strandline.models.memory import Kind
from strandline.models.memory_filter import MemoryFilter, YesNo
from strandline.models.memory_status import Freshness, Review, State
from strandline.runtime import runtime
from strandline.use_cases import give_feedback

router = Router()
LabelFilter = Annotated[str | None, Query(min_length=1, max_length=100)]
SessionFilter = Annotated[str | None, Query(min_length=1, max_length=64)]
SpaceFilter = Annotated[str | None, Query(min_length=1, max_length=64)]
Question = Annotated[str, Query(min_length=1, max_length=4_000, description="What to look for.")]
Found = Annotated[int, Query(ge=1, le=100)]


@router.get("/v1/memories")
def list_memories(  # noqa: PLR0913, PLR0917  one parameter a filter, as the query has them
    limit: Limit = 20,
    cursor: Cursor = None,
    kind: Kind | None = None,
    label: LabelFilter = None,
    session: SessionFilter = None,
    review: Review | Literal["any"] | None = None,
    saved: YesNo = YesNo.ANY,
    dismissed: YesNo = YesNo.NO,
    state: State | Literal["any"] = State.ACTIVE,
    freshness: Freshness | Literal["any"] = Freshness.CURRENT,
) -> Page[MemoryView]:
    """The account's memories, newest first.

    What is stale, retracted, rejected or dismissed is shown only when it is asked for.
    """
    wanted = MemoryFilter(
        kind=kind,
        label=label,
        source=session,
        review=review,
        saved=saved,
        dismissed=dismissed,
        state=state,
        freshness=freshness,
    )
    this = ("memories", account(router), *wanted.cursor_values())
    after = cursors.read_cursor(cursor, *this)
    return to_page(
        memory_view.list_memory_views(runtime(), account(router), wanted, limit, after), *this
    )


@router.get("/v1/memories/<memory_id>")
def read_memory(memory_id: str) -> MemoryView:
    """One memory, with the words it rests on."""
    return memory_view.read_memory_view(runtime(), account(router), memory_id)


@router.patch("/v1/memories/<memory_id>")
def change_memory(
    memory_id: str, change: MemoryChange, idempotency_key: IdempotencyKey = None
) -> MemoryView:
    """Correct, confirm, reject, save or dismiss a memory, or take that back."""
    now, verdict = runtime(), change.verdict(memory_id, idempotency_key)
    give_feedback.apply_verdict(now, account(router), verdict)
    return memory_view.read_memory_view(now, account(router), memory_id)


@router.delete("/v1/memories/<memory_id>", status_code=204)
def delete_memory(memory_id: str) -> None:
    """Delete a memory and its history; the turns stay."""
    requests.delete_memory(runtime(), account(router), memory_id)


@router.get("/v1/recall")
def recall(
    q: Question,
    limit: Found = 5,
    scope: Literal["account", "space", "session"] = "account",
    session_id: SessionFilter = None,
    space_id: SpaceFilter = None,
) -> RecallAnswer:
    """What would be recalled for a question, with the terms of each score."""
    from functions.chat import recall_search  # noqa: PLC0415  loads numpy, which the others don't need

    wanted = recall_search.RecallSearch(q, limit, scope, session_id, space_id)
    return recall_search.search_recall(runtime(), account(router), wanted)
