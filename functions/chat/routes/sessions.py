"""Sessions."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.chat.requests import NewSession, SessionChange
from strandline import ids
from strandline.api.app import account, sent_fields
from strandline.api.cursor import read_cursor
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import deletion_requests
from strandline.models.session import Session
from strandline.runtime import runtime
from strandline.store.conversations import sessions
from strandline.store.pagination import PageRequest

router = Router()
SpaceFilter = Annotated[str | None, Query(max_length=64, description="Only those of this space.")]


@router.post("/v1/sessions", status_code=201)
def create_session(session: NewSession) -> Session:
    """Creates a session, in a space if one is named."""
    deps = runtime()
    at = deps.clock()
    new = Session(id=ids.new_id("ses", at), created_at=at, updated_at=at, **session.model_dump())
    return sessions.create(deps.table, account(router), new)


@router.get("/v1/sessions")
def list_sessions(
    limit: Limit = 20, cursor: Cursor = None, space_id: SpaceFilter = None
) -> Page[Session]:
    """Lists the account's sessions, newest first."""
    list_key = ("sessions", account(router), space_id)
    request = PageRequest(limit, read_cursor(cursor, *list_key))
    found = sessions.page(runtime().table, account(router), request, space_id)
    return to_page(found, *list_key)


@router.get("/v1/sessions/<session_id>")
def read_session(session_id: str) -> Session:
    """Returns one session."""
    return sessions.get(runtime().table, account(router), session_id)


@router.patch("/v1/sessions/<session_id>")
def change_session(session_id: str, change: SessionChange) -> Session:
    """Changes a session's title, space, provider or model."""
    deps = runtime()
    session = sessions.get(deps.table, account(router), session_id)
    return sessions.change(deps.table, account(router), session, sent_fields(change), deps.clock())


@router.delete("/v1/sessions/<session_id>", status_code=204)
def delete_session(session_id: str) -> None:
    """Deletes a session with its turns, and the memories that rest on them alone."""
    deletion_requests.delete_session(runtime(), account(router), session_id)
