"""Searching memories."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.diagnostics.query_params import MemorySearchQuery
from functions.diagnostics.responses import SearchHit
from strandline.api.app import account
from strandline.api.cursor import read_cursor
from strandline.api.paging import Page, to_page
from strandline.api.query_model import expand_query
from strandline.runtime import runtime

router = Router()
Question = Annotated[str, Query(min_length=1, max_length=4_000, description="Words to look for.")]


@router.get("/v1/debug/memories/search")
@expand_query
def search_memories(q: Question, query: MemorySearchQuery) -> Page[SearchHit]:
    """Searches memories by the words they share with the question, best match first.

    Of equivalent memories only one is listed. Only memories that recall may use are searched.
    """
    # memory_search loads numpy, which no other route needs.
    from functions.diagnostics import memory_search  # noqa: PLC0415

    wanted = query.memory_filter()
    list_key = ("debug search", account(router), q, *wanted.cursor_values())
    after = read_cursor(query.cursor, *list_key)
    found = memory_search.search_memories(
        runtime(), account(router), q, wanted, (query.limit, after)
    )
    return to_page(found, *list_key)
