"""What a memory refers to, what refers to it, and what it rests on."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.diagnostics import evidence, graph, pins
from functions.diagnostics.asking import Depth, NodeBudget, Revision
from functions.diagnostics.responses import EvidencePage, ReferencedBy
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.paging import Cursor, Limit, Page, page
from strandline.models.memory import Reference
from strandline.runtime import runtime

router = Router()
History = Annotated[bool, Query(description="Whether revisions count that are no longer current.")]


@router.get("/v1/debug/memories/<memory_id>/references")
def list_references(
    memory_id: str, limit: Limit = 20, cursor: Cursor = None, revision: Revision = None
) -> Page[Reference]:
    """What a revision refers to; later pages are of the revision the first one was of."""
    asked = pins.Asked(account(router), memory_id, revision, ("debug references",))
    pin = pins.pinned(runtime(), asked, cursor)
    return graph.references(runtime(), asked, pin, limit)


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
    asked = graph.Incoming(target_revision, history)
    after = cursors.read(cursor, *this)
    found = graph.referenced_by(runtime(), account(router), memory_id, asked, (limit, after))
    return page(found, *this)


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
    asked = pins.Asked(account(router), memory_id, revision, bounds)
    pin = pins.pinned(runtime(), asked, cursor)
    return evidence.answer(runtime(), asked, pin, (depth, node_budget), limit)
