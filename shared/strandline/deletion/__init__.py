"""Deleting memories, turns, sessions and spaces: hidden at once, erased by a job."""
