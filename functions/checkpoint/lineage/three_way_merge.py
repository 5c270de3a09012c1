"""Merging two lines of checkpoints: a three-way draft for a person to commit. Pure.

Nothing of either side is lost: it is in the draft, in a conflict, or in `removed` with who
removed it. Where there is a conflict the draft has what side `a` says until a person decides.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from functions.checkpoint.lineage.comparison import LISTS
from functions.checkpoint.lineage.line_matching import Line, Lines, alike
from strandline.models.base import Value
from strandline.models.checkpoint import Content

SCALARS = ("title", "objective", "summary")
SHAPES: Mapping[str, Callable[[Iterable[Any]], Lines]] = {
    **dict.fromkeys(LISTS, Lines.of_texts),
    "artifacts": Lines.of_artifacts,
    "memories": Lines.of_references,
}
"""How each list is read as lines."""
Kind = Literal["changed on both sides", "changed and removed", "added alike"]


class Conflict(Value):
    """What a person must decide. A null side has removed the line; a null base never had it."""

    field: str
    kind: Kind
    base: str | None
    a: str | None
    b: str | None


class Removed(Value):
    """A line that isn't in the draft; `replaced_by` is its new wording, if it was only reworded."""

    field: str
    text: str
    by: Literal["a", "b", "both"]
    replaced_by: str | None = None


class Merged(Value):
    """The three-way merge of two checkpoints' content."""

    content: Content
    conflicts: tuple[Conflict, ...] = ()
    removed: tuple[Removed, ...] = ()


@dataclass(frozen=True, slots=True)
class _Field:
    """One merged list."""

    values: tuple[Any, ...]
    conflicts: tuple[Conflict, ...]
    removed: tuple[Removed, ...]


def merge(base: Content | None, a: Content, b: Content) -> Merged:
    """What became of `base` on both sides, put together; without a base, of nothing."""
    old = base or Content(title="")
    scalars, conflicts = _scalars(old, a, b)
    fields = {name: _field(name, old, a, b) for name in SHAPES}
    return Merged(
        content=Content(**scalars, **{name: field.values for name, field in fields.items()}),
        conflicts=(*conflicts, *(each for field in fields.values() for each in field.conflicts)),
        removed=tuple(each for field in fields.values() for each in field.removed),
    )


def _scalars(base: Content, a: Content, b: Content) -> tuple[dict[str, str], list[Conflict]]:
    values, conflicts = {}, []
    for name in SCALARS:
        old, mine, other = (getattr(each, name) for each in (base, a, b))
        values[name] = other if mine == old else mine
        if old not in (mine, other) and mine != other:
            conflicts.append(_conflict(name, "changed on both sides", old, mine, other))
    return values, conflicts


def _conflict(
    field: str,
    kind: Kind,
    base: str | None,
    a: str | None,
    b: str | None,
) -> Conflict:
    return Conflict(field=field, kind=kind, base=base, a=a, b=b)


def _field(name: str, base: Content, a: Content, b: Content) -> _Field:
    """One list of both sides. A side that changed nothing takes the other's as it stands."""
    old, mine, other = (getattr(each, name) for each in (base, a, b))
    merged, conflicts, removed = _merged(name, *(SHAPES[name](each) for each in (old, mine, other)))
    if mine == old:
        merged = other
    elif other in (old, mine):
        merged = mine
    return _Field(merged, tuple(conflicts), tuple(removed))


def _merged(
    name: str, base: Lines, a: Lines, b: Lines
) -> tuple[tuple[Any, ...], list[Conflict], list[Removed]]:
    of_a, of_b = base.became(a), base.became(b)
    conflicts: list[Conflict] = []
    removed: list[Removed] = []
    settled: dict[str, Line | None] = {}
    for old in base:
        mine, told = _settle(name, old, of_a[old.key], of_b[old.key])
        if (line := of_a[old.key]) is not None:
            settled[line.key] = mine
        conflicts += (each for each in told if isinstance(each, Conflict))
        removed += (each for each in told if isinstance(each, Removed))
    new_a, new_b = a.without(of_a.values()), b.without(of_b.values())
    conflicts += _added_alike(name, new_a, new_b)
    kept = [settled.get(line.key, line) for line in a]
    return _once([*kept, *new_b]), conflicts, removed


def _settle(
    name: str, old: Line, a: Line | None, b: Line | None
) -> tuple[Line | None, list[Conflict | Removed]]:
    """What stays of one line of the base: each side kept it, reworded it or removed it (None)."""
    if a is None or b is None:
        return _settle_removed(name, old, a, b)
    if old.key not in (a.key, b.key) and a.key != b.key:
        return a, [_conflict(name, "changed on both sides", old.text, a.text, b.text)]
    kept = b if a.key == old.key and (b.key != old.key or a.text == old.text) else a
    if kept.key == old.key:
        return kept, []
    by: Literal["a", "b", "both"] = "both" if a.key == b.key else "a" if kept is a else "b"
    return kept, [Removed(field=name, text=old.text, by=by, replaced_by=kept.text)]


def _settle_removed(
    name: str, old: Line, a: Line | None, b: Line | None
) -> tuple[Line | None, list[Conflict | Removed]]:
    left = a or b
    if left is not None and left.key != old.key:
        return a, [_conflict(name, "changed and removed", old.text, *_texts(a, b))]
    by: Literal["a", "b", "both"] = "both" if left is None else "a" if a is None else "b"
    return None, [Removed(field=name, text=(left or old).text, by=by)]


def _texts(a: Line | None, b: Line | None) -> tuple[str | None, str | None]:
    return (a.text if a else None), (b.text if b else None)


def _added_alike(name: str, a: Sequence[Line], b: Sequence[Line]) -> list[Conflict]:
    """Lines that one side each added and that speak of the same thing: both stay in the draft."""
    in_a, in_b = {line.key for line in a}, {line.key for line in b}
    return [
        _conflict(name, "added alike", None, mine.text, other.text)
        for mine in a
        for other in b
        if mine.key not in in_b and other.key not in in_a and alike(mine, other)
    ]


def _once(lines: Iterable[Line | None]) -> tuple[Any, ...]:
    found: dict[str, Any] = {}
    for line in lines:
        if line is not None:
            found.setdefault(line.key, line.of)
    return tuple(found.values())
