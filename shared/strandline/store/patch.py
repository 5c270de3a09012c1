"""The update expression of a PATCH: SET for values, REMOVE for nulls."""

from collections.abc import Mapping
from typing import Any

from strandline.keys import Key
from strandline.writes import Write, update


def patch_write(
    key: Key,
    fields: Mapping[str, Any],
    *,
    condition: str,
    keep: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
) -> Write:
    """Returns the write that sets fields, or removes those whose value is None.

    `keep` sets fields only where the item has none yet. `values` are the placeholders of
    `condition`.
    """
    to_set = {name: value for name, value in fields.items() if value is not None}
    to_remove = [name for name, value in fields.items() if value is None]
    sets = [f"#{name} = :{name}" for name in to_set]
    sets += [f"#{name} = if_not_exists(#{name}, :{name})" for name in keep or {}]
    expression = "SET " + ", ".join(sets)
    if to_remove:
        expression += " REMOVE " + ", ".join(f"#{name}" for name in to_remove)
    named = [*to_set, *to_remove, *(keep or {})]
    return update(
        key,
        expression,
        condition=condition,
        names={f"#{name}": name for name in named},
        values={f":{name}": value for name, value in {**to_set, **(keep or {})}.items()}
        | dict(values or {}),
    )
