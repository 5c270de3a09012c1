"""Staleness: marking memories whose sources have changed, until they are reconciled."""

from collections.abc import Iterable
from datetime import datetime

from strandline import ids, keys
from strandline.memories.derivation_walk import find_referring
from strandline.memories.status_updates import StatusUpdate, update_statuses
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import MemoryStatus
from strandline.queries import Query
from strandline.store.memories import memory_heads
from strandline.table import Table


def mark_stale(table: Table, account: str, memory_ids: Iterable[str], at: datetime) -> list[str]:
    """Marks memories stale, and all whose current revision refers to a stale one.

    Returns the ids of those that this call marked. Memories that were stale already stay so.
    """

    def stale(head: Head) -> MemoryStatus | None:
        if head.status.stale_since is not None:
            return None
        return head.status.model_copy(update={"stale_since": at})

    update = StatusUpdate(stale, "freshness", at)
    marked: list[str] = []
    visited: set[str] = set()
    todo = set(memory_ids)
    while todo:
        marked += update_statuses(table, account, todo, update)
        visited |= todo
        todo = find_referring(table, account, todo) - visited
    return marked


def mark_stale_by_turn(table: Table, account: str, turn_id: str, at: datetime) -> list[str]:
    """Marks stale what cites an earlier version of a turn, and what refers to that.

    Returns the ids of those that this call marked.
    """
    citing = find_citing_earlier_version(table, account, turn_id)
    return mark_stale(table, account, citing, at)


def find_citing_earlier_version(table: Table, account: str, turn_id: str) -> set[str]:
    """Returns the memories whose current revision cites a replaced version of a turn."""
    session_id, number = ids.parse_turn_id(turn_id)
    item = table.get(keys.turn(account, session_id, number))
    if item is None:
        return set()
    version = int(item.get("version", 1))
    first = keys.citation(account, session_id, number, "")
    citing = {citation["memory_id"] for citation in table.all(Query.of_prefix(first))}
    heads = memory_heads.find_heads(table, account, citing)
    return {
        memory_id
        for memory_id, head in heads.items()
        if cites_version_before(head.memory, turn_id, before=version)
    }


def cites_version_before(memory: Memory, turn_id: str, before: int) -> bool:
    """Whether a memory cites a version of the turn below a number."""
    return any(
        citation.turn_id == turn_id and citation.turn_version < before
        for citation in memory.evidence
    )
