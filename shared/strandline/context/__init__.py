"""The context of a prompt: its boundary, its history and the prompt itself. Pure, without I/O."""
