"""References the other way round: which revisions of which memories refer to one."""

from collections.abc import Iterable, Iterator

from strandline import ids, keys
from strandline.item_codec import decode, encode
from strandline.models.base import Value
from strandline.models.memory import Citation, Memory, Reference
from strandline.queries import Query
from strandline.store.pagination import ListPage, read_page
from strandline.table import Table
from strandline.writes import Write, check, put, put_new

PREFIX = "REFBY#"
IS_READABLE = (
    "attribute_exists(pk) AND attribute_not_exists(deleted_at)"
    " AND attribute_not_exists(standing.withheld_since)"
)
"""The condition under which a memory may be referred to."""


class IncomingReference(Value):
    """A revision of `source` that refers to these revisions of the memory asked about.

    `challenges` tells that it is one of those that contradict it.
    """

    source: str
    revision: int
    targets: tuple[int, ...]
    challenges: bool = False


def reference_writes(account: str, memory: Memory) -> list[Write]:
    """The writes that let a revision be found from what it refers to, all of which is there."""
    writes = []
    challenged = memory.challenges.memory_id if memory.challenges else None
    for target, revisions in by_target(memory.references).items():
        mark = IncomingReference(
            source=memory.id,
            revision=memory.revision,
            targets=revisions,
            challenges=target == challenged,
        )
        key = keys.incoming_reference(account, target, memory.id, memory.revision)
        writes.append(put_new(key, encode(mark)))
        if target != memory.id:
            writes.append(check(keys.memory(account, target), IS_READABLE))
    return writes


def reference_keys(account: str, memory: Memory) -> list[keys.Key]:
    """Where that revision is found from what it refers to."""
    return [
        keys.incoming_reference(account, target, memory.id, memory.revision)
        for target in by_target(memory.references)
    ]


def by_target(references: Iterable[Reference]) -> dict[str, tuple[int, ...]]:
    """The revisions referred to, by memory."""
    found: dict[str, tuple[int, ...]] = {}
    for reference in references:
        found[reference.memory_id] = (*found.get(reference.memory_id, ()), reference.revision)
    return {target: tuple(sorted(set(revisions))) for target, revisions in found.items()}


def list_incoming(table: Table, account: str, target: str) -> Iterator[IncomingReference]:
    """Every revision that refers to a memory, those of deleted memories included."""
    first = keys.incoming_reference(account, target, "", 0)
    for item in table.all(Query(first.pk, prefix=PREFIX)):
        yield decode(IncomingReference, item)


def list_position(mark: IncomingReference) -> str:
    """Where a mark stands in its list: what `page` goes on after."""
    return f"{PREFIX}{mark.source}#{mark.revision:06d}"


def page(
    table: Table, account: str, target: str, limit: int, after: str | None
) -> ListPage[IncomingReference]:
    """Some of those revisions, by source and revision."""
    return read_page(
        table,
        Query(keys.memory_partition(account, target), prefix=PREFIX),
        limit=limit,
        after=after,
        keep=lambda item: decode(IncomingReference, item),
    )


def citation_writes(
    account: str, memory_id: str, evidence: Iterable[Citation], known: Iterable[Citation]
) -> list[Write]:
    """The writes that let a memory be found from each turn that is new among its grounds."""
    marked = {citation.turn_id for citation in known}
    new = dict.fromkeys(c.turn_id for c in evidence if c.turn_id not in marked)
    return [
        put(
            keys.citation(account, *ids.parse_turn_id(turn_id), memory_id), {"memory_id": memory_id}
        )
        for turn_id in new
    ]
