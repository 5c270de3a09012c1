"""One router per resource: parse, one call, return a model."""

from functions.chat.routes import account, memories, messages, sessions, spaces, turns

ALL = (
    account.router,
    memories.router,
    messages.router,
    sessions.router,
    spaces.router,
    turns.router,
)
