"""Items of conversations: spaces, sessions, turns, receipts, notes and checkpoints."""
