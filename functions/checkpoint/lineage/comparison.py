"""Compares the contents of two checkpoints, and finds their common ancestor. Pure.

Lines are compared by their folded wording: without case, punctuation and superfluous space.
Folding is Unicode's NFKC and full case folding, so that "Ｕｓｅ  Postgres!" is "use postgres".
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Mapping

from strandline.models.base import Value
from strandline.models.checkpoint import Content, Node

LINE_FIELDS = ("decisions", "tasks", "open_questions", "entities", "assumptions")
"""The fields of a checkpoint that are lists of lines."""

_MEANINGFUL_MARKS = frozenset("#%&@")
"""Characters that Unicode counts as punctuation but that carry meaning: C# isn't C, nor 5 % 5."""
_MEANINGFUL_SIGN = re.compile(r"(?<!\w)-(?=\d)|!(?==)")

ParentIds = Mapping[str, tuple[str, ...]]
"""The ids of each checkpoint's parents, by its id."""


class Pair(Value):
    """A line that both have, in the wording of each."""

    a: str
    b: str


class Difference(Value):
    """The comparison of one list of two checkpoints."""

    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()
    shared: tuple[Pair, ...] = ()


class Differences(Value):
    """The comparison of all lists of two checkpoints."""

    decisions: Difference
    tasks: Difference
    open_questions: Difference
    entities: Difference
    assumptions: Difference


def compare_contents(a: Content, b: Content) -> Differences:
    """Returns for each list the lines only `a` has, those only `b` has, and those both have."""
    return Differences(
        **{name: compare_lines(getattr(a, name), getattr(b, name)) for name in LINE_FIELDS}
    )


def compare_lines(a: Iterable[str], b: Iterable[str]) -> Difference:
    """Returns the same for one list. A line that one side has twice is shown once."""
    in_a, in_b = by_folded_wording(a), by_folded_wording(b)
    return Difference(
        only_in_a=tuple(line for key, line in in_a.items() if key not in in_b),
        only_in_b=tuple(line for key, line in in_b.items() if key not in in_a),
        shared=tuple(Pair(a=line, b=in_b[key]) for key, line in in_a.items() if key in in_b),
    )


def by_folded_wording(lines: Iterable[str]) -> dict[str, str]:
    """Returns the lines by their folded wording; of several the first."""
    found: dict[str, str] = {}
    for line in lines:
        found.setdefault(fold_line(line), line)
    return found


def fold_line(line: str) -> str:
    """Returns a line without case, punctuation and superfluous space.

    A line of nothing but punctuation keeps it.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", line).casefold())
    signs = {match.start() for match in _MEANINGFUL_SIGN.finditer(plain)}
    kept = (c if n in signs or _is_kept(c) else " " for n, c in enumerate(plain))
    return " ".join("".join(kept).split()) or " ".join(plain.split())


def _is_kept(character: str) -> bool:
    return character in _MEANINGFUL_MARKS or not unicodedata.category(character).startswith(
        ("P", "C")
    )


def parents_by_id(nodes: Iterable[Node]) -> ParentIds:
    """Returns the parents of each of a space's checkpoints."""
    return {node.id: node.parents for node in nodes}


def common_ancestor(parents: ParentIds, a: str, b: str) -> str | None:
    """Returns the id of the nearest common ancestor, by all parents; it may be `a` or `b`.

    Of several, none of which is an ancestor of another, it is the one with the fewest steps from
    both, then the newest. Also terminates for a graph with a cycle. None if there is none.
    """
    steps_a, steps_b = _distances(parents, a), _distances(parents, b)
    shared = steps_a.keys() & steps_b.keys()
    older = {each for one in shared for each in _distances(parents, one) if each != one}
    nearest = (shared - older) or shared
    ordered = sorted(nearest, reverse=True)
    return min(ordered, key=lambda each: steps_a[each] + steps_b[each], default=None)


def _distances(parents: ParentIds, start: str) -> dict[str, int]:
    """Returns the number of steps from `start` to each of its ancestors; 0 for itself."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        current = queue.popleft()
        for parent in parents.get(current, ()):
            if parent not in steps:
                steps[parent] = steps[current] + 1
                queue.append(parent)
    return steps
