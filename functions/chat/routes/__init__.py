"""The routes of the chat function, one router per resource."""

from functions.chat.routes import account, memories, messages, sessions, spaces, turns

ALL = (
    account.router,
    memories.router,
    messages.router,
    sessions.router,
    spaces.router,
    turns.router,
)
