"""What a deletion hides at once: the marks that take a session out of every list and read."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from strandline import ids, keys
from strandline.errors import ContentDeleted, NotFound
from strandline.memories.transaction import SessionRemoval, apply_changes
from strandline.models.base import rfc3339
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.queries import Query
from strandline.store.conversations.spaces import EXISTS
from strandline.store.memories import memory_heads
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, put, update


def sessions_being_deleted(table: Table, account: str) -> frozenset[str]:
    """The sessions that are deleted and whose traces are still being removed."""
    first = keys.deletion_mark(account, "")
    return frozenset(i["sk"].removeprefix(first.sk) for i in table.all(Query.of_prefix(first)))


TurnPredicate = Callable[[str], bool]
"""Whether the turn of that id is gone."""


def visible_memory(memory: Memory, erased: frozenset[str]) -> Memory | None:
    """The memory without what rests on erased sessions; None when nothing is left of it."""
    return without_turns(memory, turns_of_sessions(erased)) if erased else memory


def turns_of_sessions(erased: Collection[str]) -> TurnPredicate:
    """Whether a turn is of one of these sessions."""
    return lambda turn_id: ids.parse_turn_id(turn_id)[0] in erased


def without_turns(memory: Memory, gone: TurnPredicate) -> Memory | None:
    """The memory without what rests on turns that are gone; None when nothing is left of it."""
    kept = tuple(each for each in memory.evidence if not gone(each.turn_id))
    through = tuple(each for each in memory.inherited if not gone(each.turn_id))
    # Its words rest on its own evidence; without any, on what it refers to.
    if not (kept if memory.evidence else through):
        return None
    return memory.model_copy(update={"evidence": kept, "inherited": through})


def visible_head(head: Head, erased: frozenset[str]) -> Head | None:
    """The head without what rests on erased sessions; None when nothing is left of it."""
    memory = visible_memory(head.memory, erased)
    return head.model_copy(update={"memory": memory}) if memory is not None else None


def hide_sessions(
    table: Table, account: str, session_ids: Sequence[str], at: datetime, also: Sequence[Write]
) -> None:
    """Hide these sessions and what rests on them alone, with `also`, or nothing of it.

    Raises NotFound when one of them is gone or hidden already.
    """
    marks = [
        deletion_mark_write(keys.session(account, session_id), at) for session_id in session_ids
    ]
    marks += [put(keys.deletion_mark(account, session_id), {}) for session_id in session_ids]
    gone = [SessionRemoval(session_id) for session_id in session_ids]
    try:
        apply_changes(table, account, gone, at, also=[*marks, *also])
    except ConditionFailed:
        raise NotFound from None


def get_visible_head(table: Table, account: str, memory_id: str, at: datetime) -> Head:
    """The memory as it is now, whole.

    Raises NotFound, or ContentDeleted, also when all that it rests on is being erased.
    """
    head = memory_heads.get(table, account, memory_id)
    if visible_head(head, sessions_being_deleted(table, account)) is None:
        raise ContentDeleted(at)
    return head


def deletion_mark_write(key: keys.Key, at: datetime) -> Write:
    """The write that marks a session or a space deleted, if it is there."""
    return update(key, "SET deleted_at = :now", condition=EXISTS, values={":now": rfc3339(at)})
