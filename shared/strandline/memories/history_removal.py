"""Forgetting a memory: its words go, what keeps it from being learned again stays."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.item_codec import decode
from strandline.memories import contradictions
from strandline.memories.tombstones import ExpiredDeletion, Removal
from strandline.memories.transaction import Change, apply_changes
from strandline.models.memory import Citation, Memory
from strandline.models.memory_head import Head, HeadMoved, Tombstone
from strandline.queries import Query
from strandline.store.memories import incoming_references, memory_heads
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, delete

_ATTEMPTS = 10
_WRITES_BESIDE = 50
_WRITES_OF_ONE = 6
MAX_PLACES = 64


def tombstone_memory(
    table: Table, account: str, memory_id: str, at: datetime, also: Sequence[Write] = ()
) -> bool:
    """Take a memory's words away, with `also`; whether this call did. Raises NotFound.

    What it had retracted stands again in the same transaction.
    Head and revisions go in one transaction; what that doesn't take `forget_revisions` finishes.
    """
    for _ in range(_ATTEMPTS):
        found = memory_heads.find(table, account, memory_id)
        if isinstance(found, Tombstone) and not found.expired:
            return False
        try:
            changes, beside = _forgetting(table, account, found, also)
            apply_changes(table, account, changes, at, beside)
        except (HeadMoved, ConditionFailed):
            continue
        return True
    raise StorageBusy


def _forgetting(
    table: Table, account: str, found: Head | Tombstone, also: Sequence[Write]
) -> tuple[list[Change], list[Write]]:
    """What deletes a memory, and what goes with it. Raises HeadMoved."""
    if isinstance(found, Tombstone):
        # Its words have expired; what is left to do is to keep them from being learned again.
        return [ExpiredDeletion(found)], [*also]
    known = list_revisions(table, account, found.memory.id)
    removal = Removal(found, forget=True, places=cited_places([*known, found.memory]))
    others, checks = contradictions.changes_on_deletion(table, account, found)
    room = _WRITES_BESIDE - _WRITES_OF_ONE * len(others) - len(checks)
    return [removal, *others], [*also, *checks, *_with_it(account, known, room)]


def _with_it(account: str, known: Iterable[Memory], room: int) -> list[Write]:
    """Revisions, each with the marks by which it is found, as many as go into the transaction."""
    gone: list[Write] = []
    for each in known:
        marks = [delete(mark) for mark in incoming_references.reference_keys(account, each)]
        if len(gone) + len(marks) >= room:
            break
        gone += [*marks, delete(keys.revision(account, each.id, each.revision))]
    return gone


def remove_revisions(
    table: Table, account: str, memory_id: str, *, before: int | None = None
) -> None:
    """Remove all of a memory's history, or only the revisions before one."""
    gone = list_revisions(table, account, memory_id)
    if before is not None:
        remove_with_references(table, account, [each for each in gone if each.revision < before])
        return
    remove_with_references(table, account, gone)
    # What refers to it, and a parked index entry.
    rest = table.all(Query(keys.memory_partition(account, memory_id)))
    table.delete_many(keys.Key(item["pk"], item["sk"]) for item in rest)


def list_revisions(table: Table, account: str, memory_id: str) -> list[Memory]:
    """Every revision that is there, oldest first."""
    pk = keys.memory_partition(account, memory_id)
    return [decode(Memory, item) for item in table.all(Query(pk, prefix="REV#"))]


def remove_with_references(
    table: Table, account: str, revisions: Iterable[Memory], keeping: Collection[keys.Key] = ()
) -> None:
    """Remove those revisions, each in one transaction with its review and its marks.

    The marks `keeping` stay, for whoever still has to find something by them.
    """
    for each in revisions:
        marks = [
            mark
            for mark in incoming_references.reference_keys(account, each)
            if mark not in keeping
        ]
        table.transact([delete(key) for key in (*content_keys(account, each), *marks)])


def remove_content(table: Table, account: str, revisions: Iterable[Memory]) -> None:
    """Remove those revisions and their reviews; the marks of what they refer to stay."""
    table.delete_many(key for each in revisions for key in content_keys(account, each))


def content_keys(account: str, memory: Memory) -> tuple[keys.Key, keys.Key]:
    """Where a revision is, and the judgment of it."""
    number = memory.revision
    return keys.revision(account, memory.id, number), keys.review(account, memory.id, number)


def cited_places(known: Iterable[Memory]) -> tuple[Citation, ...]:
    """Where the memory ever came from, the newest last; the newest, if there are very many."""
    every = dict.fromkeys(citation for memory in known for citation in memory.evidence)
    return tuple(every)[-MAX_PLACES:]
