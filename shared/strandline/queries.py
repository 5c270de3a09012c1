"""Queries: which items of a partition `Table.page` and `Table.all` read."""

from dataclasses import dataclass
from typing import Any

from strandline.keys import Key
from strandline.writes import Item


@dataclass(frozen=True, slots=True)
class Query:
    """Which items of a partition to read, in the order of their sort keys.

    All of the partition, unless `prefix` or `between` says less. `between` is the first and the
    last sort key, both included; with it, `prefix` is ignored.
    """

    pk: str
    prefix: str = ""
    between: tuple[str, str] | None = None
    newest_first: bool = False

    @classmethod
    def of_prefix(cls, key: Key, *, newest_first: bool = False) -> "Query":
        """Returns the query of a partition's items whose sort keys begin with the key's own."""
        return cls(key.pk, prefix=key.sk, newest_first=newest_first)

    @classmethod
    def of_range(cls, first: Key, last: Key, *, newest_first: bool = False) -> "Query":
        """Returns the query from one key to another of the same partition, both included."""
        return cls(first.pk, between=(first.sk, last.sk), newest_first=newest_first)

    def parameters(self) -> dict[str, Any]:
        """Returns the query as parameters of DynamoDB's Query operation."""
        condition, values = "pk = :pk", {":pk": self.pk}
        if self.between is not None:
            condition += " AND sk BETWEEN :low AND :high"
            values |= {":low": self.between[0], ":high": self.between[1]}
        elif self.prefix:
            condition += " AND begins_with(sk, :prefix)"
            values[":prefix"] = self.prefix
        return {
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "ScanIndexForward": not self.newest_first,
        }


@dataclass(frozen=True, slots=True)
class Page:
    """Some items of a query, and the sort key after which more may follow (None: no more)."""

    items: list[Item]
    last: str | None
