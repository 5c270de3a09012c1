"""Spaces."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat.requests import NewSpace, SpaceChange
from strandline.api.app import account, sent_fields
from strandline.api.cursor import read_cursor
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import deletion_requests
from strandline.models.space import Space
from strandline.runtime import runtime
from strandline.store.conversations import spaces
from strandline.store.pagination import PageRequest

router = Router()


@router.post("/v1/spaces", status_code=201)
def create_space(space: NewSpace) -> Space:
    """Creates a space."""
    deps = runtime()
    return spaces.create(deps.table, account(router), space.name, space.description, deps.clock())


@router.get("/v1/spaces")
def list_spaces(limit: Limit = 20, cursor: Cursor = None) -> Page[Space]:
    """Lists the account's spaces, newest first."""
    list_key = ("spaces", account(router))
    request = PageRequest(limit, read_cursor(cursor, *list_key))
    return to_page(spaces.page(runtime().table, account(router), request), *list_key)


@router.get("/v1/spaces/<space_id>")
def read_space(space_id: str) -> Space:
    """Returns one space."""
    return spaces.get(runtime().table, account(router), space_id)


@router.patch("/v1/spaces/<space_id>")
def change_space(space_id: str, change: SpaceChange) -> Space:
    """Changes a space's name or description."""
    deps = runtime()
    return spaces.change(deps.table, account(router), space_id, sent_fields(change), deps.clock())


@router.delete("/v1/spaces/<space_id>", status_code=204)
def delete_space(space_id: str) -> None:
    """Deletes a space with its sessions, and the memories that rest on them alone."""
    deletion_requests.delete_space(runtime(), account(router), space_id)
