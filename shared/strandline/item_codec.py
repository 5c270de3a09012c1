"""The codec between pydantic values and DynamoDB items."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeVar

from strandline.models.base import Value
from strandline.writes import Item

V = TypeVar("V", bound=Value)

TABLE_ATTRIBUTES = frozenset({"pk", "sk", "open_shard", "due_at", "expires_at"})
"""The attributes of an item that belong to the table. They are no fields of the value in it."""


def encode(value: Value) -> Item:
    """Returns a value's fields as item attributes.

    Floats become Decimal, because DynamoDB takes no floats. Fields that are None are left out.
    """
    dumped = json.loads(value.model_dump_json(exclude_none=True), parse_float=Decimal)
    return dict(dumped)


def decode(model: type[V], item: Mapping[str, Any]) -> V:
    """Returns the value that an item holds; the table's own attributes are ignored.

    Raises pydantic's ValidationError for an item that isn't one of this model.
    """
    return model.model_validate({k: v for k, v in item.items() if k not in TABLE_ATTRIBUTES})
