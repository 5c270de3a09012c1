"""Merges two checkpoints against their common ancestor: a draft for a person to commit. Pure.

Nothing of either side is lost: it is in the draft, in a conflict, or in `removed` with the side
that removed it. At a conflict the draft has what side `a` says until a person decides.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from functions.checkpoint.lineage.comparison import LINE_FIELDS
from functions.checkpoint.lineage.line_matching import Line, LineList, are_similar
from strandline.models.base import Value
from strandline.models.checkpoint import Content

SCALAR_FIELDS = ("title", "objective", "summary")
LIST_READERS: Mapping[str, Callable[[Iterable[Any]], LineList]] = {
    **dict.fromkeys(LINE_FIELDS, LineList.of_texts),
    "artifacts": LineList.of_artifacts,
    "memories": LineList.of_references,
}
"""How each list's values become lines."""
ConflictKind = Literal["changed on both sides", "changed and removed", "added alike"]


class Conflict(Value):
    """What a person must decide. A null side removed the line; a null base never had it."""

    field: str
    kind: ConflictKind
    base: str | None
    a: str | None
    b: str | None


class Removed(Value):
    """A line that isn't in the draft; `replaced_by` is its new wording if it was reworded."""

    field: str
    text: str
    by: Literal["a", "b", "both"]
    replaced_by: str | None = None


class MergeResult(Value):
    """The merged content, with conflicts and removed lines."""

    content: Content
    conflicts: tuple[Conflict, ...] = ()
    removed: tuple[Removed, ...] = ()


@dataclass(frozen=True, slots=True)
class _MergedList:
    """One list after the merge: its values, conflicts and removed lines."""

    values: tuple[Any, ...]
    conflicts: tuple[Conflict, ...]
    removed: tuple[Removed, ...]


def merge_contents(base: Content | None, a: Content, b: Content) -> MergeResult:
    """Returns the changes of both sides since `base` merged; without a base, since nothing."""
    old = base or Content(title="")
    scalars, conflicts = _merge_scalars(old, a, b)
    fields = {name: _merge_list(name, old, a, b) for name in LIST_READERS}
    return MergeResult(
        content=Content(**scalars, **{name: field.values for name, field in fields.items()}),
        conflicts=(*conflicts, *(each for field in fields.values() for each in field.conflicts)),
        removed=tuple(each for field in fields.values() for each in field.removed),
    )


def _merge_scalars(base: Content, a: Content, b: Content) -> tuple[dict[str, str], list[Conflict]]:
    values, conflicts = {}, []
    for name in SCALAR_FIELDS:
        old, in_a, in_b = (getattr(each, name) for each in (base, a, b))
        values[name] = in_b if in_a == old else in_a
        if old not in (in_a, in_b) and in_a != in_b:
            conflicts.append(_conflict(name, "changed on both sides", old, in_a, in_b))
    return values, conflicts


def _conflict(
    field: str,
    kind: ConflictKind,
    base: str | None,
    a: str | None,
    b: str | None,
) -> Conflict:
    return Conflict(field=field, kind=kind, base=base, a=a, b=b)


def _merge_list(name: str, base: Content, a: Content, b: Content) -> _MergedList:
    """Merges one list. A list that one side left unchanged is taken whole from the other side."""
    old, in_a, in_b = (getattr(each, name) for each in (base, a, b))
    merged = _merge_lines(name, *(LIST_READERS[name](each) for each in (old, in_a, in_b)))
    if in_a == old:
        return replace(merged, values=in_b)
    if in_b in (old, in_a):
        return replace(merged, values=in_a)
    return merged


def _merge_lines(name: str, base: LineList, a: LineList, b: LineList) -> _MergedList:
    """Merges one list line by line: the lines of `a` in order, then those that `b` added."""
    matched_a, matched_b = base.match(a), base.match(b)
    conflicts: list[Conflict] = []
    removed: list[Removed] = []
    merged: dict[str, Line | None] = {}
    for old in base:
        kept, notes = _merge_line(name, old, matched_a[old.key], matched_b[old.key])
        if (line := matched_a[old.key]) is not None:
            merged[line.key] = kept
        conflicts += (each for each in notes if isinstance(each, Conflict))
        removed += (each for each in notes if isinstance(each, Removed))
    new_a, new_b = a.without(matched_a.values()), b.without(matched_b.values())
    conflicts += _similar_additions(name, new_a, new_b)
    lines = [*(merged.get(line.key, line) for line in a), *new_b]
    return _MergedList(_unique_sources(lines), tuple(conflicts), tuple(removed))


def _merge_line(
    name: str, old: Line, a: Line | None, b: Line | None
) -> tuple[Line | None, list[Conflict | Removed]]:
    """Returns what is left of a line of the base, and the conflict or removal that comes of it.

    Each side kept the line, reworded it or removed it (None).
    """
    if a is None or b is None:
        return _merge_removed_line(name, old, a, b)
    if old.key not in (a.key, b.key) and a.key != b.key:
        return a, [_conflict(name, "changed on both sides", old.text, a.text, b.text)]
    kept = b if a.key == old.key and (b.key != old.key or a.text == old.text) else a
    if kept.key == old.key:
        return kept, []
    by: Literal["a", "b", "both"] = "both" if a.key == b.key else "a" if kept is a else "b"
    return kept, [Removed(field=name, text=old.text, by=by, replaced_by=kept.text)]


def _merge_removed_line(
    name: str, old: Line, a: Line | None, b: Line | None
) -> tuple[Line | None, list[Conflict | Removed]]:
    """Returns the same for a line that at least one side removed."""
    remaining = a or b
    if remaining is not None and remaining.key != old.key:
        return a, [_conflict(name, "changed and removed", old.text, *_optional_texts(a, b))]
    by: Literal["a", "b", "both"] = "both" if remaining is None else "a" if a is None else "b"
    return None, [Removed(field=name, text=(remaining or old).text, by=by)]


def _optional_texts(a: Line | None, b: Line | None) -> tuple[str | None, str | None]:
    return (a.text if a else None), (b.text if b else None)


def _similar_additions(name: str, a: Sequence[Line], b: Sequence[Line]) -> list[Conflict]:
    """Returns a conflict for each pair of lines about the same thing that a side each added.

    Both lines stay in the draft.
    """
    in_a, in_b = {line.key for line in a}, {line.key for line in b}
    return [
        _conflict(name, "added alike", None, of_a.text, of_b.text)
        for of_a in a
        for of_b in b
        if of_a.key not in in_b and of_b.key not in in_a and are_similar(of_a, of_b)
    ]


def _unique_sources(lines: Iterable[Line | None]) -> tuple[Any, ...]:
    found: dict[str, Any] = {}
    for line in lines:
        if line is not None:
            found.setdefault(line.key, line.source)
    return tuple(found.values())
