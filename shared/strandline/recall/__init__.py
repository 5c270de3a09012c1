"""Ranking an account's memories for a question: index, scores and selection. Pure."""
