"""Cursors: opaque, and bound to the account, the list and its filters."""

import base64
import binascii
import hashlib
import json
from typing import Any

from strandline.errors import Invalid

_CHECK_BYTES = 12


class WrongCursor(Invalid):
    """The cursor does not belong to this list, these filters or this account."""


def make_cursor(position: str | None, *bound_to: Any) -> str | None:
    """A cursor for that position in that very list; None when there is nothing to go on to."""
    if position is None:
        return None
    raw = _check(position, bound_to) + position.encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_cursor(cursor: str | None, *bound_to: Any) -> str | None:
    """The position in a cursor. Raises WrongCursor unless it was made for exactly this."""
    if cursor is None:
        return None
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        position = raw[_CHECK_BYTES:].decode()
    except (binascii.Error, UnicodeError, ValueError):
        raise WrongCursor from None
    # Base64 has spare bits: only the one spelling we would give out ourselves is taken.
    if not position or make_cursor(position, *bound_to) != cursor:
        raise WrongCursor
    return position


def _check(position: str, bound_to: tuple[Any, ...]) -> bytes:
    """No secret is needed: a position only ever leads into the caller's own partition."""
    text = json.dumps([position, *bound_to], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).digest()[:_CHECK_BYTES]
