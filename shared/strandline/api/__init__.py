"""The HTTP side that all functions share: resolver, claims, bodies, problems and cursors."""
