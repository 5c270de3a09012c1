"""Converts loosely typed values of a model's JSON to what was asked for."""

from collections.abc import Iterable
from typing import Any

from strandline.language.folding import strip_control_characters


def first_of(item: dict[Any, Any], keys: Iterable[str]) -> Any:
    """The first of those keys' values that isn't null."""
    return next((item[key] for key in keys if item.get(key) is not None), None)


def as_list(value: Any) -> list[Any]:
    """Returns a list unchanged, null as an empty list, anything else as a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def as_text(value: Any) -> str:
    """Returns a string unchanged, a number as its digits, anything else as an empty string."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return value if isinstance(value, str) else repr(value)[:40]


def as_quote(value: Any, most: int) -> str:
    """The value as a text of at most `most` characters, cut at the end of a word.

    No ellipsis is added, so that the quote is still found in its turn.
    """
    text = strip_control_characters(as_text(value))
    return text if len(text) <= most else text[:most].rpartition(" ")[0]
