"""Finding what derives from a memory, by its incoming references.

A revision derives from the revisions it refers to, and from what those derive from. A walk reads
one small record per reference and follows no record twice, so that cycles end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from strandline import keys
from strandline.models.memory_head import Head
from strandline.store.memories import incoming_references, memory_heads
from strandline.store.memories.incoming_references import IncomingReference
from strandline.table import Table


@dataclass(frozen=True, slots=True)
class DerivedRevisions:
    """Derived revision numbers by memory id, and the keys of the references they were found by.

    Each reference was found by way of those before it.
    """

    revisions: Mapping[str, frozenset[int]]
    reference_keys: tuple[keys.Key, ...] = ()


def find_derived(table: Table, account: str, roots: Mapping[str, int | None]) -> DerivedRevisions:
    """Returns every revision that derives from a root.

    A root is a whole memory (None), or its revisions below a number. A derived memory without
    evidence of its own will be removed, so that it counts as a root too.
    """
    walk = _Walk(table, account, dict(roots))
    todo = sorted(roots)
    while todo:
        walk.follow(todo)
        todo = sorted(walk.without_evidence())
        walk.roots |= dict.fromkeys(todo)
    revisions = {memory_id: frozenset(numbers) for memory_id, numbers in walk.found.items()}
    return DerivedRevisions(revisions, tuple(walk.reference_keys))


def find_referring(table: Table, account: str, targets: Iterable[str]) -> set[str]:
    """Returns the other memories whose current revision refers to any revision of the targets."""
    found: set[str] = set()
    for target in targets:
        references = {
            (reference.source, reference.revision)
            for reference in incoming_references.list_incoming(table, account, target)
            if reference.source != target
        }
        heads = memory_heads.find_heads(table, account, {source for source, _ in references})
        found |= {name for name, h in heads.items() if (name, h.memory.revision) in references}
    return found


@dataclass(slots=True)
class _Walk:
    """A walk over incoming references, and what it has found so far."""

    table: Table
    account: str
    roots: dict[str, int | None]
    found: dict[str, set[int]] = field(default_factory=dict)
    reference_keys: dict[keys.Key, None] = field(default_factory=dict)
    incoming: dict[str, list[IncomingReference]] = field(default_factory=dict)

    def follow(self, targets: Iterable[str]) -> None:
        """Follows the references to the targets, and the references to what is found."""
        todo = list(targets)
        while todo:
            target = todo.pop()
            if target not in self.incoming:
                self.incoming[target] = list(
                    incoming_references.list_incoming(self.table, self.account, target)
                )
            todo += [each.source for each in self.incoming[target] if self._add(target, each)]

    def without_evidence(self) -> set[str]:
        """Returns the found memories, not yet roots, whose current words have no evidence.

        Their words were drawn from other memories alone.
        """
        names = self.found.keys() - self.roots.keys()
        heads = memory_heads.find_many(self.table, self.account, names)
        return {
            name
            for name, head in heads.items()
            if not isinstance(head, Head)
            or (head.memory.revision in self.found[name] and not head.memory.evidence)
        }

    def _add(self, target: str, reference: IncomingReference) -> bool:
        """Adds a reference's source if it derives from a root; whether it is new."""
        derives = any(
            _is_root(self.roots, target, number) or number in self.found.get(target, ())
            for number in reference.targets
        )
        if not derives or _is_root(self.roots, reference.source, reference.revision):
            return False
        key = keys.incoming_reference(self.account, target, reference.source, reference.revision)
        self.reference_keys[key] = None
        numbers = self.found.setdefault(reference.source, set())
        if reference.revision in numbers:
            return False
        numbers.add(reference.revision)
        return True


def _is_root(roots: Mapping[str, int | None], memory_id: str, revision: int) -> bool:
    if memory_id not in roots:
        return False
    below = roots[memory_id]
    return below is None or revision < below
