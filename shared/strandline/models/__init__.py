"""The product's values, one module per entity. Frozen; a change makes a new value."""
