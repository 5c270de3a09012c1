"""Sessions."""

from typing import Annotated

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.chat.requests import NewSession, SessionChange
from strandline import ids
from strandline.api import cursor as cursors
from strandline.api.app import account, sent_fields
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import requests
from strandline.models.session import Session
from strandline.runtime import runtime
from strandline.store.conversations import sessions

router = Router()
SpaceFilter = Annotated[str | None, Query(max_length=64, description="Only those of this space.")]


@router.post("/v1/sessions", status_code=201)
def create_session(session: NewSession) -> Session:
    """Make a session, in a space if one is named."""
    now, at = runtime(), runtime().clock()
    made = Session(id=ids.new_id("ses", at), created_at=at, updated_at=at, **session.model_dump())
    return sessions.create(now.table, account(router), made)


@router.get("/v1/sessions")
def list_sessions(
    limit: Limit = 20, cursor: Cursor = None, space_id: SpaceFilter = None
) -> Page[Session]:
    """The account's sessions, newest first."""
    this = ("sessions", account(router), space_id)
    after = cursors.read_cursor(cursor, *this)
    return to_page(sessions.page(runtime().table, account(router), limit, after, space_id), *this)


@router.get("/v1/sessions/<session_id>")
def read_session(session_id: str) -> Session:
    """One session."""
    return sessions.get(runtime().table, account(router), session_id)


@router.patch("/v1/sessions/<session_id>")
def change_session(session_id: str, change: SessionChange) -> Session:
    """Change a session's title, space, provider or model."""
    now = runtime()
    session = sessions.get(now.table, account(router), session_id)
    return sessions.change(now.table, account(router), session, sent_fields(change), now.clock())


@router.delete("/v1/sessions/<session_id>", status_code=204)
def delete_session(session_id: str) -> None:
    """Delete a session and what rests on nothing else."""
    requests.delete_session(runtime(), account(router), session_id)
