"""Access to DynamoDB: every read and write, and the translation of its errors."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as BotoConnectionError

from strandline.clock import Clock, utc_now
from strandline.errors import StorageBusy, TooLarge
from strandline.item_size import MAX_ITEM_BYTES, stored_size
from strandline.keys import OPEN_JOBS_INDEX, Key
from strandline.queries import Page, Query
from strandline.writes import MAX_TRANSACTION_ITEMS, Item, Write

_ATTEMPTS = 12
_RETRYABLE_ERRORS = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "InternalServerError",
        "ServiceUnavailable",
        "TransactionInProgressException",
        "TransactionConflictException",
    }
)
_RETRYABLE_CANCELLATIONS = frozenset(
    {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
)


class ConditionFailed(Exception):
    """A write's precondition did not hold.

    `failed` holds the positions of the operations whose preconditions failed, from 0 on.
    """

    def __init__(self, failed: Sequence[int] = (0,)) -> None:
        self.failed = frozenset(failed)
        super().__init__(f"precondition of {sorted(self.failed)}")


class Table:
    """One DynamoDB table.

    Every method raises StorageBusy when DynamoDB can't be reached or stays throttled. An item
    whose `expires_at` (seconds since 1970) has passed counts as missing: DynamoDB itself removes
    it only hours or days later.
    """

    def __init__(
        self,
        client: Any,
        name: str,
        pause: Callable[[float], None] = time.sleep,
        clock: Clock = utc_now,
    ) -> None:
        """Wraps the table `name`.

        `client` is the client of a boto3 resource, which takes and gives plain Python values.
        `pause` waits for that many seconds between two attempts.
        """
        self._client = client
        self._name = name
        self._pause = pause
        self._clock = clock

    def now(self) -> datetime:
        """Returns the time by which items count as expired."""
        return self._clock()

    def get(self, key: Key, *, consistent: bool = True) -> Item | None:
        """Returns the item under `key`, or None. The read is strongly consistent by default."""
        reply = self._call(
            "get_item", TableName=self._name, Key=_key(key), ConsistentRead=consistent
        )
        found = self._unexpired([reply["Item"]] if "Item" in reply else [])
        return found[0] if found else None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """Returns the items that exist, by key, with strongly consistent reads.

        Keys that DynamoDB leaves unprocessed are requested again.
        """
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

    def page(self, query: Query, *, after: str | None = None, limit: int | None = None) -> Page:
        """Returns one page of a query, read strongly consistently.

        `after` is a sort key: the page goes on behind it, in the query's direction. A page holds
        at most 1 MB and `limit` items. It may be empty and yet have a `last`.
        """
        request = query.parameters() | {"TableName": self._name, "ConsistentRead": True}
        if limit is not None:
            request["Limit"] = limit
        if after is not None:
            request["ExclusiveStartKey"] = {"pk": query.pk, "sk": after}
        reply = self._call("query", **request)
        last = reply.get("LastEvaluatedKey")
        return Page(self._unexpired(reply["Items"]), last["sk"] if last else None)

    def all(self, query: Query) -> Iterator[Item]:
        """Yields every item of a query, page by page."""
        after: str | None = None
        while True:
            page = self.page(query, after=after)
            yield from page.items
            if page.last is None:
                return
            after = page.last

    def open_jobs(self, shard: str, due_before: str, limit: int) -> list[Item]:
        """Returns a shard's open jobs that are due at `due_before` or earlier, oldest first.

        Reads the index `open_jobs`, which is eventually consistent. `due_before` is written as
        the items' `due_at` is.
        """
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
        """Runs one write; returns the new item for an update, else an empty one.

        Raises ConditionFailed; TooLarge before anything is written; ValueError for a check,
        which would write nothing.
        """
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
        """Runs all of these writes or none of them. Conflicting transactions are tried again.

        Raises ConditionFailed; TooLarge before anything is written; ValueError for more than 100
        operations.
        """
        if len(operations) > MAX_TRANSACTION_ITEMS:
            raise ValueError(f"{len(operations)} operations are more than a transaction takes")
        items = [{operation.action: self._request(operation)} for operation in operations]
        self._call("transact_write_items", TransactItems=items)

    def delete_many(self, keys: Iterable[Key]) -> None:
        """Deletes items, in batches of 25.

        Deletions that DynamoDB leaves unprocessed are requested again.
        """
        unique_keys = list(dict.fromkeys(keys))
        for start in range(0, len(unique_keys), 25):
            batch = unique_keys[start : start + 25]
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
            request["Item"] = _size_checked(_key(operation.key) | (operation.item or {}))
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
                if not _is_retryable(error):
                    raise
            except (BotoConnectionError, HTTPClientError) as error:
                # botocore has tried again by itself already.
                raise StorageBusy from error
            self._back_off(attempt)
        raise StorageBusy

    def _back_off(self, attempt: int) -> None:
        """Waits between 0 and 20 ms, doubled with each attempt up to 640 ms: full jitter.

        Source: AWS Architecture Blog, "Exponential Backoff And Jitter".
        """
        self._pause(random.uniform(0, 0.02 * 2 ** min(attempt, 5)))  # noqa: S311  no secret


def _key(key: Key) -> Item:
    return {"pk": key.pk, "sk": key.sk}


def _size_checked(item: Item) -> Item:
    """Returns the item. Raises TooLarge if it is larger than DynamoDB takes."""
    if stored_size(item) > MAX_ITEM_BYTES:
        raise TooLarge
    return item


def _is_retryable(error: ClientError) -> bool:
    """Whether to try again. Raises ConditionFailed for a precondition that did not hold."""
    code = error.response["Error"]["Code"]
    if code == "ConditionalCheckFailedException":
        raise ConditionFailed from error
    if code == "TransactionCanceledException":
        reasons = [reason["Code"] for reason in error.response.get("CancellationReasons", [])]
        failed = [i for i, reason in enumerate(reasons) if reason == "ConditionalCheckFailed"]
        if failed:
            raise ConditionFailed(failed) from error
        return not _RETRYABLE_CANCELLATIONS.isdisjoint(reasons)
    return code in _RETRYABLE_ERRORS
