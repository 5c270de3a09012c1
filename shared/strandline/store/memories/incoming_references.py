"""Reverse lookups: the revisions that refer to a memory, and the memories that cite a turn."""

from collections.abc import Iterable, Iterator

from strandline import ids, keys
from strandline.item_codec import decode, encode
from strandline.models.base import Value
from strandline.models.memory import Citation, Memory, Reference
from strandline.queries import Query
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import Table
from strandline.writes import Write, check, put, put_new

PREFIX = "REFBY#"
IS_READABLE = (
    "attribute_exists(pk) AND attribute_not_exists(deleted_at)"
    " AND attribute_not_exists(standing.withheld_since)"
)
"""The condition that a memory may be referred to: it is neither deleted nor hidden."""


class IncomingReference(Value):
    """A revision of the memory `source` that refers to the target's revisions `targets`.

    `challenges` says whether the source contradicts the target.
    """

    source: str
    revision: int
    targets: tuple[int, ...]
    challenges: bool = False


def reference_writes(account: str, memory: Memory) -> list[Write]:
    """Returns the writes that store a revision's references, each under its target.

    They require that every target is readable.
    """
    writes = []
    challenged = memory.challenges.memory_id if memory.challenges else None
    for target, revisions in group_by_target(memory.references).items():
        record = IncomingReference(
            source=memory.id,
            revision=memory.revision,
            targets=revisions,
            challenges=target == challenged,
        )
        key = keys.incoming_reference(account, target, memory.id, memory.revision)
        writes.append(put_new(key, encode(record)))
        if target != memory.id:
            writes.append(check(keys.memory(account, target), IS_READABLE))
    return writes


def reference_keys(account: str, memory: Memory) -> list[keys.Key]:
    """Returns the keys under which a revision's references are stored."""
    return [
        keys.incoming_reference(account, target, memory.id, memory.revision)
        for target in group_by_target(memory.references)
    ]


def group_by_target(references: Iterable[Reference]) -> dict[str, tuple[int, ...]]:
    """Returns the sorted revision numbers referred to, by memory id."""
    found: dict[str, tuple[int, ...]] = {}
    for reference in references:
        found[reference.memory_id] = (*found.get(reference.memory_id, ()), reference.revision)
    return {target: tuple(sorted(set(revisions))) for target, revisions in found.items()}


def list_incoming(table: Table, account: str, target: str) -> Iterator[IncomingReference]:
    """Yields every revision that refers to a memory, also revisions of deleted memories."""
    first = keys.incoming_reference(account, target, "", 0)
    for item in table.all(Query(first.pk, prefix=PREFIX)):
        yield decode(IncomingReference, item)


def list_position(reference: IncomingReference) -> str:
    """Returns the sort key of a reference, to continue a list after it."""
    return f"{PREFIX}{reference.source}#{reference.revision:06d}"


def page(
    table: Table, account: str, target: str, request: PageRequest
) -> ListPage[IncomingReference]:
    """Returns a page of the revisions that refer to a memory, by source and revision."""
    query = Query(keys.memory_partition(account, target), prefix=PREFIX)
    return read_page(table, query, request, lambda item: decode(IncomingReference, item))


def citation_writes(
    account: str, memory_id: str, evidence: Iterable[Citation], known: Iterable[Citation]
) -> list[Write]:
    """Returns the writes that store which turns a memory cites, without those in `known`."""
    known_ids = {citation.turn_id for citation in known}
    new = dict.fromkeys(c.turn_id for c in evidence if c.turn_id not in known_ids)
    return [
        put(
            keys.citation(account, *ids.parse_turn_id(turn_id), memory_id), {"memory_id": memory_id}
        )
        for turn_id in new
    ]
