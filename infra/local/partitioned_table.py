"""moto's table, fit for a process that lives for days and holds thousands of items.

moto sorts all items of a table for a query, copies them all for a transaction, and keeps every
item it ever made. None of that shows in a test; all of it does in a local server.
"""

import copy
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table
from moto.sqs.models import Message

Key = tuple[str, str]
Attributes = dict[str, Any]


class PartitionedTable(Table):
    """A table with string keys whose reads and transactions cost what they touch.

    `touched` are the keys that the current call writes: moto changes items in place, so the copy
    it makes in case a transaction fails needs its own of those, and can share the others. moto
    makes that copy once for each item of a transaction, all before the first write: one is enough.
    """

    touched: set[Key]
    _copy: "PartitionedTable | None"

    @classmethod
    def of(cls, table: Table) -> "PartitionedTable":
        """The same table."""
        made: Any = cls.__new__(cls)
        made.__dict__.update(table.__dict__)
        same: PartitionedTable = made
        same.expect(set())
        return same

    def expect(self, keys: set[Key]) -> None:
        """A call begins that writes these keys."""
        self.touched = keys
        self._copy = None

    def stored(self, key: Key) -> Attributes | None:
        """The item under `key` as DynamoDB's JSON with bytes in it, or None."""
        item = self.get_item(*_typed(key))
        return None if item is None else {k: v.to_regular_json() for k, v in item.attrs.items()}

    def query(self, hash_key: DynamoType | None, *args: Any, **kwargs: Any) -> Any:
        """As moto's, over the items it can find: the partition's, or those in the index."""
        index: str | None = args[6] if len(args) > 6 else kwargs.get("index_name")
        seen = copy.copy(self)
        if index is not None:
            seen.items = _shelves(self.has_idx_items(index))
        elif hash_key is not None:
            seen.items = defaultdict(dict, {hash_key: self.items.get(hash_key, {})})
        return Table.query(seen, hash_key, *args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> "PartitionedTable":
        if self._copy is None:
            self._copy = self._copied(memo)
        return self._copy

    def _copied(self, memo: dict[int, Any]) -> "PartitionedTable":
        made = copy.copy(self)
        made.items = defaultdict(dict, self.items)
        for hash_key in {_typed(key)[0] for key in self.touched} & self.items.keys():
            made.items[hash_key] = dict(self.items[hash_key])
        for key in self.touched:
            hash_key, range_key = _typed(key)
            item = self.get_item(hash_key, range_key)
            if item is not None:
                made.items[hash_key][range_key] = copy.deepcopy(item, memo)
        return made


def keep_no_instances() -> None:
    """Stop moto from keeping every item and message it ever made, for a dashboard of its own."""
    models: tuple[Any, ...] = (Item, Message, PartitionedTable)
    for model in models:
        model.instances_tracked = _Forgetful()


class _Forgetful(list[Any]):
    """A list that nothing stays in."""

    def append(self, _: Any) -> None:
        """Nothing."""


def _typed(key: Key) -> tuple[DynamoType, DynamoType]:
    return DynamoType({"S": key[0]}), DynamoType({"S": key[1]})


def _shelves(items: Iterable[Any]) -> defaultdict[Any, dict[Any, Any]]:
    found: defaultdict[Any, dict[Any, Any]] = defaultdict(dict)
    for item in items:
        found[item.hash_key][item.range_key] = item
    return found
