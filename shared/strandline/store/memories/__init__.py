"""Memory heads, revisions, references, rejections and the vector log as items."""
