"""Turns into memories: the model is asked once, and nothing it says is stored unchecked."""
