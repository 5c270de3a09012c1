"""What a model wrote where something else was asked for, taken for what it is meant to be."""

from collections.abc import Iterable
from typing import Any

from strandline.language.folding import strip_control_characters


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


def as_quote(value: Any, most: int) -> str:
    """A text of at most so many characters, cut where a word ends.

    A quote cut short still stands in its turn, as long as no mark is put where it is cut.
    """
    text = strip_control_characters(as_text(value))
    return text if len(text) <= most else text[:most].rpartition(" ")[0]
