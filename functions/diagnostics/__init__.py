"""The diagnostics function: a developer's view of the memory graph, and verdicts on it."""
