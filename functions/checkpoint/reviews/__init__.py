"""Reviewing a checkpoint: lint rules and a model's remarks."""
