"""Importing conversations: parsing, pairing and storing them as a session."""
