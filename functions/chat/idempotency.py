"""What makes two messages the same request."""

from functions.chat.requests import NewMessage
from strandline.store.accounts import idempotency


def body_of(session_id: str, message: NewMessage) -> str:
    """The hash of a message to a session."""
    return idempotency.request_hash(session_id, message.model_dump(mode="json"))
