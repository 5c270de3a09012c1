"""The transaction that changes memories: head, revision, log record, event and citations.

Every change takes the account's next change number by a conditional write. So the vector log and
the event feed have one order without gaps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.item_codec import encode
from strandline.memories import index_placement, tombstones
from strandline.memories.index_placement import EntryPlacement
from strandline.memories.tombstones import ExpiredDeletion, Expiry, Removal
from strandline.models.event import Event, EventType
from strandline.models.index_entry import IndexEntry, SessionRemoved
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import (
    NEW_STATUS,
    GivenReview,
    MemoryStatus,
    Review,
    is_recallable,
)
from strandline.store.accounts import events, profiles
from strandline.store.memories import incoming_references, memory_heads, vector_log
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, put, put_new

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A memory's next revision, or its first if `before` is None, and its new status."""

    memory: Memory
    entry: IndexEntry
    before: Head | None = None
    changed: tuple[str, ...] = ()
    status: MemoryStatus = NEW_STATUS


@dataclass(frozen=True, slots=True)
class StatusChange:
    """A memory's new status; its words stay.

    `entry` is its index entry, which is needed if the change makes it recallable or not.
    """

    before: Head
    status: MemoryStatus
    changed: tuple[str, ...]
    entry: IndexEntry | None = None


@dataclass(frozen=True, slots=True)
class SessionRemoval:
    """The removal of a session: one log record removes from recall what only it supports."""

    session_id: str


Change = NewRevision | StatusChange | Removal | Expiry | ExpiredDeletion | SessionRemoval


def apply_changes(
    table: Table,
    account: str,
    changes: Sequence[Change],
    at: datetime,
    also: Sequence[Write] = (),
) -> None:
    """Makes all the changes, with the writes of `also`, in one transaction.

    Raises HeadChanged when a memory has changed since it was read; ConditionFailed, with
    positions in `also`, when a precondition of those doesn't hold; StorageBusy when other changes
    keep taking the change number.
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
            failed_also = [index for index in failure.failed if index < len(also)]
            if failed_also:
                raise ConditionFailed(failed_also) from None
            if len(also) not in failure.failed:
                raise HeadChanged from None
    raise StorageBusy


def count_writes(account: str, changes: Sequence[Change], at: datetime) -> int:
    """Returns how many operations of a transaction the changes take, with the change counter's."""
    return len(_all_writes(account, changes, 0, at)) + 1


def _all_writes(account: str, changes: Sequence[Change], before: int, at: datetime) -> list[Write]:
    writes: list[Write] = []
    for number, change in enumerate(changes, start=before + 1):
        writes += _change_writes(account, change, number, at)
    return _without_duplicate_checks(writes)


def _without_duplicate_checks(writes: Sequence[Write]) -> list[Write]:
    """Removes checks of items that are written or checked already.

    DynamoDB takes one operation for each item of a transaction. Every write has its own condition.
    """
    taken = {write.key for write in writes if write.action != "ConditionCheck"}
    kept = []
    for write in writes:
        if write.action == "ConditionCheck":
            if write.key in taken:
                continue
            taken.add(write.key)
        kept.append(write)
    return kept


def _change_writes(account: str, change: Change, number: int, at: datetime) -> list[Write]:
    if isinstance(change, NewRevision):
        return _revision_writes(account, change, number, at)
    if isinstance(change, StatusChange):
        return _status_writes(account, change, number, at)
    if isinstance(change, Removal | Expiry | ExpiredDeletion):
        return tombstones.tombstone_writes(account, change, number, at)
    event = Event(
        change=number,
        type=EventType.SESSION_DELETED,
        created_at=at,
        session_id=change.session_id,
    )
    return [
        vector_log.record_write(account, SessionRemoved(number, change.session_id), at),
        events.event_write(account, event),
    ]


def _revision_writes(account: str, change: NewRevision, number: int, at: datetime) -> list[Write]:
    memory, before = change.memory, change.before
    kind = EventType.UPDATED if before else EventType.CREATED
    placement = EntryPlacement(before, change.entry, is_recallable(memory, change.status))
    log_change, entry_writes = index_placement.placement_writes(account, placement, number, at)
    head = Head(memory=memory, status=change.status, change=number, log_change=log_change)
    event = events.memory_event(number, kind, at, memory, change.changed)
    writes = [
        memory_heads.put_head_write(account, before, memory.id, memory_heads.head_item(head)),
        put_new(keys.revision(account, memory.id, memory.revision), encode(memory)),
        *entry_writes,
        *index_placement.lookup_marker_writes(account, before, memory, change.status),
        events.event_write(account, event),
        *incoming_references.reference_writes(account, memory),
    ]
    if before is None:
        writes.append(put_new(keys.memory_usage(account, memory.id), {"access_count": 0}))
    known = before.memory.evidence if before else ()
    return writes + incoming_references.citation_writes(account, memory.id, memory.evidence, known)


def _status_writes(account: str, change: StatusChange, number: int, at: datetime) -> list[Write]:
    before, memory, status = change.before, change.before.memory, change.status
    recallable = is_recallable(memory, status)
    entry = change.entry if recallable != before.recallable else None
    placement = EntryPlacement(before, entry, recallable)
    log_change, entry_writes = index_placement.placement_writes(account, placement, number, at)
    head = Head(memory=memory, status=status, change=number, log_change=log_change)
    event = events.memory_event(number, EventType.UPDATED, at, memory, change.changed)
    writes = [
        memory_heads.put_head_write(account, before, memory.id, memory_heads.head_item(head)),
        *entry_writes,
        *index_placement.lookup_marker_writes(account, before, memory, status),
        events.event_write(account, event),
    ]
    if status.reviewed != before.status.reviewed:
        writes.append(_review_write(account, memory.id, before.status.reviewed, status, at))
    return writes


def _review_write(
    account: str, memory_id: str, old: GivenReview | None, status: MemoryStatus, at: datetime
) -> Write:
    """Returns the write that stores the review of a revision; a withdrawn one as unreviewed."""
    review = status.reviewed
    if review is None:
        revision = old.revision if old else 0
        review = GivenReview(revision=revision, review=Review.UNREVIEWED, at=at)
    return put(keys.review(account, memory_id, review.revision), encode(review))
