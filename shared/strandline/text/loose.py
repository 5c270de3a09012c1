"""What a model wrote where something else was asked for, taken for what it is meant to be."""

from collections.abc import Iterable
from typing import Any


def first_of(item: dict[Any, Any], keys: Iterable[str]) -> Any:
    """The first of those keys' values that isn't null."""
    return next((item[key] for key in keys if item.get(key) is not None), None)


def as_list(value: Any) -> list[Any]:
    """A list as it is, null as an empty one, anything else as its only item."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def as_text(value: Any) -> str:
    """A text as it is, a number as its digits; of anything else nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return value if isinstance(value, str) else repr(value)[:40]
