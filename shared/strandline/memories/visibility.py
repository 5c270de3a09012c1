"""Hiding deleted sessions at once: their markers, and memories without what they cite of them."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from strandline import ids, keys
from strandline.errors import ContentDeleted, NotFound
from strandline.memories.transaction import SessionRemoval, apply_changes
from strandline.models.base import rfc3339
from strandline.models.memory import Memory
from strandline.models.memory_filter import MemoryFilter
from strandline.models.memory_head import Head
from strandline.queries import Query
from strandline.store.conversations.spaces import EXISTS
from strandline.store.memories import memory_heads
from strandline.store.pagination import ListPage, PageRequest
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, put, update


def sessions_being_deleted(table: Table, account: str) -> frozenset[str]:
    """Returns the ids of deleted sessions whose erasure isn't finished."""
    first = keys.deletion_mark(account, "")
    return frozenset(i["sk"].removeprefix(first.sk) for i in table.all(Query.of_prefix(first)))


TurnPredicate = Callable[[str], bool]
"""Whether the turn with an id is deleted."""


def visible_memory(memory: Memory, deleted_sessions: frozenset[str]) -> Memory | None:
    """Returns the memory without citations of deleted sessions; None if no turn supports it."""
    if not deleted_sessions:
        return memory
    return without_turns(memory, turns_of_sessions(deleted_sessions))


def turns_of_sessions(session_ids: Collection[str]) -> TurnPredicate:
    """Returns the predicate that a turn belongs to one of the sessions."""
    return lambda turn_id: ids.parse_turn_id(turn_id)[0] in session_ids


def without_turns(memory: Memory, deleted: TurnPredicate) -> Memory | None:
    """Returns the memory without citations of deleted turns; None if no other turn supports it."""
    kept = tuple(each for each in memory.evidence if not deleted(each.turn_id))
    inherited = tuple(each for each in memory.inherited if not deleted(each.turn_id))
    # Its own evidence supports its words. Without any, the turns of its references do.
    if not (kept if memory.evidence else inherited):
        return None
    return memory.model_copy(update={"evidence": kept, "inherited": inherited})


def visible_head(head: Head, deleted_sessions: frozenset[str]) -> Head | None:
    """Returns the head without citations of deleted sessions; None if no turn supports it."""
    memory = visible_memory(head.memory, deleted_sessions)
    return head.model_copy(update={"memory": memory}) if memory is not None else None


def hide_sessions(
    table: Table, account: str, session_ids: Sequence[str], at: datetime, also: Sequence[Write]
) -> None:
    """Hides sessions and the memories that only they support, with the writes of `also`.

    All of it is one transaction. Raises NotFound when a session is gone or hidden already.
    """
    markers = [
        deletion_mark_write(keys.session(account, session_id), at) for session_id in session_ids
    ]
    markers += [put(keys.deletion_mark(account, session_id), {}) for session_id in session_ids]
    removals = [SessionRemoval(session_id) for session_id in session_ids]
    try:
        apply_changes(table, account, removals, at, also=[*markers, *also])
    except ConditionFailed:
        raise NotFound from None


def get_visible_part(table: Table, account: str, memory_id: str, at: datetime) -> Head:
    """Returns a memory's head without citations of sessions that are being deleted.

    Raises NotFound, ContentExpired; ContentDeleted, also when deleted sessions alone support it.
    """
    head = memory_heads.get(table, account, memory_id)
    visible = visible_head(head, sessions_being_deleted(table, account))
    if visible is None:
        raise ContentDeleted(at)
    return visible


def page(table: Table, account: str, wanted: MemoryFilter, request: PageRequest) -> ListPage[Head]:
    """Returns a page of the memories that match the filter, newest first.

    Each is without citations of sessions that are being deleted.
    """
    deleting = sessions_being_deleted(table, account)

    def matching(head: Head) -> Head | None:
        visible = visible_head(head, deleting)
        return visible if visible is not None and wanted.matches(visible) else None

    return memory_heads.page(table, account, request, matching)


def get_visible_head(table: Table, account: str, memory_id: str, at: datetime) -> Head:
    """Returns a memory's head, with all its citations.

    Raises NotFound, ContentExpired; ContentDeleted, also when deleted sessions alone support it.
    """
    head = memory_heads.get(table, account, memory_id)
    if visible_head(head, sessions_being_deleted(table, account)) is None:
        raise ContentDeleted(at)
    return head


def deletion_mark_write(key: keys.Key, at: datetime) -> Write:
    """Returns the write that marks a session or a space deleted; it requires that it exists."""
    return update(key, "SET deleted_at = :now", condition=EXISTS, values={":now": rfc3339(at)})
