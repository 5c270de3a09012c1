"""What is stored and how: one module per entity, plain functions over the table."""
