"""Spaces."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat.requests import NewSpace, SpaceChange
from strandline.api import cursor as cursors
from strandline.api.app import account, sent_fields
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import requests
from strandline.models.space import Space
from strandline.runtime import runtime
from strandline.store.conversations import spaces

router = Router()


@router.post("/v1/spaces", status_code=201)
def create_space(space: NewSpace) -> Space:
    """Make a space."""
    now = runtime()
    return spaces.create(now.table, account(router), space.name, space.description, now.clock())


@router.get("/v1/spaces")
def list_spaces(limit: Limit = 20, cursor: Cursor = None) -> Page[Space]:
    """The account's spaces, newest first."""
    this = ("spaces", account(router))
    found = spaces.page(runtime().table, account(router), limit, cursors.read_cursor(cursor, *this))
    return to_page(found, *this)


@router.get("/v1/spaces/<space_id>")
def read_space(space_id: str) -> Space:
    """One space."""
    return spaces.get(runtime().table, account(router), space_id)


@router.patch("/v1/spaces/<space_id>")
def change_space(space_id: str, change: SpaceChange) -> Space:
    """Change a space's name or description."""
    now = runtime()
    return spaces.change(now.table, account(router), space_id, sent_fields(change), now.clock())


@router.delete("/v1/spaces/<space_id>", status_code=204)
def delete_space(space_id: str) -> None:
    """Delete a space with its sessions and what rests on nothing else."""
    requests.delete_space(runtime(), account(router), space_id)
