"""Deleting memories, turns, sessions and spaces: hidden at once, removed by a job."""
