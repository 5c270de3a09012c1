"""Measurements of the product: each module measures one thing and prints its table."""
