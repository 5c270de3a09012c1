"""The route that imports conversations from elsewhere."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint.imports.import_session import import_conversation
from functions.checkpoint.requests import NewImport
from functions.checkpoint.responses import ImportedSession
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()


@router.post("/v1/sessions:import", status_code=201)
def import_session(new: NewImport) -> ImportedSession:
    """Import a conversation as a session: all of it, or nothing."""
    return import_conversation(runtime(), account(router), new)
