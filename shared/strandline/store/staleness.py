"""Memories that cite a version of a turn that was replaced since."""

from datetime import datetime

from strandline import ids, keys
from strandline.models.memory import Memory
from strandline.store import derived, memories
from strandline.table import Table


def mark_citing(table: Table, account: str, turn_id: str, at: datetime) -> list[str]:
    """Mark stale what rests on an earlier version of a turn, and what refers to that.

    Which memories were marked by this call; those marked before stay so.
    """
    return derived.mark_stale(table, account, citing_earlier(table, account, turn_id), at)


def citing_earlier(table: Table, account: str, turn_id: str) -> set[str]:
    """The memories whose current revision cites a version of the turn that isn't its last."""
    session_id, number = ids.parse_turn_id(turn_id)
    item = table.get(keys.turn(account, session_id, number))
    if item is None:
        return set()
    version = int(item.get("version", 1))
    first = keys.citation(account, session_id, number, "")
    marked = {mark["memory_id"] for mark in table.all(first.pk, prefix=first.sk)}
    heads = memories.live(memories.find_many(table, account, marked))
    return {name for name, head in heads.items() if cites(head.memory, turn_id, before=version)}


def cites(memory: Memory, turn_id: str, before: int) -> bool:
    """Whether it rests on a version of the turn below that number."""
    return any(
        citation.turn_id == turn_id and citation.turn_version < before
        for citation in memory.evidence
    )
