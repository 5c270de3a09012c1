"""Two checkpoints side by side: pure. Wording is compared after case, punctuation and space.

Folding is Unicode's: NFKC and full case folding, so that "Ｕｓｅ  Postgres!" is "use postgres".
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Mapping

from strandline.models.base import Value
from strandline.models.checkpoint import Content, Node

LISTS = ("decisions", "tasks", "open_questions", "entities", "assumptions")
"""The fields of a checkpoint that are lists of lines."""

_SPEAKING = frozenset("#%&@")
"""Punctuation by Unicode's reckoning that isn't: C# isn't C, nor 5 % five."""
_SIGN = re.compile(r"(?<!\w)-(?=\d)|!(?==)")
Parents = Mapping[str, tuple[str, ...]]


class Pair(Value):
    """One line that both have, in the wording of each."""

    a: str
    b: str


class Difference(Value):
    """One list of two checkpoints."""

    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()
    shared: tuple[Pair, ...] = ()


class Differences(Value):
    """All lists of two checkpoints."""

    decisions: Difference
    tasks: Difference
    open_questions: Difference
    entities: Difference
    assumptions: Difference


def compare(a: Content, b: Content) -> Differences:
    """What only `a` says, what only `b` says and what both say, each in its own wording."""
    return Differences(**{name: difference(getattr(a, name), getattr(b, name)) for name in LISTS})


def difference(a: Iterable[str], b: Iterable[str]) -> Difference:
    """The same for one list. A line that one side has twice is shown once."""
    in_a, in_b = by_meaning(a), by_meaning(b)
    return Difference(
        only_in_a=tuple(line for key, line in in_a.items() if key not in in_b),
        only_in_b=tuple(line for key, line in in_b.items() if key not in in_a),
        shared=tuple(Pair(a=line, b=in_b[key]) for key, line in in_a.items() if key in in_b),
    )


def by_meaning(lines: Iterable[str]) -> dict[str, str]:
    """The lines by their folded wording, each in the wording it has first."""
    found: dict[str, str] = {}
    for line in lines:
        found.setdefault(folded(line), line)
    return found


def folded(line: str) -> str:
    """A line without case, punctuation and superfluous space; one of nothing else as it is."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", line).casefold())
    signs = {match.start() for match in _SIGN.finditer(plain)}
    kept = (c if n in signs or _speaks(c) else " " for n, c in enumerate(plain))
    return " ".join("".join(kept).split()) or " ".join(plain.split())


def _speaks(character: str) -> bool:
    return character in _SPEAKING or not unicodedata.category(character).startswith(("P", "C"))


def lineage_of(nodes: Iterable[Node]) -> Parents:
    """Each checkpoint's parents, as a space's nodes tell them."""
    return {node.id: node.parents for node in nodes}


def common_ancestor(parents: Parents, a: str, b: str) -> str | None:
    """The nearest checkpoint that both come from, by all parents; one of the two may be it.

    None of several is an ancestor of another; then fewest steps decide, then the newest id. A
    lineage with a cycle in it ends as any other.
    """
    from_a, from_b = _steps(parents, a), _steps(parents, b)
    shared = from_a.keys() & from_b.keys()
    older = {each for one in shared for each in _steps(parents, one) if each != one}
    nearest = (shared - older) or shared
    ordered = sorted(nearest, reverse=True)
    return min(ordered, key=lambda each: from_a[each] + from_b[each], default=None)


def _steps(parents: Parents, start: str) -> dict[str, int]:
    """How many steps each ancestor lies behind `start`, itself at none."""
    steps, todo = {start: 0}, deque([start])
    while todo:
        at = todo.popleft()
        for parent in parents.get(at, ()):
            if parent not in steps:
                steps[parent] = steps[at] + 1
                todo.append(parent)
    return steps
