"""The one way a memory changes: head, revision, log record, event and citations together.

Every change takes the account's next change number under a condition, so that the vector log
and the event feed are one order without gaps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from strandline import keys
from strandline.errors import StorageBusy
from strandline.models.event import Event, EventType
from strandline.models.memory import Citation, Memory
from strandline.models.standing import NEW, Review, Reviewed, Standing, recallable
from strandline.recall.entry import IndexEntry, SessionGone
from strandline.store import events, indexing, links, profiles, vectors
from strandline.store.memories import Head, HeadMoved, Tombstone, forgotten_item, head_item
from strandline.table import ConditionFailed, Item, Table, Write, delete, encode, put, put_new

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A memory's next revision, or its first when `before` is None, and how it stands."""

    memory: Memory
    entry: IndexEntry
    before: Head | None = None
    changed: tuple[str, ...] = ()
    standing: Standing = NEW


@dataclass(frozen=True, slots=True)
class Restanding:
    """A memory whose words stay, and what is thought of it now.

    `entry` is its index entry, needed where recall gains or loses it.
    """

    before: Head
    standing: Standing
    changed: tuple[str, ...]
    entry: IndexEntry | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """A memory's end.

    With `forget`, what stays (fingerprints, and the `places` it ever came from, never words)
    keeps the statement from being learned again.
    """

    head: Head
    forget: bool
    places: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionRemoval:
    """A session's end: all that rests on it alone leaves recall with this one record."""

    session_id: str


Change = NewRevision | Restanding | Removal | SessionRemoval


def publish(
    table: Table,
    account: str,
    changes: Sequence[Change],
    at: datetime,
    also: Sequence[Write] = (),
) -> None:
    """Make all these changes, and `also` those writes, in one transaction.

    Raises HeadMoved when a memory was changed since it was read, and ConditionFailed, with
    indices into `also`, when a precondition of those does not hold.
    """
    for _ in range(_ATTEMPTS):
        before = profiles.change_counter(table, account)
        writes = [*also]
        if changes:
            writes.append(profiles.count_to(account, before, before + len(changes)))
        writes += _all_writes(account, changes, before, at)
        if not writes:
            return
        try:
            table.transact(writes)
            return
        except ConditionFailed as failure:
            of_extra = [index for index in failure.failed if index < len(also)]
            if of_extra:
                raise ConditionFailed(of_extra) from None
            if len(also) not in failure.failed:
                raise HeadMoved from None
    raise StorageBusy


def count_writes(account: str, changes: Sequence[Change], at: datetime) -> int:
    """How many operations of a transaction these changes take, their number included."""
    return len(_all_writes(account, changes, 0, at)) + 1


def _all_writes(account: str, changes: Sequence[Change], before: int, at: datetime) -> list[Write]:
    of_changes: list[Write] = []
    for number, change in enumerate(changes, start=before + 1):
        of_changes += _writes(account, change, number, at)
    return _without_double_checks(of_changes)


def _without_double_checks(writes: Sequence[Write]) -> list[Write]:
    """A transaction takes one operation for an item: what is written needs no other check."""
    taken = {write.key for write in writes if write.action != "ConditionCheck"}
    kept = []
    for write in writes:
        if write.action == "ConditionCheck":
            if write.key in taken:
                continue
            taken.add(write.key)
        kept.append(write)
    return kept


def _writes(account: str, change: Change, number: int, at: datetime) -> list[Write]:
    if isinstance(change, NewRevision):
        return _revision(account, change, number, at)
    if isinstance(change, Restanding):
        return _restanding(account, change, number, at)
    if isinstance(change, Removal):
        return _removal(account, change, number, at)
    return [
        vectors.publishing(account, SessionGone(number, change.session_id), at),
        _event(account, number, EventType.SESSION_DELETED, at, session_id=change.session_id),
    ]


