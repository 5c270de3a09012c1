"""Idempotency: what a client's key stands for, a question, a checkpoint or a verdict."""

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
    """One idempotent request: a hash of what it asked, and the id of what it made.

    `result` is the answer as JSON, where it isn't what that id names; it holds no one's words.
    """

    body_sha256: str
    made: str
    result: str | None = None


def request_hash(*parts: Mapping[str, Any] | str) -> str:
    """The hash of a request, the same for the same fields in any order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def record_from_item(item: Item | None) -> IdempotencyRecord | None:
    """The request in an item, if there is one."""
    return decode(IdempotencyRecord, item) if item else None


def record_write(
    account: str, idempotency_key: str, request: IdempotencyRecord, at: datetime, of: str = ""
) -> Write:
    """The write that takes a key, if it is free."""
    now = int(at.timestamp())
    return put(
        keys.idempotency(account, idempotency_key, of),
        request.model_dump(exclude_none=True) | {"expires_at": now + int(LIFE.total_seconds())},
        condition="attribute_not_exists(pk) OR expires_at <= :now",
        values={":now": now},
    )
