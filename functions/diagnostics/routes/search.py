"""Searching memories."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.diagnostics.query_params import (
    LabelFilter,
    ReviewFilter,
    Since,
    SourceFilter,
    Until,
    span,
)
from functions.diagnostics.responses import SearchHit
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.models.memory import Author, Kind
from strandline.models.memory_filter import MemoryFilter, YesNo
from strandline.runtime import runtime

router = Router()
Question = Annotated[str, Query(min_length=1, max_length=4_000, description="Words to look for.")]


@router.get("/v1/debug/memories/search")
def search_memories(  # noqa: PLR0913, PLR0917  one parameter a filter, as the query has them
    q: Question,
    limit: Limit = 20,
    cursor: Cursor = None,
    kind: Kind | None = None,
    label: LabelFilter = None,
    source: SourceFilter = None,
    actor: Author | None = None,
    review: ReviewFilter | None = None,
    saved: YesNo = YesNo.ANY,
    since: Since = None,
    until: Until = None,
) -> Page[SearchHit]:
    """The memories that share words with the question, best first, equivalent ones once.

    Only what recall may show is searched.
    """
    from functions.diagnostics import memory_search  # noqa: PLC0415  loads numpy, the others don't

    times = span(since, until)
    wanted = MemoryFilter(kind, label, source, actor, review, saved, since=times[0], until=times[1])
    this = ("debug search", account(router), q, *wanted.cursor_values())
    after = cursors.read_cursor(cursor, *this)
    found = memory_search.search(runtime(), account(router), q, wanted, (limit, after))
    return to_page(found, *this)
