"""The one way a memory changes: head, revision, log record, event and citations together.

Every change takes the account's next change number under a condition, so that the vector log
and the event feed are one order without gaps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.item_codec import encode
from strandline.memories import index_placement, tombstones
from strandline.memories.tombstones import ExpiredDeletion, Expiry, Removal
from strandline.models.event import EventType
from strandline.models.index_entry import IndexEntry, SessionRemoved
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import (
    NEW_STATUS,
    GivenReview,
    MemoryStatus,
    Review,
    is_recallable,
)
from strandline.store.accounts import events, profiles
from strandline.store.memories import head_writes, incoming_references, vector_log
from strandline.store.memories.memory_heads import head_item
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, put, put_new

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A memory's next revision, or its first when `before` is None, and how it stands."""

    memory: Memory
    entry: IndexEntry
    before: Head | None = None
    changed: tuple[str, ...] = ()
    status: MemoryStatus = NEW_STATUS


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A memory whose words stay, and what is thought of it now.

    `entry` is its index entry, needed where recall gains or loses it.
    """

    before: Head
    status: MemoryStatus
    changed: tuple[str, ...]
    entry: IndexEntry | None = None


@dataclass(frozen=True, slots=True)
class SessionRemoval:
    """A session's end: all that rests on it alone leaves recall with this one record."""

    session_id: str


Change = NewRevision | StatusChange | Removal | Expiry | ExpiredDeletion | SessionRemoval


def apply_changes(
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
            writes.append(profiles.counter_write(account, before, before + len(changes)))
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
    if isinstance(change, StatusChange):
        return _restanding(account, change, number, at)
    if isinstance(change, Removal | Expiry | ExpiredDeletion):
        return tombstones.end_writes(account, change, number, at)
    return [
        vector_log.record_write(account, SessionRemoved(number, change.session_id), at),
        events.change_event_write(
            account, number, EventType.SESSION_DELETED, at, session_id=change.session_id
        ),
    ]


def _revision(account: str, change: NewRevision, number: int, at: datetime) -> list[Write]:
    memory, before = change.memory, change.before
    kind = EventType.UPDATED if before else EventType.CREATED
    shown = is_recallable(memory, change.status)
    log_change, moved = index_placement.placement_writes(
        account, before, change.entry, shown, number, at
    )
    head = Head(memory=memory, status=change.status, change=number, log_change=log_change)
    writes = [
        head_writes.put_head(account, before, memory.id, head_item(head)),
        put_new(keys.revision(account, memory.id, memory.revision), encode(memory)),
        *moved,
        *index_placement.lookup_mark_writes(account, before, memory, change.status),
        events.memory_event_write(account, number, kind, at, memory, change.changed),
        *incoming_references.reference_writes(account, memory),
    ]
    if before is None:
        writes.append(put_new(keys.memory_usage(account, memory.id), {"access_count": 0}))
    known = before.memory.evidence if before else ()
    return writes + incoming_references.citation_writes(account, memory.id, memory.evidence, known)


def _restanding(account: str, change: StatusChange, number: int, at: datetime) -> list[Write]:
    before, memory, status = change.before, change.before.memory, change.status
    shown = is_recallable(memory, status)
    entry = change.entry if shown != before.recallable else None
    log_change, moved = index_placement.placement_writes(account, before, entry, shown, number, at)
    head = Head(memory=memory, status=status, change=number, log_change=log_change)
    writes = [
        head_writes.put_head(account, before, memory.id, head_item(head)),
        *moved,
        *index_placement.lookup_mark_writes(account, before, memory, status),
        events.memory_event_write(account, number, EventType.UPDATED, at, memory, change.changed),
    ]
    if status.reviewed != before.status.reviewed:
        writes.append(_reviewing(account, memory.id, before.status.reviewed, status, at))
    return writes


def _reviewing(
    account: str, memory_id: str, was: GivenReview | None, status: MemoryStatus, at: datetime
) -> Write:
    """The judgment, beside the revision it was given on; one that was taken back says so."""
    judged = status.reviewed
    if judged is None:
        revision = was.revision if was else 0
        judged = GivenReview(revision=revision, review=Review.UNREVIEWED, at=at)
    return put(keys.review(account, memory_id, judged.revision), encode(judged))
