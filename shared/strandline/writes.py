"""Write operations, each with its precondition: what `Table.write` and `transact` take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from strandline.keys import Key

Item = dict[str, Any]
"""An item's attributes by name, as boto3's resource client gives and takes them."""

MAX_TRANSACTION_ITEMS = 100
"""The most operations that DynamoDB takes in one transaction."""


@dataclass(frozen=True, slots=True)
class Write:
    """One write operation and its precondition.

    `action` is DynamoDB's name for it: Put, Update, Delete or ConditionCheck. `update` is an
    update expression and `condition` a condition expression, both in DynamoDB's syntax. `names`
    and `values` replace their placeholders (`#name`, `:value`).
    """

    action: str
    key: Key
    item: Item | None = None
    update: str = ""
    condition: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


def put(key: Key, item: Item, *, condition: str = "", **placeholders: Any) -> Write:
    """Stores a whole item and replaces the one that is there, if any.

    `placeholders` are the `names` and `values` of the condition, here and below.
    """
    return Write("Put", key, item=item, condition=condition, **placeholders)


def put_new(key: Key, item: Item) -> Write:
    """Stores a whole item, only if the key holds none."""
    return Write("Put", key, item=item, condition="attribute_not_exists(pk)")


def update(
    key: Key, expression: str, *, condition: str = "attribute_exists(pk)", **placeholders: Any
) -> Write:
    """Changes an item by an update expression; by default only if the item exists."""
    return Write("Update", key, update=expression, condition=condition, **placeholders)


def delete(key: Key, *, condition: str = "", **placeholders: Any) -> Write:
    """Deletes an item. Nothing happens if it doesn't exist."""
    return Write("Delete", key, condition=condition, **placeholders)


def check(key: Key, condition: str, **placeholders: Any) -> Write:
    """Checks a condition inside a transaction and changes nothing."""
    return Write("ConditionCheck", key, condition=condition, **placeholders)
