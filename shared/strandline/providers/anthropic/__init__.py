"""Models of Anthropic, through its SDK: an optional extra (docs/providers.md)."""
