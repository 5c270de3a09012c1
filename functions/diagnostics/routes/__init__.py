"""The routes of diagnostics, one router per resource."""

from functions.diagnostics.routes import feedback, graph, memories, search

ALL = (search.router, memories.router, graph.router, feedback.router)
