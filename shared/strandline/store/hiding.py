"""What a deletion hides at once: the marks that take a session out of every list and read."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from strandline import ids, keys
from strandline.errors import ContentDeleted, NotFound
from strandline.models.base import rfc3339
from strandline.models.memory import Memory
from strandline.store import memories
from strandline.store.memories import Head
from strandline.store.publish import SessionRemoval, publish
from strandline.store.spaces import IS_THERE
from strandline.table import ConditionFailed, Table, Write, put, update


def being_erased(table: Table, account: str) -> frozenset[str]:
    """The sessions that are deleted and whose traces are still being removed."""
    first = keys.deleting(account, "")
    return frozenset(i["sk"].removeprefix(first.sk) for i in table.all(first.pk, prefix=first.sk))


Gone = Callable[[str], bool]
"""Whether the turn of that id is gone."""


def visible(memory: Memory, erased: frozenset[str]) -> Memory | None:
    """The memory without what rests on erased sessions; None when nothing is left of it."""
    return without(memory, of_sessions(erased)) if erased else memory


def of_sessions(erased: Collection[str]) -> Gone:
    """Whether a turn is of one of these sessions."""
    return lambda turn_id: ids.parse_turn_id(turn_id)[0] in erased


def without(memory: Memory, gone: Gone) -> Memory | None:
    """The memory without what rests on turns that are gone; None when nothing is left of it."""
    kept = tuple(each for each in memory.evidence if not gone(each.turn_id))
    through = tuple(each for each in memory.inherited if not gone(each.turn_id))
    # Its words rest on its own evidence; without any, on what it refers to.
    if not (kept if memory.evidence else through):
        return None
    return memory.model_copy(update={"evidence": kept, "inherited": through})


def visible_head(head: Head, erased: frozenset[str]) -> Head | None:
    """The head without what rests on erased sessions; None when nothing is left of it."""
    memory = visible(head.memory, erased)
    return head.model_copy(update={"memory": memory}) if memory is not None else None


def mark(
    table: Table, account: str, session_ids: Sequence[str], at: datetime, also: Sequence[Write]
) -> None:
    """Hide these sessions and what rests on them alone, with `also`, or nothing of it.

    Raises NotFound when one of them is gone or hidden already.
    """
    marks = [marking(keys.session(account, session_id), at) for session_id in session_ids]
    marks += [put(keys.deleting(account, session_id), {}) for session_id in session_ids]
    gone = [SessionRemoval(session_id) for session_id in session_ids]
    try:
        publish(table, account, gone, at, also=[*marks, *also])
    except ConditionFailed:
        raise NotFound from None


def readable(table: Table, account: str, memory_id: str, at: datetime) -> Head:
    """The memory as it is now, whole.

    Raises NotFound, or ContentDeleted, also when all that it rests on is being erased.
    """
    head = memories.get(table, account, memory_id)
    if visible_head(head, being_erased(table, account)) is None:
        raise ContentDeleted(at)
    return head


def marking(key: keys.Key, at: datetime) -> Write:
    """The write that marks a session or a space deleted, if it is there."""
    return update(key, "SET deleted_at = :now", condition=IS_THERE, values={":now": rfc3339(at)})
