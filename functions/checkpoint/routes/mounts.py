"""Mounting a checkpoint in a session."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint import mount_session
from functions.checkpoint.requests import NewMount
from strandline.api.app import account
from strandline.models.session import Session
from strandline.runtime import runtime
from strandline.store.conversations import sessions

router = Router()


@router.put("/v1/sessions/<session_id>/mount")
def mount(session_id: str, wanted: NewMount) -> Session:
    """Mount a checkpoint: from here on, prompts hold it and what is said after this."""
    return mount_session.mount(runtime(), account(router), session_id, wanted.checkpoint_id)


@router.delete("/v1/sessions/<session_id>/mount")
def unmount(session_id: str) -> Session:
    """Mount nothing."""
    now = runtime()
    return sessions.unmount(now.table, account(router), session_id, now.clock())
