"""What a memory refers to, what refers to it, and what it rests on."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.diagnostics import evidence_expansion, pinned_cursors, reference_queries
from functions.diagnostics.query_params import Depth, NodeBudget, Revision
from functions.diagnostics.responses import EvidencePage, ReferencedBy
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.models.memory import Reference
from strandline.runtime import runtime

router = Router()
History = Annotated[bool, Query(description="Whether revisions count that are no longer current.")]


@router.get("/v1/debug/memories/<memory_id>/references")
def list_references(
    memory_id: str, limit: Limit = 20, cursor: Cursor = None, revision: Revision = None
) -> Page[Reference]:
    """What a revision refers to; later pages are of the revision the first one was of."""
    asked = pinned_cursors.RevisionQuery(
        account(router), memory_id, revision, ("debug references",)
    )
    pin = pinned_cursors.pin_revision(runtime(), asked, cursor)
    return reference_queries.references(runtime(), asked, pin, limit)


@router.get("/v1/debug/memories/<memory_id>/referenced_by")
def list_referenced_by(
    memory_id: str,
    limit: Limit = 20,
    cursor: Cursor = None,
    target_revision: Revision = None,
    history: History = False,
) -> Page[ReferencedBy]:
    """The memories whose current revision refers to any revision of this one."""
    this = ("debug referenced_by", account(router), memory_id, target_revision, history)
    asked = reference_queries.Incoming(target_revision, history)
    after = cursors.read_cursor(cursor, *this)
    found = reference_queries.referenced_by(
        runtime(), account(router), memory_id, asked, (limit, after)
    )
    return to_page(found, *this)


@router.get("/v1/debug/memories/<memory_id>/evidence")
def read_evidence(
    memory_id: str,
    limit: Limit = 20,
    cursor: Cursor = None,
    revision: Revision = None,
    depth: Depth = 0,
    node_budget: NodeBudget = 32,
) -> EvidencePage:
    """The recorded turns a revision rests on, word for word."""
    bounds = ("debug evidence", depth, node_budget)
    asked = pinned_cursors.RevisionQuery(account(router), memory_id, revision, bounds)
    pin = pinned_cursors.pin_revision(runtime(), asked, cursor)
    return evidence_expansion.answer(runtime(), asked, pin, (depth, node_budget), limit)
