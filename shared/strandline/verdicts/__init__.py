"""The user's verdicts on memories: what each one does, and giving one."""
