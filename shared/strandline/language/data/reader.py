"""Tables of a TOML file as the named tuples that describe them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

from strandline.language.data.field_types import Pattern, Words
from strandline.language.data.fragments import expand

_NAMES = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


class ValueMismatch(ValueError):
    """A value isn't what its key holds."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}" if key else problem)


def read_value(kind: Any, value: Any, fragments: Mapping[str, str], key: str = "") -> Any:
    """The value as one of that type; a table as a named tuple.

    `fragments` are the placeholders of its patterns.

    Raises ValueMismatch, which names the key.
    """
    if hasattr(kind, "_fields"):
        return _read_table(kind, value, fragments, key)
    if kind is Words:
        return _read_words(value, key)
    if kind is Pattern:
        return _read_pattern(value, fragments, key)
    if get_origin(kind) is not None:
        return _read_container(kind, value, fragments, key)
    if kind is float and type(value) is int:
        return float(value)
    return _checked(type(value) is kind, value, key, _NAMES[kind])


def _read_container(kind: Any, value: Any, fragments: Mapping[str, str], key: str) -> Any:
    """One of several strings, a table with keys of its own, or an array."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _checked(value in arguments, value, key, f"one of {', '.join(arguments)}")
    if origin is Mapping:
        table = _checked(isinstance(value, dict), value, key, "a table")
        return MappingProxyType(
            {
                _read_key(arguments[0], name, key): read_value(
                    arguments[1], each, fragments, f"{key}.{name}"
                )
                for name, each in table.items()
            }
        )
    items = enumerate(_checked(isinstance(value, list), value, key, "an array"))
    return tuple(read_value(arguments[0], each, fragments, f"{key}.{i}") for i, each in items)


def _read_table(kind: Any, value: Any, fragments: Mapping[str, str], key: str) -> Any:
    table = _checked(isinstance(value, dict), value, key, "a table")
    types: dict[str, Any] = kind.__annotations__
    for name in table:
        if name not in types:
            raise ValueMismatch(_joined(key, name), "unknown key")
    for name in types:
        if name not in table and name not in kind._field_defaults:
            raise ValueMismatch(_joined(key, name), "missing")
    return kind(
        **{
            name: read_value(types[name], given, fragments, _joined(key, name))
            for name, given in table.items()
        }
    )


def _read_words(value: Any, key: str) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset(value.split())
    listed = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return frozenset(_checked(listed, value, key, "words: a string or an array of strings"))


def _read_pattern(value: Any, fragments: Mapping[str, str], key: str) -> str:
    try:
        return expand(_checked(isinstance(value, str), value, key, "a string"), fragments)
    except ValueMismatch:
        raise
    except ValueError as error:
        raise ValueMismatch(key, str(error)) from None


def _read_key(kind: Any, name: str, key: str) -> Any:
    """A table's own key: a number where numbers are expected, or one of those that are known."""
    if kind is int:
        return int(_checked(name.isdecimal(), name, key, "keys that are numbers"))
    known = get_args(kind)
    return _checked(not known or name in known, name, key, f"keys of {', '.join(known)}")


def _checked(holds: bool, value: Any, key: str, expected: str) -> Any:
    if not holds:
        raise ValueMismatch(key, f"expected {expected}, not {value!r:.60}")
    return value


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name
