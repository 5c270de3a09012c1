"""Use cases that several functions share."""
