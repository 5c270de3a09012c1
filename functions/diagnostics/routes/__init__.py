"""One router per resource: parse, one call, return a model."""

from functions.diagnostics.routes import feedback, graph, memories, search

ALL = (search.router, memories.router, graph.router, feedback.router)