def _revision(account: str, change: NewRevision, number: int, at: datetime) -> list[Write]:
    memory, before = change.memory, change.before
    kind = EventType.UPDATED if before else EventType.CREATED
    shown = recallable(memory, change.standing)
    log_change, moved = indexing.moving(account, before, change.entry, shown, number, at)
    head = Head(memory=memory, standing=change.standing, change=number, log_change=log_change)
    writes = [
        _put_head(account, before, memory.id, head_item(head)),
        put_new(keys.revision(account, memory.id, memory.revision), encode(memory)),
        *moved,
        *indexing.marking(account, before, memory, shown),
        _event_of(account, number, kind, at, memory, change.changed),
        *links.referring(account, memory),
    ]
    if before is None:
        writes.append(put_new(keys.use(account, memory.id), {"access_count": 0}))
    known = before.memory.evidence if before else ()
    return writes + links.citing(account, memory.id, memory.evidence, known)


def _restanding(account: str, change: Restanding, number: int, at: datetime) -> list[Write]:
    before, memory, standing = change.before, change.before.memory, change.standing
    shown = recallable(memory, standing)
    entry = change.entry if shown != before.recallable else None
    log_change, moved = indexing.moving(account, before, entry, shown, number, at)
    head = Head(memory=memory, standing=standing, change=number, log_change=log_change)
    writes = [
        _put_head(account, before, memory.id, head_item(head)),
        *moved,
        *indexing.marking(account, before, memory, shown),
        _event_of(account, number, EventType.UPDATED, at, memory, change.changed),
    ]
    if standing.reviewed != before.standing.reviewed:
        writes.append(_reviewing(account, memory.id, before.standing.reviewed, standing, at))
    return writes


def _reviewing(
    account: str, memory_id: str, was: Reviewed | None, standing: Standing, at: datetime
) -> Write:
    """The judgment, beside the revision it was given on; one that was taken back says so."""
    judged = standing.reviewed
    if judged is None:
        revision = was.revision if was else 0
        judged = Reviewed(revision=revision, review=Review.UNREVIEWED, at=at)
    return put(keys.review(account, memory_id, judged.revision), encode(judged))


def _removal(account: str, change: Removal, number: int, at: datetime) -> list[Write]:
    head = change.head
    tombstone = Tombstone(
        id=head.memory.id,
        revision=head.memory.revision,
        log_change=number,
        deleted_at=at,
        evidence=change.places,
    )
    writes = [
        _put_head(account, head, head.memory.id, encode(tombstone)),
        vectors.publishing(account, IndexEntry(number, head.memory.id, eligible=False), at),
        delete(keys.parked(account, head.memory.id)),
        *indexing.marking(account, head, None, shown=False),
        _event_of(account, number, EventType.DELETED, at, head.memory),
        delete(keys.use(account, head.memory.id)),
        *_forgetting(account, change, at),
    ]
    if head.log_change:
        writes.append(vectors.removing(account, head.log_change))
    return writes


def _forgetting(account: str, change: Removal, at: datetime) -> list[Write]:
    prints = dict.fromkeys(change.head.memory.fingerprints if change.forget else ())
    return [put(keys.forgotten(account, each), forgotten_item(at)) for each in prints]


def _event(account: str, number: int, kind: EventType, at: datetime, **what: Any) -> Write:
    return events.publishing(account, Event(change=number, type=kind, created_at=at, **what))


def _event_of(
    account: str,
    number: int,
    kind: EventType,
    at: datetime,
    memory: Memory,
    changed: tuple[str, ...] = (),
) -> Write:
    what = {"memory_id": memory.id, "revision": memory.revision, "changed": changed}
    return _event(account, number, kind, at, **what)


def _put_head(account: str, before: Head | None, memory_id: str, item: Item) -> Write:
    key = keys.memory(account, memory_id)
    if before is None:
        return put_new(key, item)
    return put(
        key,
        item,
        # The number moves with every change, so it names exactly what was read.
        condition="#change = :seen",
        names={"#change": "change"},
        values={":seen": before.change},
    )
