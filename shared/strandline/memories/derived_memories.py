"""Hiding and rebuilding the memories that derive from something deleted."""

from collections.abc import Mapping
from datetime import datetime

from strandline.errors import StorageBusy
from strandline.memories import contradictions, index_placement, memory_deletion
from strandline.memories.derivation_walk import DerivedRevisions
from strandline.memories.status_updates import StatusUpdate, update_statuses
from strandline.memories.tombstones import Removal
from strandline.memories.transaction import Change, NewRevision, apply_changes
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import MemoryStatus
from strandline.store.memories import incoming_references, memory_heads, memory_revisions
from strandline.table import Table

_ATTEMPTS = 10


def hide_derived(table: Table, account: str, derived: DerivedRevisions, at: datetime) -> None:
    """Hides the memories whose current revision is derived: they read as deleted."""

    def hidden(head: Head) -> MemoryStatus | None:
        is_derived = head.memory.revision in derived.revisions[head.memory.id]
        if head.status.withheld_since or not is_derived:
            return None
        return head.status.model_copy(update={"withheld_since": at})

    update = StatusUpdate(hidden, "availability", at)
    update_statuses(table, account, derived.revisions, update)


def rebuild_derived(table: Table, account: str, derived: DerivedRevisions, at: datetime) -> None:
    """Rebuilds hidden memories from their remaining sources, referred-to memories first.

    Each gets a new revision with its own evidence, which verified its words, and with references
    only to readable memories. A memory without evidence of its own is removed. The derived
    revisions are removed.
    """
    pending = memory_heads.find_many(table, account, derived.revisions)
    waiting = {
        memory_id: head
        for memory_id, head in pending.items()
        if isinstance(head, Head) and head.status.withheld_since is not None
    }
    while waiting:
        # Any memory of a cycle may be the first: it loses the reference that closes the cycle.
        free = (name for name, head in waiting.items() if not _targets(head) & waiting.keys())
        memory_id = next(free, None) or next(iter(waiting))
        del waiting[memory_id]
        _rebuild_memory(table, account, memory_id, at)
    for memory_id in derived.revisions:
        _remove_derived_revisions(table, account, memory_id, derived)
    # References go last, in reverse: after an interruption, the walk finds all that is left.
    table.delete_many(reversed(derived.reference_keys))


def with_current_references(memory: Memory, readable: Mapping[str, Memory]) -> Memory:
    """Returns the next revision with the same words and with references to current revisions.

    References to memories that aren't among `readable` are left out.
    """
    kept = tuple(
        Reference(memory_id=name, revision=readable[name].revision)
        for name in incoming_references.group_by_target(memory.references)
        if name in readable
    )
    inherited = inherited_turns(memory.evidence, [readable[each.memory_id] for each in kept])
    challenged = memory.challenges
    update = {
        "revision": memory.revision + 1,
        "references": kept,
        "inherited": inherited,
        "challenges": challenged if challenged and challenged.memory_id in readable else None,
    }
    return memory.model_copy(update=update)


def _targets(head: Head) -> set[str]:
    return {reference.memory_id for reference in head.memory.references} - {head.memory.id}


def _rebuild_memory(table: Table, account: str, memory_id: str, at: datetime) -> None:
    for _ in range(_ATTEMPTS):
        head = memory_heads.find(table, account, memory_id)
        if not isinstance(head, Head) or head.status.withheld_since is None:
            return
        try:
            change = _rebuilding_change(table, account, head)
            if isinstance(change, Removal):
                contradictions.release_contradicted(table, account, head, at)
            apply_changes(table, account, [change], at)
            return
        except HeadChanged:
            continue
    raise StorageBusy


def _rebuilding_change(table: Table, account: str, head: Head) -> Change:
    memory = head.memory
    if not memory.evidence:
        # Its words were drawn from its references, some of which are gone.
        return Removal(head, suppress=False)
    readable = memory_heads.find_heads(table, account, _targets(head))
    rebuilt = with_current_references(
        memory, {name: other.memory for name, other in readable.items()}
    )
    entry = index_placement.read_entry(table, account, head)
    status = head.status.model_copy(update={"withheld_since": None})
    return NewRevision(rebuilt, entry, head, ("evidence", "references", "availability"), status)


def _remove_derived_revisions(
    table: Table, account: str, memory_id: str, derived: DerivedRevisions
) -> None:
    """Removes a memory's derived revisions, or all revisions of a removed memory.

    References stay by which the walk finds other derived revisions.
    """
    head = memory_heads.find(table, account, memory_id)
    history = memory_revisions.list_all(table, account, memory_id)
    if isinstance(head, Head):
        gone = derived.revisions[memory_id]
        history = [each for each in history if each.revision in gone]
    memory_deletion.remove_with_references(table, account, history, keeping=derived.reference_keys)
