"""The chat function: spaces, sessions, messages, turns, memories and recall over HTTP."""
