"""The diagnostics function: the memory graph for developers, and verdicts on memories."""
