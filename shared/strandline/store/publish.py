"""The one way a memory changes: head, revision, log record, event and citations together.

Every change takes the account's next change number under a condition, so that the vector log
and the event feed are one order without gaps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import StorageBusy
from strandline.models.event import Event, EventType
from strandline.models.memory import Citation, Memory
from strandline.recall.entry import IndexEntry, SessionGone
from strandline.store import events, profiles, vectors
from strandline.store.memories import Head, Tombstone, forgotten_item, head_item
from strandline.table import ConditionFailed, Item, Table, Write, delete, encode, put, put_new

_ATTEMPTS = 10


class HeadMoved(Exception):
    """A memory was changed by someone else since it was read."""


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A memory's next revision, or its first when `before` is None."""

    memory: Memory
    entry: IndexEntry
    before: Head | None = None
    changed: tuple[str, ...] = ()


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


Change = NewRevision | Removal | SessionRemoval


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
        for number, change in enumerate(changes, start=before + 1):
            writes += _writes(account, change, number, at)
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


def _writes(account: str, change: Change, number: int, at: datetime) -> list[Write]:
    if isinstance(change, NewRevision):
        return _revision(account, change, number, at)
    if isinstance(change, Removal):
        return _removal(account, change, number, at)
    return [
        vectors.publishing(account, SessionGone(number, change.session_id), at),
        _event(account, number, EventType.SESSION_DELETED, at, session_id=change.session_id),
    ]


def _revision(account: str, change: NewRevision, number: int, at: datetime) -> list[Write]:
    memory, before = change.memory, change.before
    kind = EventType.UPDATED if before else EventType.CREATED
    writes = [
        _put_head(account, before, memory.id, head_item(Head(memory=memory, log_change=number))),
        put_new(keys.revision(account, memory.id, memory.revision), encode(memory)),
        vectors.publishing(account, replace(change.entry, change=number), at),
        _event(
            account,
            number,
            kind,
            at,
            memory_id=memory.id,
            revision=memory.revision,
            changed=change.changed,
        ),
    ]
    if before is None:
        writes.append(put_new(keys.use(account, memory.id), {"access_count": 0}))
    else:
        writes.append(vectors.removing(account, before.log_change))
    known = before.memory.evidence if before else ()
    return writes + _citing(account, memory.id, memory.evidence, known)


def _removal(account: str, change: Removal, number: int, at: datetime) -> list[Write]:
    head = change.head
    tombstone = Tombstone(
        id=head.memory.id,
        revision=head.memory.revision,
        log_change=number,
        deleted_at=at,
        evidence=change.places,
    )
    return [
        _put_head(account, head, head.memory.id, encode(tombstone)),
        vectors.publishing(account, IndexEntry(number, head.memory.id, eligible=False), at),
        vectors.removing(account, head.log_change),
        _event(
            account,
            number,
            EventType.DELETED,
            at,
            memory_id=head.memory.id,
            revision=head.memory.revision,
        ),
        delete(keys.use(account, head.memory.id)),
        *_forgetting(account, change, at),
    ]


def _forgetting(account: str, change: Removal, at: datetime) -> list[Write]:
    prints = dict.fromkeys(change.head.memory.fingerprints if change.forget else ())
    return [put(keys.forgotten(account, each), forgotten_item(at)) for each in prints]


def _event(account: str, number: int, kind: EventType, at: datetime, **what: Any) -> Write:
    return events.publishing(account, Event(change=number, type=kind, created_at=at, **what))


def _put_head(account: str, before: Head | None, memory_id: str, item: Item) -> Write:
    key = keys.memory(account, memory_id)
    if before is None:
        return put_new(key, item)
    return put(
        key,
        item,
        # The log's number moves with every change, so it names exactly what was read.
        condition="log_change = :seen",
        values={":seen": before.log_change},
    )


def _citing(
    account: str, memory_id: str, evidence: Iterable[Citation], known: Iterable[Citation]
) -> list[Write]:
    """One mark for each turn that is new among the memory's grounds."""
    marked = {citation.turn_id for citation in known}
    new = dict.fromkeys(c.turn_id for c in evidence if c.turn_id not in marked)
    return [
        put(
            keys.citation(account, *ids.parse_turn_id(turn_id), memory_id), {"memory_id": memory_id}
        )
        for turn_id in new
    ]
