"""Memories put straight into the store, for tests that are about reading them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from strandline import ids
from strandline.clock import Deadline
from strandline.context.prompt import prompt_hash
from strandline.memories.transaction import NewRevision, apply_changes
from strandline.models.memory import Citation, Kind, Memory
from strandline.models.turn import Role
from strandline.recall.index_entries import index_entry
from tests.support.world import World

PER_TRANSACTION = 12


def make_memory(
    world: World,
    title: str,
    text: str,
    *turn_ids: str,
    **fields: Any,
) -> Memory:
    """A memory that cites the first word of each of those turns; not yet stored.

    `fields` are other fields of it than the usual ones.
    """
    at = world.clock()
    created_at: datetime = fields.get("created_at") or at
    evidence = tuple(
        Citation(turn_id=turn_id, role=Role.USER, word_start=0, word_end=1, said_at=at)
        for turn_id in turn_ids
    )
    usual: dict[str, Any] = {
        "id": ids.new_id("mem", created_at),
        "revision": 1,
        "kind": Kind.OBSERVATION,
        "title": title,
        "text": text,
        "importance": 0.5,
        "evidence": evidence,
        "fingerprints": (prompt_hash(text),),
        "created_at": created_at,
        "updated_at": created_at,
    }
    return Memory.model_validate(usual | fields)


def store_memories(
    world: World,
    *memories: Memory,
    account: str = "ada",
    vectors: Sequence[Sequence[float]] | None = None,
) -> None:
    """Publish them, embedded by the world's embedder unless their vectors are given."""
    embedder = world.embedder
    given = vectors or embedder.embed([m.text for m in memories], deadline=Deadline.after(5))
    changes = [
        NewRevision(memory, index_entry(memory, np.array(vector), embedder.space, "en"))
        for memory, vector in zip(memories, given, strict=True)
    ]
    for start in range(0, len(changes), PER_TRANSACTION):
        batch = changes[start : start + PER_TRANSACTION]
        apply_changes(world.runtime.table, account, batch, world.clock())
