"""The one door to DynamoDB: every read and write, and the one translation of its errors."""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as BotoConnectionError

from strandline.clock import Clock, utc_now
from strandline.errors import StorageBusy, TooLarge
from strandline.keys import OPEN_JOBS_INDEX, Key
from strandline.models.base import Value

Item = dict[str, Any]
V = TypeVar("V", bound=Value)

OURS = frozenset({"pk", "sk", "open_shard", "due_at", "expires_at"})
"""Attributes of an item that belong to the table, not to the value in it."""

MAX_ITEM_BYTES = 390_000
MAX_TRANSACTION_ITEMS = 100
_ATTEMPTS = 12
_BUSY = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "InternalServerError",
        "ServiceUnavailable",
        "TransactionInProgressException",
    }
)


class ConditionFailed(Exception):
    """A write's precondition did not hold. `failed` names the operations it did not hold for."""

    def __init__(self, failed: Sequence[int] = (0,)) -> None:
        self.failed = frozenset(failed)
        super().__init__(f"precondition of {sorted(self.failed)}")


@dataclass(frozen=True, slots=True)
class Write:
    """One operation of a transaction, with its precondition in words DynamoDB understands."""

    action: str
    key: Key
    item: Item | None = None
    update: str = ""
    condition: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


def put(key: Key, item: Item, *, condition: str = "", **rest: Any) -> Write:
    """Store an item whole."""
    return Write("Put", key, item=item, condition=condition, **rest)


def put_new(key: Key, item: Item) -> Write:
    """Store an item where there is none."""
    return Write("Put", key, item=item, condition="attribute_not_exists(pk)")


def update(
    key: Key, expression: str, *, condition: str = "attribute_exists(pk)", **rest: Any
) -> Write:
    """Change an item; by default only one that is there."""
    return Write("Update", key, update=expression, condition=condition, **rest)


def delete(key: Key, *, condition: str = "", **rest: Any) -> Write:
    """Remove an item."""
    return Write("Delete", key, condition=condition, **rest)


def check(key: Key, condition: str, **rest: Any) -> Write:
    """Only look whether a condition holds."""
    return Write("ConditionCheck", key, condition=condition, **rest)


def encode(value: Value) -> Item:
    """A value as item attributes: floats become Decimal, nulls are left out."""
    dumped = json.loads(value.model_dump_json(exclude_none=True), parse_float=Decimal)
    return dict(dumped)


def decode(model: type[V], item: Mapping[str, Any]) -> V:
    """The value in an item, which may hold the table's own attributes beside it."""
    return model.model_validate({k: v for k, v in item.items() if k not in OURS})


def stored_size(value: Any) -> int:
    """The bytes DynamoDB counts for a value, never too few.

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


def size_of(item: Mapping[str, Any]) -> int:
    """An item's size in bytes, near enough, as JSON prints it: what a response takes."""
    return len(json.dumps(item, default=_plain, ensure_ascii=False).encode())


def _plain(value: Any) -> Any:
    """boto3's Binary has its bytes in `value`; sets are lists here."""
    raw = getattr(value, "value", value)
    return "x" * len(raw) if isinstance(raw, bytes | bytearray) else str(value)


@dataclass(frozen=True, slots=True)
class Page:
    """Items of a query, and the sort key after which more may follow (None: no more)."""

    items: list[Item]
    last: str | None


