"""Routes that mount a checkpoint in a session, and unmount it."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint import mount_session
from functions.checkpoint.requests import NewMount
from strandline.api.app import account
from strandline.models.session import Session
from strandline.runtime import runtime
from strandline.store.conversations import sessions

router = Router()


@router.put("/v1/sessions/<session_id>/mount")
def mount(session_id: str, new: NewMount) -> Session:
    """Mount a checkpoint: from now on, prompts hold it and the turns after this."""
    return mount_session.mount(runtime(), account(router), session_id, new.checkpoint_id)


@router.delete("/v1/sessions/<session_id>/mount")
def unmount(session_id: str) -> Session:
    """Unmount the session's checkpoint."""
    deps = runtime()
    return sessions.unmount(deps.table, account(router), session_id, deps.clock())
