"""Spaces, sessions, turns, receipts, notes and checkpoints as items."""
