"""The maintenance function: runs on a schedule and continues jobs that were interrupted."""
