"""The user's feedback on memories: verdicts and what each one changes. Pure: no I/O."""
