"""What a memory states, in a form in which two of them can be compared."""
