"""What is told of an error where its owner can read it."""

from strandline.errors import StrandlineError


def reason_of(error: Exception) -> str:
    """Our own errors speak for themselves; of others only the kind is told."""
    if isinstance(error, StrandlineError):
        return f"{error.code}: {error.message}"
    return f"INTERNAL_ERROR: {type(error).__name__}"
