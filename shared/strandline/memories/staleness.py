"""Memories that cite a version of a turn that was replaced since."""

from datetime import datetime

from strandline import ids, keys
from strandline.memories import derivation
from strandline.models.memory import Memory
from strandline.queries import Query
from strandline.store.memories import memory_heads
from strandline.table import Table


def mark_stale_by_turn(table: Table, account: str, turn_id: str, at: datetime) -> list[str]:
    """Mark stale what rests on an earlier version of a turn, and what refers to that.

    Which memories were marked by this call; those marked before stay so.
    """
    return derivation.mark_stale(
        table, account, memories_citing_earlier_version(table, account, turn_id), at
    )


def memories_citing_earlier_version(table: Table, account: str, turn_id: str) -> set[str]:
    """The memories whose current revision cites a version of the turn that isn't its last."""
    session_id, number = ids.parse_turn_id(turn_id)
    item = table.get(keys.turn(account, session_id, number))
    if item is None:
        return set()
    version = int(item.get("version", 1))
    first = keys.citation(account, session_id, number, "")
    marked = {mark["memory_id"] for mark in table.all(Query.of_prefix(first))}
    heads = memory_heads.readable_heads(memory_heads.find_many(table, account, marked))
    return {
        name
        for name, head in heads.items()
        if cites_version_before(head.memory, turn_id, before=version)
    }


def cites_version_before(memory: Memory, turn_id: str, before: int) -> bool:
    """Whether it rests on a version of the turn below that number."""
    return any(
        citation.turn_id == turn_id and citation.turn_version < before
        for citation in memory.evidence
    )
