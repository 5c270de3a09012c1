"""The maintenance function: what was accepted runs to an end, whatever was killed in between."""
