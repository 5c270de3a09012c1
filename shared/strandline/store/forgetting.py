"""Forgetting a memory: its words go, what keeps it from being learned again stays."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.models.memory import Citation, Memory
from strandline.store import contests, links, memories
from strandline.store.endings import Forgetting, Removal
from strandline.store.memories import Head, HeadMoved, Tombstone
from strandline.store.publish import Change, publish
from strandline.table import ConditionFailed, Table, Write, decode, delete

_ATTEMPTS = 10
_WRITES_BESIDE = 50
_WRITES_OF_ONE = 6
MAX_PLACES = 64


def tombstone(
    table: Table, account: str, memory_id: str, at: datetime, also: Sequence[Write] = ()
) -> bool:
    """Take a memory's words away, with `also`; whether this call did. Raises NotFound.

    What it had retracted stands again in the same transaction.
    Head and revisions go in one transaction; what that doesn't take `forget_revisions` finishes.
    """
    for _ in range(_ATTEMPTS):
        found = memories.find(table, account, memory_id)
        if isinstance(found, Tombstone) and not found.expired:
            return False
        try:
            changes, beside = _forgetting(table, account, found, also)
            publish(table, account, changes, at, beside)
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
        return [Forgetting(found)], [*also]
    known = history(table, account, found.memory.id)
    removal = Removal(found, forget=True, places=places([*known, found.memory]))
    others, checks = contests.freed(table, account, found)
    room = _WRITES_BESIDE - _WRITES_OF_ONE * len(others) - len(checks)
    return [removal, *others], [*also, *checks, *_with_it(account, known, room)]


def _with_it(account: str, known: Iterable[Memory], room: int) -> list[Write]:
    """Revisions, each with the marks by which it is found, as many as go into the transaction."""
    gone: list[Write] = []
    for each in known:
        marks = [delete(mark) for mark in links.marks_of(account, each)]
        if len(gone) + len(marks) >= room:
            break
        gone += [*marks, delete(keys.revision(account, each.id, each.revision))]
    return gone


def forget_revisions(
    table: Table, account: str, memory_id: str, *, before: int | None = None
) -> None:
    """Remove all of a memory's history, or only the revisions before one."""
    gone = history(table, account, memory_id)
    if before is not None:
        remove(table, account, [each for each in gone if each.revision < before])
        return
    remove(table, account, gone)
    # What refers to it, and a parked index entry.
    rest = table.all(keys.memory_partition(account, memory_id))
    table.delete_many(keys.Key(item["pk"], item["sk"]) for item in rest)


def history(table: Table, account: str, memory_id: str) -> list[Memory]:
    """Every revision that is there, oldest first."""
    pk = keys.memory_partition(account, memory_id)
    return [decode(Memory, item) for item in table.all(pk, prefix="REV#")]


def remove(
    table: Table, account: str, revisions: Iterable[Memory], keeping: Collection[keys.Key] = ()
) -> None:
    """Remove those revisions, each in one transaction with its review and its marks.

    The marks `keeping` stay, for whoever still has to find something by them.
    """
    for each in revisions:
        marks = [mark for mark in links.marks_of(account, each) if mark not in keeping]
        table.transact([delete(key) for key in (*words_of(account, each), *marks)])


def remove_words(table: Table, account: str, revisions: Iterable[Memory]) -> None:
    """Remove those revisions and their reviews; the marks of what they refer to stay."""
    table.delete_many(key for each in revisions for key in words_of(account, each))


def words_of(account: str, memory: Memory) -> tuple[keys.Key, keys.Key]:
    """Where a revision is, and the judgment of it."""
    number = memory.revision
    return keys.revision(account, memory.id, number), keys.review(account, memory.id, number)


def places(known: Iterable[Memory]) -> tuple[Citation, ...]:
    """Where the memory ever came from, the newest last; the newest, if there are very many."""
    every = dict.fromkeys(citation for memory in known for citation in memory.evidence)
    return tuple(every)[-MAX_PLACES:]
