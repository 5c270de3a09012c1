"""Reconciling candidates and changed turns with the memories an account has."""
