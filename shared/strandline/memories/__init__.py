"""Changes of memories: the transaction that makes them, and their effects on other memories."""
