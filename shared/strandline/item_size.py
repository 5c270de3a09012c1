"""The sizes of DynamoDB items: as stored, and as printed in a response."""

import json
from collections.abc import Mapping
from typing import Any

MAX_ITEM_BYTES = 390_000
"""The largest item that is written. DynamoDB's own limit is 400 KB, names included."""


def stored_size(value: Any) -> int:
    """Returns the bytes that DynamoDB counts for a value: exact or too many, never too few.

    `value` is an item, or any value that boto3 can store. Strings and names count as UTF-8, a
    number as 21 bytes, a list or map 3 bytes and 1 for each member. Source:
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    raw = getattr(value, "value", value)
    if isinstance(raw, str):
        return len(raw.encode())
    if isinstance(raw, bytes | bytearray):
        return len(raw)
    if isinstance(raw, Mapping):
        return 3 + sum(stored_size(name) + stored_size(each) + 1 for name, each in raw.items())
    if isinstance(raw, list | tuple | set | frozenset):
        return 3 + sum(stored_size(each) + 1 for each in raw)
    return 21


def json_size(item: Mapping[str, Any]) -> int:
    """Returns about how many bytes an item takes when it is printed as JSON in a response."""
    return len(json.dumps(item, default=_printable, ensure_ascii=False).encode())


def _printable(value: Any) -> Any:
    """Stands in for what JSON can't print. boto3's Binary has its bytes in `value`."""
    raw = getattr(value, "value", value)
    return "x" * len(raw) if isinstance(raw, bytes | bytearray) else str(value)
