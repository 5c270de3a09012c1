"""Messages: the chat itself."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat import send_message as answering
from functions.chat.requests import NewMessage
from functions.chat.responses import Answer
from strandline.api.app import account
from strandline.api.fields import IdempotencyKey
from strandline.runtime import runtime

router = Router()


@router.post("/v1/sessions/<session_id>/messages", status_code=201)
def send_message(
    session_id: str, message: NewMessage, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Store a message and answer it."""
    now = runtime()
    deadline = answering.answer_deadline(now, router.lambda_context)
    asked = answering.MessageRequest(account(router), session_id, message, idempotency_key)
    return answering.answer_message(now, asked, deadline)
