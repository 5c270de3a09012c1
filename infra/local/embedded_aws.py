"""DynamoDB and SQS inside this process: moto, made safe for many threads.

Every AWS call of this process goes through one object, and those of the functions' processes too
(`infra.local.aws_endpoint`). It lets one call in at a time (moto has no locks of its own), tells an
observer of each write while nobody else can write, and refuses whatever moto doesn't answer, so
that no socket to AWS is ever opened.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.handlers import BUILTIN_HANDLERS
from moto import mock_aws
from moto.core.botocore_stubber import MockRawResponse
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.models import dynamodb_backends
from moto.sqs.models import Queue, sqs_backends

from infra.local.embedded_dynamodb import OPERATIONS, answer_item_operation
from infra.local.partitioned_table import Attributes, Key, PartitionedTable, keep_no_instances

REGION = "us-east-1"
TABLE_KEYS = ("pk", "sk")
_MOTO = ("before-send", botocore_stubber)
_DYNAMODB_URL = f"https://dynamodb.{REGION}.amazonaws.com/"
_JSON_HEADERS = {"Content-Type": "application/x-amz-json-1.0"}

Observer = Callable[[str, dict[Key, Attributes | None]], None]
"""Told the table's name and each touched item as it now is, None where it is gone."""


class EmbeddedAws:
    """The embedded services. `lock` is held during every call; hold it to see a still picture."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._mock = mock_aws()
        self._place = 0
        self._observer: Observer | None = None
        self._running = False

    def start(self) -> None:
        """From here on every client that is made talks to the embedded services.

        Raises RuntimeError when others run in this process: moto has one set of tables for all.
        """
        if _MOTO not in BUILTIN_HANDLERS:
            raise RuntimeError("this process has embedded services already")
        self._mock.start()
        keep_no_instances()
        # In the place of moto's own: botocore asks every handler, and takes the first answer.
        self._place = BUILTIN_HANDLERS.index(_MOTO)
        BUILTIN_HANDLERS[self._place] = ("before-send", self._before_send)
        self._running = True

    def stop(self) -> None:
        """Forget everything. A client of these services that is still there is refused."""
        self._running = False
        BUILTIN_HANDLERS[self._place] = _MOTO
        self._mock.stop()

    def observe(self, observer: Observer) -> None:
        """Tell `observer` of every write that succeeds, under the lock, whole calls at once."""
        self._observer = observer

    def partition(self, name: str) -> None:
        """Give a new table the reads that don't look at every item."""
        tables = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
        tables[name] = PartitionedTable.of(tables[name])

    def load(self, name: str, items: Iterable[Attributes]) -> None:
        """Put stored items straight into a table."""
        table = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[name]
        with self.lock:
            for item in items:
                table.put_item(item, overwrite=True)

    def queue(self, name: str) -> Queue:
        """moto's own queue, for what no API gives."""
        return sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues[name]

    def _table(self, name: str) -> PartitionedTable | None:
        """The table, once it is partitioned."""
        table = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables.get(name)
        return table if isinstance(table, PartitionedTable) else None

    def answer(self, request: AWSPreparedRequest) -> AWSResponse:
        """What the services say to a request. Raises ConnectionError for what they don't have."""
        if not self._running:
            raise ConnectionError("the embedded services have ended")
        with self.lock:
            touched = _touched(request)
            for name, keys in touched.items():
                if (table := self._table(name)) is not None:
                    table.expect(keys)
            response = _response(request)
            if response is None:
                raise ConnectionError(f"the embedded services don't have {request.url}")
            if response.status_code == 200:
                self._report(touched)
            return response

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        return self.answer(request)

    def _report(self, touched: dict[str, set[Key]]) -> None:
        for name, keys in touched.items():
            # Asked for anew: moto puts another table in its place when a transaction fails.
            table = self._table(name)
            if table is not None and self._observer is not None:
                self._observer(name, {key: table.stored(key) for key in keys})


def _response(request: AWSPreparedRequest) -> AWSResponse | None:
    """moto's response; None for a service or an endpoint that it doesn't have."""
    operation = _dynamodb_operation(request)
    if operation not in OPERATIONS or request.url != _DYNAMODB_URL:
        response: AWSResponse | None = botocore_stubber("before-send", request)
        return response
    status, body = answer_item_operation(operation, request.body, REGION)
    return AWSResponse(request.url, status, _JSON_HEADERS, MockRawResponse(body))


def _dynamodb_operation(request: AWSPreparedRequest) -> str:
    """The name of the operation, empty for another service's."""
    target = request.headers.get("X-Amz-Target") or b""
    service, _, operation = (target.decode() if isinstance(target, bytes) else target).partition(
        "."
    )
    return operation if service.startswith("DynamoDB") else ""


def _touched(request: AWSPreparedRequest) -> dict[str, set[Key]]:
    """The keys a request writes, by table; nothing for a request that writes no item."""
    operation = _dynamodb_operation(request)
    if operation not in _NAMED_BY:
        return {}
    found: dict[str, set[Key]] = {}
    for table, attributes in _NAMED_BY[operation](json.loads(request.body)):
        hash_key, range_key = (attributes[name]["S"] for name in TABLE_KEYS)
        found.setdefault(table, set()).add((hash_key, range_key))
    return found


Named = tuple[str, Attributes]


def _one(request: Attributes) -> Iterator[Named]:
    yield request["TableName"], request.get("Key") or request["Item"]


def _batch(request: Attributes) -> Iterator[Named]:
    for table, writes in request["RequestItems"].items():
        for write in writes:
            [inner] = write.values()
            yield table, inner.get("Key") or inner["Item"]


def _transaction(request: Attributes) -> Iterator[Named]:
    for entry in request["TransactItems"]:
        for action, inner in entry.items():
            if action != "ConditionCheck":
                yield from _one(inner)


_NAMED_BY: dict[str, Callable[[Attributes], Iterator[Named]]] = {
    "PutItem": _one,
    "UpdateItem": _one,
    "DeleteItem": _one,
    "BatchWriteItem": _batch,
    "TransactWriteItems": _transaction,
}
"""The operations the product writes with, and how each names its items."""
