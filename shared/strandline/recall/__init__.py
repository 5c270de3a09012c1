"""Recall: an account's in-memory index and the ranking of its memories. Pure, without I/O."""
