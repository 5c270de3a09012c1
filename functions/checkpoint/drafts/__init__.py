"""Drafting a checkpoint from a session's window or from a document."""
