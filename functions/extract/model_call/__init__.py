"""The extraction prompt, its reply schema and the reply parser."""
