"""Storage: one module per kind of item, with plain functions over the table."""
