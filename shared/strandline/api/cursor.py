"""Cursors: opaque positions, bound to the account, the list and its filters."""

import base64
import binascii
import hashlib
import json
from typing import Any

from strandline.errors import Invalid

_DIGEST_BYTES = 12


class WrongCursor(Invalid):
    """The cursor does not belong to this list, these filters or this account."""


def make_cursor(position: str | None, *bound_to: Any) -> str | None:
    """Returns a cursor for a position; None if the position is None.

    `bound_to` identifies the list: its name, its account and its filters.
    """
    if position is None:
        return None
    raw = _digest(position, bound_to) + position.encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_cursor(cursor: str | None, *bound_to: Any) -> str | None:
    """Returns the position in a cursor; None if there is no cursor.

    Raises WrongCursor for a cursor that was altered or made for another list.
    """
    if cursor is None:
        return None
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        position = raw[_DIGEST_BYTES:].decode()
    except (binascii.Error, UnicodeError, ValueError):
        raise WrongCursor from None
    # Base64 has spare bits: only the encoding that make_cursor gives is accepted.
    if not position or make_cursor(position, *bound_to) != cursor:
        raise WrongCursor
    return position


def _digest(position: str, bound_to: tuple[Any, ...]) -> bytes:
    """Returns a checksum. It needs no secret: a position only leads into the caller's partition."""
    text = json.dumps([position, *bound_to], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).digest()[:_DIGEST_BYTES]
