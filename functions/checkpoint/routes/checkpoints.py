"""Routes that commit, list, read, fork and annotate checkpoints."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.checkpoint import commit_checkpoint, mount_session
from functions.checkpoint.lineage import queries
from functions.checkpoint.requests import NewCheckpoint, NewFork, NewNote
from functions.checkpoint.responses import Lineage
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.fields import IdempotencyKey
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.models.checkpoint import Checkpoint, CheckpointNote, Node
from strandline.models.session import Session
from strandline.models.turn import Turn
from strandline.runtime import runtime
from strandline.store.conversations import checkpoints, spaces
from strandline.store.pagination import PageRequest

router = Router()
BranchFilter = Annotated[str | None, Query(min_length=1, max_length=60)]


@router.post("/v1/spaces/<space_id>/checkpoints", status_code=201)
def commit(space_id: str, new: NewCheckpoint, idempotency_key: IdempotencyKey = None) -> Checkpoint:
    """Commit a checkpoint on its branch's head."""
    request = commit_checkpoint.CommitRequest(account(router), space_id, new, idempotency_key)
    return commit_checkpoint.commit(runtime(), request)


@router.get("/v1/spaces/<space_id>/checkpoints")
def list_checkpoints(
    space_id: str, limit: Limit = 20, cursor: Cursor = None, branch: BranchFilter = None
) -> Page[Node]:
    """List a space's checkpoints, newest first."""
    deps, query = runtime(), ("checkpoints", account(router), space_id, branch)
    spaces.get(deps.table, account(router), space_id)
    request = PageRequest(limit, cursors.read_cursor(cursor, *query))
    found = checkpoints.page(deps.table, account(router), space_id, request, branch)
    return to_page(found, *query)


@router.get("/v1/spaces/<space_id>/lineage")
def lineage(space_id: str) -> Lineage:
    """Read the whole graph of a space's checkpoints."""
    return queries.space_lineage(runtime(), account(router), space_id)


@router.get("/v1/checkpoints/<checkpoint_id>")
def read_checkpoint(checkpoint_id: str) -> Checkpoint:
    """Read a checkpoint, checked against its hash."""
    return checkpoints.get(runtime().table, account(router), checkpoint_id)


@router.get("/v1/checkpoints/<checkpoint_id>/turns")
def list_turns(checkpoint_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[Turn]:
    """List the turns a checkpoint was made from, oldest first."""
    query = ("checkpoint turns", account(router), checkpoint_id)
    request = PageRequest(limit, cursors.read_cursor(cursor, *query))
    found = queries.source_turns(runtime(), account(router), checkpoint_id, request)
    return to_page(found, *query)


@router.post("/v1/checkpoints/<checkpoint_id>/fork", status_code=201)
def fork(checkpoint_id: str, new: NewFork) -> Session:
    """Create a session that begins at a checkpoint."""
    return mount_session.fork(runtime(), account(router), checkpoint_id, new.title, new.branch)


@router.post("/v1/checkpoints/<checkpoint_id>/notes", status_code=201)
def add_note(checkpoint_id: str, note: NewNote) -> CheckpointNote:
    """Attach a note to a checkpoint; its hash stays as it is."""
    deps = runtime()
    checkpoint = checkpoints.get(deps.table, account(router), checkpoint_id)
    return checkpoints.add_note(deps.table, account(router), checkpoint, note.content, deps.clock())


@router.get("/v1/checkpoints/<checkpoint_id>/notes")
def list_notes(
    checkpoint_id: str, limit: Limit = 20, cursor: Cursor = None
) -> Page[CheckpointNote]:
    """List a checkpoint's notes, oldest first."""
    deps, query = runtime(), ("checkpoint notes", account(router), checkpoint_id)
    checkpoints.get(deps.table, account(router), checkpoint_id)
    request = PageRequest(limit, cursors.read_cursor(cursor, *query))
    found = checkpoints.note_page(deps.table, account(router), checkpoint_id, request)
    return to_page(found, *query)
