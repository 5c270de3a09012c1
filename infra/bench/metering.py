"""Clients that count: which calls were made, when, how many bytes they read, what they cost.

Capacity units are calculated from item sizes by DynamoDB's rules, for moto's are not true to life:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-unit-calculations.html
"""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from strandline.item_size import json_size
from strandline.writes import Item

LATENCY_SECONDS = 0.03
"""Added to each call, as a network would: what runs side by side then shows as such."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call: when it ran, the bytes it brought and the capacity units it takes."""

    operation: str
    partition: str
    start: float
    end: float
    bytes_read: int = 0
    read_units: float = 0.0
    write_units: float = 0.0


@dataclass
class Meter:
    """Every call of the clients it watches."""

    calls: list[Call] = field(default_factory=list)
    latency: float = LATENCY_SECONDS
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, client: Any) -> "Watched":
        """A client whose calls are counted."""
        return Watched(client, self)

    def add(self, call: Call) -> None:
        """Count a call."""
        with self._lock:
            self.calls.append(call)

    def take(self) -> list[Call]:
        """The calls so far; counting begins anew."""
        with self._lock:
            taken, self.calls = self.calls, []
        return taken


class Watched:
    """A client of which every method is timed and measured."""

    def __init__(self, client: Any, meter: Meter) -> None:
        self._client = client
        self._meter = meter

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        method = getattr(self._client, operation)

        def call(**request: Any) -> Any:
            before = _before(self._client, operation, request)
            start = time.perf_counter()
            time.sleep(self._meter.latency)
            reply = method(**request)
            end = time.perf_counter()
            found = _items_read(operation, reply)
            read = sum(json_size(item) for item in found)
            self._meter.add(
                Call(
                    operation,
                    request.get("ExpressionAttributeValues", {}).get(":pk", ""),
                    start,
                    end,
                    bytes_read=read,
                    read_units=_read_units(operation, request, found),
                    write_units=_write_units(self._client, operation, request, before),
                )
            )
            return reply

        return call


def depth(calls: Sequence[Call]) -> int:
    """How many calls follow one another at least: the longest chain of calls that don't overlap."""
    longest: list[tuple[float, int]] = []
    for call in sorted(calls, key=lambda c: c.start):
        before = max((d for end, d in longest if end <= call.start), default=0)
        longest.append((call.end, before + 1))
    return max((d for _, d in longest), default=0)


def _items_read(operation: str, reply: Mapping[str, Any]) -> list[Item]:
    if operation == "get_item":
        return [reply["Item"]] if "Item" in reply else []
    if operation == "batch_get_item":
        return [item for items in reply["Responses"].values() for item in items]
    return list(reply.get("Items", [])) if operation == "query" else []


def _read_units(operation: str, request: Mapping[str, Any], found: Sequence[Item]) -> float:
    """Strongly consistent: one unit for each 4 KB begun, of each item or of a whole query."""
    if operation == "query":
        return max(1, math.ceil(sum(json_size(item) for item in found) / 4096))
    if operation not in ("get_item", "batch_get_item"):
        return 0
    asked = 1
    if operation == "batch_get_item":
        asked = sum(len(table["Keys"]) for table in request["RequestItems"].values())
    units = sum(max(1, math.ceil(json_size(item) / 4096)) for item in found)
    return units + (asked - len(found))


_WRITES = {"put_item": "Put", "update_item": "Update", "delete_item": "Delete"}


def _actions(operation: str, request: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    if operation in _WRITES:
        return [(_WRITES[operation], request)]
    if operation == "transact_write_items":
        return [next(iter(item.items())) for item in request["TransactItems"]]
    return []


def _stored(client: Any, action: Mapping[str, Any]) -> Item:
    key = action.get("Key") or {name: action["Item"][name] for name in ("pk", "sk")}
    found: Item = client.get_item(TableName=action["TableName"], Key=key).get("Item", {})
    return found


def _before(client: Any, operation: str, request: Mapping[str, Any]) -> list[Item]:
    return [_stored(client, action) for _, action in _actions(operation, request)]


def _write_units(
    client: Any, operation: str, request: Mapping[str, Any], before: Sequence[Item]
) -> float:
    """One unit for each KB begun of the larger of old and new; twice that in a transaction.

    An item that is or comes into the index costs one write there too, two when its key moves.
    """
    factor = 2 if operation == "transact_write_items" else 1
    units = 0.0
    for (_, action), old in zip(_actions(operation, request), before, strict=True):
        new = _stored(client, action)
        size = max(json_size(old), json_size(new))
        units += factor * max(1, math.ceil(size / 1024))
        moved = (
            ("due_at" in old) + ("due_at" in new) if old.get("due_at") != new.get("due_at") else 0
        )
        units += moved * max(1, math.ceil(size / 1024))
    return units
