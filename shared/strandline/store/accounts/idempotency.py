"""Idempotency records: which request a client's key was used for, and what it made."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from strandline import keys
from strandline.item_codec import decode
from strandline.models.base import Value
from strandline.writes import Item, Write, put

LIFE = timedelta(days=1)


class IdempotencyRecord(Value):
    """One idempotent request: the hash of its body, and the id of what it made.

    `result` is the response as JSON, unless `made` identifies it. It never holds the user's words.
    """

    body_sha256: str
    made: str
    result: str | None = None


def request_hash(*parts: Mapping[str, Any] | str) -> str:
    """Returns the SHA-256 of a request in hex; the order of its fields makes no difference."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def record_from_item(item: Item | None) -> IdempotencyRecord | None:
    """Returns the record in an item, None if there is no item."""
    return decode(IdempotencyRecord, item) if item else None


def record_write(
    account: str, idempotency_key: str, record: IdempotencyRecord, at: datetime, of: str = ""
) -> Write:
    """Returns the write that claims an idempotency key; it requires that the key is free.

    A key is free when it was never used or its record has expired. `of` names the kind of
    request: keys of different kinds are independent.
    """
    now = int(at.timestamp())
    return put(
        keys.idempotency(account, idempotency_key, of),
        record.model_dump(exclude_none=True) | {"expires_at": now + int(LIFE.total_seconds())},
        condition="attribute_not_exists(pk) OR expires_at <= :now",
        values={":now": now},
    )
