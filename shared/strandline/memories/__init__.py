"""Changing memories: one transaction, and what a change means to other memories."""
