"""Erasing deleted turns from memories, and deleted memories from the memories derived from them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from strandline import ids
from strandline.deletion.erasure import Erasure
from strandline.errors import StorageBusy
from strandline.memories import contradictions, derived_memories, index_placement
from strandline.memories.derivation_walk import find_derived
from strandline.memories.memory_deletion import remove_revisions
from strandline.memories.tombstones import Removal
from strandline.memories.transaction import NewRevision, apply_changes
from strandline.memories.visibility import TurnPredicate, without_turns
from strandline.models.index_entry import IndexEntry
from strandline.models.memory_head import Head, HeadChanged, Tombstone
from strandline.store.memories import memory_heads

_ATTEMPTS = 10


def erase_memory(erasure: Erasure, memory_id: str) -> None:
    """Rebuilds what derives from a deleted memory, then removes the memory's own traces."""
    _rebuild_derived(erasure, {memory_id: None})
    remove_revisions(erasure.table, erasure.account, memory_id)


def erase_turns(erasure: Erasure, memory_ids: Collection[str], deleted: TurnPredicate) -> None:
    """Takes deleted turns out of memories; removes those that no other turn supports.

    Earlier revisions may hold words of the deleted turns, so only the newest revision is kept.
    That also completes an erasure that was interrupted after its transaction.
    """
    heads, changes = _detach_turns(erasure, memory_ids, deleted)
    kept = {
        memory_id: head.memory.revision
        for memory_id, head in heads.items()
        if isinstance(head, Head)
    }
    for change in changes:
        if isinstance(change, NewRevision):
            kept[change.memory.id] = change.memory.revision
        else:
            del kept[change.head.memory.id]
    _rebuild_derived(erasure, {memory_id: kept.get(memory_id) for memory_id in sorted(heads)})
    for memory_id in heads:
        remove_revisions(erasure.table, erasure.account, memory_id, before=kept.get(memory_id))


def entry_without_turns(entry: IndexEntry, deleted: TurnPredicate) -> IndexEntry:
    """Returns the index entry without the deleted turns among its source turns."""
    kept = tuple(
        turn
        for turn in entry.source_turns
        if not deleted(ids.turn_id(turn.session_id, turn.sequence_number))
    )
    return replace(entry, source_turns=kept)


def _detach_turns(
    erasure: Erasure, memory_ids: Collection[str], deleted: TurnPredicate
) -> tuple[Mapping[str, Head | Tombstone], Sequence[NewRevision | Removal]]:
    """Returns the heads as they were read and the changes made; retries if a head changed."""
    table, account, at = erasure.table, erasure.account, erasure.clock()
    for _ in range(_ATTEMPTS):
        heads = memory_heads.find_many(table, account, memory_ids)
        live = [head for head in heads.values() if isinstance(head, Head)]
        try:
            possible = [_change_without_turns(erasure, head, deleted) for head in live]
            changes = [change for change in possible if change is not None]
            for change in changes:
                if isinstance(change, Removal):
                    contradictions.release_contradicted(table, account, change.head, at)
            apply_changes(table, account, changes, at)
        except HeadChanged:
            continue
        return heads, changes
    raise StorageBusy


def _rebuild_derived(erasure: Erasure, roots: Mapping[str, int | None]) -> None:
    """Hides all derived memories before it rebuilds any of them."""
    table, account, at = erasure.table, erasure.account, erasure.clock()
    derived = find_derived(table, account, roots)
    derived_memories.hide_derived(table, account, derived, at)
    derived_memories.rebuild_derived(table, account, derived, at)


def _change_without_turns(
    erasure: Erasure, head: Head, deleted: TurnPredicate
) -> NewRevision | Removal | None:
    """Returns the change that takes deleted turns out of a memory; None if it cites none."""
    memory = head.memory
    kept = without_turns(memory, deleted)
    if kept is None:
        return Removal(head, suppress=False)
    if kept == memory:
        return None
    entry = index_placement.read_entry(erasure.table, erasure.account, head)
    revised = kept.model_copy(
        update={
            "revision": memory.revision + 1,
            # Its earlier revisions are removed, so nothing may refer to them.
            "references": tuple(r for r in memory.references if r.memory_id != memory.id),
        }
    )
    return NewRevision(
        revised, entry_without_turns(entry, deleted), head, ("evidence",), head.status
    )
