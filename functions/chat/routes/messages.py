"""Messages of a chat."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat.requests import NewMessage
from functions.chat.responses import Answer
from functions.chat.send_message import MessageRequest, answer_deadline, answer_message
from strandline.api.app import account
from strandline.api.fields import IdempotencyKey
from strandline.runtime import runtime

router = Router()


@router.post("/v1/sessions/<session_id>/messages", status_code=201)
def send_message(
    session_id: str, message: NewMessage, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Stores a message and answers it."""
    deps = runtime()
    deadline = answer_deadline(deps, router.lambda_context)
    asked = MessageRequest(account(router), session_id, message, idempotency_key)
    return answer_message(deps, asked, deadline)
