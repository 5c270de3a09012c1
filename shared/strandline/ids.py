"""Ids: a prefix, an underscore and a ULID (https://github.com/ulid/spec).

They are sortable by time and safe in URLs. A turn's id is made of its session's ULID and its
sequence number.
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
"""The highest sequence number of a turn."""

_RANDOM_BITS = 80
_lock = threading.Lock()
_last_number = 0


def new_id(prefix: str, at: datetime) -> str:
    """Returns a new id that sorts by `at`; within a millisecond, by the order of the calls."""
    global _last_number  # noqa: PLW0603  the ULID spec's monotonicity needs the last number
    with _lock:
        number = _milliseconds(at) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS - 1)
        if number >> _RANDOM_BITS == _last_number >> _RANDOM_BITS:
            number = _last_number + 1
        _last_number = number
    return f"{prefix}_{_encode(number)}"


def derived_id(prefix: str, at: datetime, seed: str) -> str:
    """Returns the same id for the same `seed` and `at`.

    So work that is repeated gives its results the same ids.
    """
    digest = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:10], "big")
    return f"{prefix}_{_encode(_milliseconds(at) << _RANDOM_BITS | digest)}"


def last_id(prefix: str, at: datetime) -> str:
    """Returns an id after which no id with that prefix sorts that was made by `at`."""
    return f"{prefix}_{_encode((_milliseconds(at) + 1 << _RANDOM_BITS) - 1)}"


def turn_id(session_id: str, sequence_number: int) -> str:
    """Returns the id of the turn with that sequence number in that session."""
    return f"trn_{session_id.partition('_')[2]}_{sequence_number:08d}"


def parse_turn_id(value: str) -> tuple[str, int]:
    """Returns the session id and the sequence number in a turn id.

    Raises NotFound for anything that isn't a turn id.
    """
    match = _TURN.fullmatch(value)
    if match is None:
        raise NotFound
    return f"ses_{match[1]}", int(match[2])


def milliseconds_of(value: str) -> int:
    """Returns when a prefixed id was made, in milliseconds since 1970."""
    number = 0
    for character in value.partition("_")[2][:10]:
        number = number << 5 | _ALPHABET.index(character)
    return number


def checked_id(prefix: str, value: str) -> str:
    """Returns `value` if it is an id with that prefix. Raises NotFound for anything else."""
    match = _PREFIXED.fullmatch(value)
    if match is None or match[1] != prefix:
        raise NotFound
    return value


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _encode(number: int) -> str:
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