class Table:
    """One table. `client` is a resource's own client: it takes and gives plain Python values.

    An item past its `expires_at` is not there, whenever DynamoDB gets round to removing it.
    """

    def __init__(
        self,
        client: Any,
        name: str,
        pause: Callable[[float], None] = time.sleep,
        clock: Clock = utc_now,
    ) -> None:
        self._client = client
        self._name = name
        self._pause = pause
        self._clock = clock

    def now(self) -> datetime:
        """The time by which items are expired."""
        return self._clock()

    def get(self, key: Key, *, consistent: bool = True) -> Item | None:
        """The item under `key`, read strongly unless told otherwise."""
        reply = self._call(
            "get_item", TableName=self._name, Key=_key(key), ConsistentRead=consistent
        )
        found = self._unexpired([reply["Item"]] if "Item" in reply else [])
        return found[0] if found else None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """Those items that are there, read strongly; what DynamoDB leaves undone is asked again."""
        wanted = list(dict.fromkeys(keys))
        found: dict[Key, Item] = {}
        for start in range(0, len(wanted), 100):
            todo: Any = [_key(key) for key in wanted[start : start + 100]]
            for attempt in range(_ATTEMPTS):
                request = {self._name: {"Keys": todo, "ConsistentRead": True}}
                reply = self._call("batch_get_item", RequestItems=request)
                items = self._unexpired(reply["Responses"].get(self._name, []))
                found |= {Key(item["pk"], item["sk"]): item for item in items}
                todo = reply.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
                if not todo:
                    break
                self._back_off(attempt)
            else:
                raise StorageBusy
        return found

    def page(
        self,
        pk: str,
        *,
        prefix: str = "",
        after: str | None = None,
        between: tuple[str, str] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Page:
        """One page of a partition, in sort-key order, read strongly.

        `after` continues behind that sort key in the direction of reading. `between` is
        inclusive. At most 1 MB and `limit` items; a page may be empty and yet have a `last`.
        """
        condition, values = "pk = :pk", {":pk": pk}
        if between is not None:
            condition += " AND sk BETWEEN :low AND :high"
            values |= {":low": between[0], ":high": between[1]}
        elif prefix:
            condition += " AND begins_with(sk, :prefix)"
            values[":prefix"] = prefix
        request: dict[str, Any] = {
            "TableName": self._name,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "ConsistentRead": True,
            "ScanIndexForward": not newest_first,
        }
        if limit is not None:
            request["Limit"] = limit
        if after is not None:
            request["ExclusiveStartKey"] = {"pk": pk, "sk": after}
        reply = self._call("query", **request)
        last = reply.get("LastEvaluatedKey")
        return Page(self._unexpired(reply["Items"]), last["sk"] if last else None)

    def all(self, pk: str, **how: Any) -> Iterator[Item]:
        """Every item of a partition (or of a prefix or range of it), page by page."""
        after: str | None = None
        while True:
            page = self.page(pk, after=after, **how)
            yield from page.items
            if page.last is None:
                return
            after = page.last

    def open_jobs(self, shard: str, due_before: str, limit: int) -> list[Item]:
        """Open jobs of a shard that are due, oldest first, through the index; eventually right."""
        reply = self._call(
            "query",
            TableName=self._name,
            IndexName=OPEN_JOBS_INDEX,
            KeyConditionExpression="open_shard = :shard AND due_at <= :due",
            ExpressionAttributeValues={":shard": shard, ":due": due_before},
            Limit=limit,
        )
        items: list[Item] = reply["Items"]
        return items

    def write(self, operation: Write) -> Item:
        """One write; for an update, the item as it now is. Raises ConditionFailed, TooLarge."""
        if operation.action == "ConditionCheck":
            raise ValueError("a lone condition check writes nothing")
        request = self._request(operation)
        if operation.action == "Update":
            request["ReturnValues"] = "ALL_NEW"
        method = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}
        reply = self._call(method[operation.action], **request)
        attributes: Item = reply.get("Attributes", {})
        return attributes

    def transact(self, operations: Sequence[Write]) -> None:
        """All of these writes or none. Conflicts are tried again.

        Raises ConditionFailed; TooLarge before anything is written.
        """
        if len(operations) > MAX_TRANSACTION_ITEMS:
            raise ValueError(f"{len(operations)} operations are more than a transaction takes")
        items = [{operation.action: self._request(operation)} for operation in operations]
        self._call("transact_write_items", TransactItems=items)

    def delete_many(self, keys: Iterable[Key]) -> None:
        """Remove items, in batches of 25; what DynamoDB leaves undone is asked again."""
        todo_keys = list(dict.fromkeys(keys))
        for start in range(0, len(todo_keys), 25):
            batch = todo_keys[start : start + 25]
            todo: Any = [{"DeleteRequest": {"Key": _key(key)}} for key in batch]
            for attempt in range(_ATTEMPTS):
                reply = self._call("batch_write_item", RequestItems={self._name: todo})
                todo = reply.get("UnprocessedItems", {}).get(self._name, [])
                if not todo:
                    break
                self._back_off(attempt)
            else:
                raise StorageBusy

    def _unexpired(self, items: Iterable[Item]) -> list[Item]:
        now = self._clock().timestamp()
        return [item for item in items if item.get("expires_at", now + 1) > now]

    def _request(self, operation: Write) -> dict[str, Any]:
        request: dict[str, Any] = {"TableName": self._name}
        if operation.action == "Put":
            request["Item"] = _checked(_key(operation.key) | (operation.item or {}))
        else:
            request["Key"] = _key(operation.key)
        optional = {
            "UpdateExpression": operation.update,
            "ConditionExpression": operation.condition,
            "ExpressionAttributeNames": dict(operation.names),
            "ExpressionAttributeValues": dict(operation.values),
        }
        return request | {name: value for name, value in optional.items() if value}

    def _call(self, method: str, **request: Any) -> Any:
        for attempt in range(_ATTEMPTS):
            try:
                return getattr(self._client, method)(**request)
            except ClientError as error:
                if not _worth_another_try(error):
                    raise
            except (BotoConnectionError, HTTPClientError) as error:
                # botocore has tried again by itself already.
                raise StorageBusy from error
            self._back_off(attempt)
        raise StorageBusy

    def _back_off(self, attempt: int) -> None:
        """Full jitter (AWS, "Exponential backoff and jitter"): 0 to 20 ms doubling up to 640 ms."""
        self._pause(random.uniform(0, 0.02 * 2 ** min(attempt, 5)))  # noqa: S311  no secret


def _key(key: Key) -> Item:
    return {"pk": key.pk, "sk": key.sk}


def _checked(item: Item) -> Item:
    """The item, if DynamoDB takes one of its size (400 KB); raises TooLarge before any write."""
    if stored_size(item) > MAX_ITEM_BYTES:
        raise TooLarge
    return item


def _worth_another_try(error: ClientError) -> bool:
    """Whether to try again; raises ConditionFailed for a precondition that did not hold."""
    code = error.response["Error"]["Code"]
    if code == "ConditionalCheckFailedException":
        raise ConditionFailed from error
    if code == "TransactionCanceledException":
        reasons = [reason["Code"] for reason in error.response.get("CancellationReasons", [])]
        failed = [i for i, reason in enumerate(reasons) if reason == "ConditionalCheckFailed"]
        if failed:
            raise ConditionFailed(failed) from error
        busy = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
        return bool(busy & set(reasons))
    return code == "TransactionConflictException" or code in _BUSY
