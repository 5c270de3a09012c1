"""Reading, comparing, merging and exporting a space's checkpoints."""
