"""Strandline: memories that cite their source and checkpoints whose boundary holds."""

__version__ = "0.1.0"
