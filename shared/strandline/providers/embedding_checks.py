"""Checks of embedding requests and replies: truncated texts, and unit vectors."""

from typing import Any

import numpy as np

from strandline.errors import ModelReplyInvalid
from strandline.providers.vector_types import Vectors


def checked_unit_vector(row: Any, dimensions: int) -> Vectors:
    """Returns `row` at unit length, float32 of shape (dimensions,).

    Raises ModelReplyInvalid unless it is `dimensions` finite numbers that aren't all zero.
    """
    try:
        vector = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelReplyInvalid("An embedding holds something that isn't a number.") from None
    if vector.shape != (dimensions,):
        size = vector.shape[0] if vector.ndim == 1 else 0
        raise ModelReplyInvalid(
            f"An embedding has {size} dimensions where EMBEDDING_DIMENSIONS leads to {dimensions}."
        )
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        length = float(np.linalg.norm(vector))
    if not (np.isfinite(length) and length > 0):
        raise ModelReplyInvalid("An embedding is zero or holds a value that isn't finite.")
    result: Vectors = (vector / length).astype(np.float32)
    return result


def truncate_bytes(text: str, size: int) -> str:
    """Returns the first `size` UTF-8 bytes of `text`, without a partial character at the end.

    Returns a blank for an empty text, which services refuse.
    """
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore") or " "
