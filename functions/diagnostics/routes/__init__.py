"""One router per resource: parse, one call, return a model."""

from functions.diagnostics.routes import feedback, memories, search

ALL = (memories.router, feedback.router, search.router)
