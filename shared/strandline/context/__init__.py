"""Which turns a prompt may hold, and the prompt itself: pure."""
