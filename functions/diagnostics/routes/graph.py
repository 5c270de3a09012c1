"""What a memory refers to, what refers to it, and the turns it rests on."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.diagnostics import evidence_expansion, reference_queries
from functions.diagnostics.evidence_expansion import ExpansionBounds
from functions.diagnostics.pinned_cursors import RevisionQuery, pin_revision
from functions.diagnostics.query_params import EvidenceQuery, Revision
from functions.diagnostics.responses import EvidencePage, ReferencedBy
from strandline.api.app import account
from strandline.api.cursor import read_cursor
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.api.query_model import expand_query
from strandline.models.memory import Reference
from strandline.runtime import runtime
from strandline.store.pagination import PageRequest

router = Router()
History = Annotated[
    bool, Query(description="Whether revisions that are no longer current count as well.")
]


@router.get("/v1/debug/memories/<memory_id>/references")
def list_references(
    memory_id: str, limit: Limit = 20, cursor: Cursor = None, revision: Revision = None
) -> Page[Reference]:
    """Lists the revisions that a revision refers to.

    Every page is about the same revision as the first, even if the memory changes meanwhile.
    """
    asked = RevisionQuery(account(router), memory_id, revision, ("debug references",))
    pin = pin_revision(runtime(), asked, cursor)
    return reference_queries.list_references(runtime(), asked, pin, limit)


@router.get("/v1/debug/memories/<memory_id>/referenced_by")
def list_referenced_by(
    memory_id: str,
    limit: Limit = 20,
    cursor: Cursor = None,
    target_revision: Revision = None,
    history: History = False,
) -> Page[ReferencedBy]:
    """Lists the revisions that refer to any revision of this memory."""
    list_key = ("debug referenced_by", account(router), memory_id, target_revision, history)
    asked = reference_queries.IncomingQuery(target_revision, history)
    request = PageRequest(limit, read_cursor(cursor, *list_key))
    found = reference_queries.list_referenced_by(
        runtime(), account(router), memory_id, asked, request
    )
    return to_page(found, *list_key)


@router.get("/v1/debug/memories/<memory_id>/evidence")
@expand_query
def read_evidence(memory_id: str, query: EvidenceQuery) -> EvidencePage:
    """Lists the turns a revision rests on, with the cited words as they were said.

    With a `depth` above 0, the turns that its references rest on are listed as well.
    """
    filters = ("debug evidence", query.depth, query.node_budget)
    asked = RevisionQuery(account(router), memory_id, query.revision, filters)
    pin = pin_revision(runtime(), asked, query.cursor)
    bounds = ExpansionBounds(query.depth, query.node_budget)
    return evidence_expansion.read_evidence(runtime(), asked, pin, bounds, query.limit)
