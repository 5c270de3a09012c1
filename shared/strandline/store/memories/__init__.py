"""Items of memories: heads, revisions, references, suppressed statements, the vector log."""
