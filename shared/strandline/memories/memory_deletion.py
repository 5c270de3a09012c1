"""Deleting a memory: its words go, and its statement is not learned again."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.memories import contradictions
from strandline.memories.tombstones import ExpiredDeletion, Removal
from strandline.memories.transaction import Change, apply_changes
from strandline.models.memory import Citation, Memory
from strandline.models.memory_head import Head, HeadChanged, Tombstone
from strandline.queries import Query
from strandline.store.memories import incoming_references, memory_heads, memory_revisions
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, delete

_ATTEMPTS = 10
_MAX_ACCOMPANYING_WRITES = 50
"""Writes of a deletion's transaction beside the removal itself: other changes and revisions."""
_WRITES_PER_CHANGE = 6
MAX_CITATIONS = 64
"""Citations that a tombstone keeps."""


def tombstone_memory(
    table: Table, account: str, memory_id: str, at: datetime, also: Sequence[Write] = ()
) -> bool:
    """Deletes a memory's words, with the writes of `also`; False if it was deleted before.

    One transaction replaces the head by a tombstone, puts the memories back in force that it had
    retracted, and removes as many revisions as it can hold. `remove_revisions` removes the rest.
    Raises NotFound.
    """
    for _ in range(_ATTEMPTS):
        found = memory_heads.find(table, account, memory_id)
        if isinstance(found, Tombstone) and not found.expired:
            return False
        try:
            changes, writes = _deletion(table, account, found, also)
            apply_changes(table, account, changes, at, writes)
        except (HeadChanged, ConditionFailed):
            continue
        return True
    raise StorageBusy


def remove_revisions(
    table: Table, account: str, memory_id: str, *, before: int | None = None
) -> None:
    """Removes a memory's whole history, or only its revisions below the number `before`."""
    history = memory_revisions.list_all(table, account, memory_id)
    if before is not None:
        older = [each for each in history if each.revision < before]
        remove_with_references(table, account, older)
        return
    remove_with_references(table, account, history)
    # The rest is what refers to it, and a parked index entry.
    rest = table.all(Query(keys.memory_partition(account, memory_id)))
    table.delete_many(keys.Key(item["pk"], item["sk"]) for item in rest)


def remove_with_references(
    table: Table, account: str, revisions: Iterable[Memory], keeping: Collection[keys.Key] = ()
) -> None:
    """Removes revisions, each in one transaction with its review and its stored references.

    The references whose keys are in `keeping` stay: a walk still needs them.
    """
    for each in revisions:
        references = [
            key for key in incoming_references.reference_keys(account, each) if key not in keeping
        ]
        table.transact([delete(key) for key in (*content_keys(account, each), *references)])


def remove_revision_content(table: Table, account: str, revisions: Iterable[Memory]) -> None:
    """Removes revisions and their reviews; their stored references stay."""
    table.delete_many(key for each in revisions for key in content_keys(account, each))


def content_keys(account: str, memory: Memory) -> tuple[keys.Key, keys.Key]:
    """Returns the keys of a revision and of its review."""
    number = memory.revision
    return keys.revision(account, memory.id, number), keys.review(account, memory.id, number)


def all_citations(revisions: Iterable[Memory]) -> tuple[Citation, ...]:
    """Returns the citations of all revisions, the newest last, at most MAX_CITATIONS."""
    citations = dict.fromkeys(citation for each in revisions for citation in each.evidence)
    return tuple(citations)[-MAX_CITATIONS:]


def _deletion(
    table: Table, account: str, found: Head | Tombstone, also: Sequence[Write]
) -> tuple[list[Change], list[Write]]:
    """Returns the changes and writes that delete a memory. Raises HeadChanged."""
    if isinstance(found, Tombstone):
        # Its words have expired. What is left to do is to suppress its statement.
        return [ExpiredDeletion(found)], [*also]
    history = memory_revisions.list_all(table, account, found.memory.id)
    citations = all_citations([*history, found.memory])
    removal = Removal(found, suppress=True, citations=citations)
    others, checks = contradictions.changes_on_deletion(table, account, found)
    room = _MAX_ACCOMPANYING_WRITES - _WRITES_PER_CHANGE * len(others) - len(checks)
    writes = [*also, *checks, *_revision_removal_writes(account, history, room)]
    return [removal, *others], writes


def _revision_removal_writes(account: str, history: Iterable[Memory], room: int) -> list[Write]:
    """Returns the writes that remove revisions and their references, fewer than `room`."""
    writes: list[Write] = []
    for each in history:
        references = [delete(key) for key in incoming_references.reference_keys(account, each)]
        if len(writes) + len(references) >= room:
            break
        writes += [*references, delete(keys.revision(account, each.id, each.revision))]
    return writes
