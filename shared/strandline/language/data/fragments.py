"""Placeholders of patterns, and how a pattern may be laid out over several lines."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

_SHARED = {
    "CLOCK": r"\d{1,2}(?:[:.h]\d{0,2})?",
    "NAME": r"[A-ZÀ-ÖØ-Þ][\w'’-]*[\w]",
    "OBJECT": r"(?P<object>.+)",
}
"""What every file may use: a time of day, a capitalised word, the thing that is spoken of."""

_PLACEHOLDER = re.compile(r"\{([A-Z][A-Z_]*)\}")
_LAYOUT = re.compile(r"\n[ \t]*")


def expand(pattern: str, fragments: Mapping[str, str]) -> str:
    """The pattern without line breaks and their indentation, each `{NAME}` filled in.

    Raises ValueError for an unknown name.
    """

    def fragment(match: re.Match[str]) -> str:
        if match[1] not in fragments:
            raise ValueError(f"unknown placeholder {match[0]}")
        return fragments[match[1]]

    return _PLACEHOLDER.sub(fragment, _LAYOUT.sub("", pattern))


def fragments_of(data: Mapping[str, Any]) -> dict[str, str]:
    """The placeholders that a file's patterns may use: shared ones, its own, those of its dates.

    One of its own may use those above it. Raises ValueError, which names the key, if one is no
    string or uses an unknown placeholder.
    """
    fragments = _SHARED | _date_fragments(_table(data, "dates"))
    for name, pattern in _table(data, "fragments").items():
        if not isinstance(pattern, str):
            raise ValueError(f"fragments.{name}: expected a string, not {pattern!r:.60}")  # noqa: TRY004 - an error of the file
        try:
            fragments[name] = expand(pattern, fragments)
        except ValueError as error:
            raise ValueError(f"fragments.{name}: {error}") from None
    return fragments


def _date_fragments(dates: Mapping[str, Any]) -> dict[str, str]:
    numbers, units = _table(dates, "numbers").values(), _table(dates, "units").values()
    weekdays = dates.get("weekdays", ())
    return {
        "NUMBER": rf"(?:\d{{1,3}}|{_any_of(numbers)})",
        "UNIT": f"(?:{_any_of(units)})",
        "WEEKDAY": f"(?:{_any_of(weekdays if isinstance(weekdays, list) else ())})",
    }


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The table of that name; an empty one in place of anything else, which is reported later."""
    table = data.get(key)
    return table if isinstance(table, Mapping) else {}


def _any_of(lists: Iterable[Any]) -> str:
    """The words of lists or of strings as alternatives, longer ones first."""
    found = [
        word
        for each in lists
        for word in (each.split() if isinstance(each, str) else each)
        if isinstance(word, str)
    ]
    return "|".join(sorted(map(re.escape, found), key=len, reverse=True)) or "(?!)"
