"""Conversations that were had elsewhere."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint.imports import import_session as importing
from functions.checkpoint.requests import NewImport
from functions.checkpoint.responses import ImportedSession
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()


@router.post("/v1/sessions:import", status_code=201)
def import_session(wanted: NewImport) -> ImportedSession:
    """Make a session of a conversation: all of it, or nothing."""
    return importing.import_conversation(runtime(), account(router), wanted)
