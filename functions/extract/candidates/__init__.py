"""Candidate memories: repaired, verified against their turns and deduplicated."""
