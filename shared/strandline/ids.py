"""Ids: a prefix, an underscore and a ULID (https://github.com/ulid/spec): time-sortable, URL-safe.

A turn's id is derived: its session's ULID and its sequence number.
"""

import hashlib
import re
import secrets
import threading
from datetime import datetime

from strandline.errors import NotFound

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_TURN = re.compile(rf"trn_({_ULID})_([0-9]{{8}})")
_PREFIXED = re.compile(rf"([a-z]{{3}})_({_ULID})")
MAX_SEQUENCE = 99_999_999
_RANDOM_BITS = 80
_lock = threading.Lock()
_last = 0


def new_id(prefix: str, at: datetime) -> str:
    """A new id of that kind, sortable by `at`; within a millisecond, by the order of asking."""
    global _last  # noqa: PLW0603  the ULID spec's monotonicity needs the last one given out
    with _lock:
        number = _milliseconds(at) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS - 1)
        if number >> _RANDOM_BITS == _last >> _RANDOM_BITS:
            number = _last + 1
        _last = number
    return f"{prefix}_{_text(number)}"


def derived_id(prefix: str, at: datetime, seed: str) -> str:
    """The id that `seed` always gives at `at`: work that is done twice names its results once."""
    digest = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:10], "big")
    return f"{prefix}_{_text(_milliseconds(at) << _RANDOM_BITS | digest)}"


def last_id(prefix: str, at: datetime) -> str:
    """No id of that kind that was made by `at` sorts after this."""
    return f"{prefix}_{_text((_milliseconds(at) + 1 << _RANDOM_BITS) - 1)}"


def turn_id(session_id: str, sequence_number: int) -> str:
    """The id of the turn with that number in that session."""
    return f"trn_{session_id.partition('_')[2]}_{sequence_number:08d}"


def parse_turn_id(value: str) -> tuple[str, int]:
    """The session id and sequence number a turn id names.

    Raises NotFound for anything that isn't a turn id.
    """
    match = _TURN.fullmatch(value)
    if match is None:
        raise NotFound
    return f"ses_{match[1]}", int(match[2])


def milliseconds_of(value: str) -> int:
    """The millisecond since the epoch in which a prefixed id was made."""
    number = 0
    for character in value.partition("_")[2][:10]:
        number = number << 5 | _ALPHABET.index(character)
    return number


def checked_id(prefix: str, value: str) -> str:
    """`value`, if it is an id of that kind; anything else names nothing.

    Raises NotFound.
    """
    match = _PREFIXED.fullmatch(value)
    if match is None or match[1] != prefix:
        raise NotFound
    return value


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _text(number: int) -> str:
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
