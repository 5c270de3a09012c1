"""Sessions, and the markers of which space each belongs to."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import Conflict, NotFound
from strandline.item_codec import decode, encode
from strandline.models.base import rfc3339
from strandline.models.checkpoint import MAIN
from strandline.models.session import Session
from strandline.queries import Query
from strandline.store.conversations.spaces import EXISTS
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.store.patch import patch_write
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, check, delete, put, put_new, update

PREFIX = "SESSION#"


def create(table: Table, account: str, session: Session, also: Sequence[Write] = ()) -> Session:
    """Stores a new session, with the writes of `also`, and returns it.

    Raises NotFound when its space doesn't exist, ConditionFailed for any other precondition.
    """
    session = session.model_copy(update={"title_source": _title_source(session.title)})
    writes = [put_new(keys.session(account, session.id), encode(session))]
    if session.space_id is not None:
        writes += _join_space_writes(account, session.id, session.space_id)
    try:
        table.transact([*writes, *also])
    except ConditionFailed as failure:
        if session.space_id and 1 in failure.failed:
            raise NotFound("There is no such space here.") from None
        raise
    return session


def get(table: Table, account: str, session_id: str) -> Session:
    """Returns the account's session.

    Raises NotFound when it is missing, deleted or another account's.
    """
    return session_from_item(table.get(keys.session(account, ids.checked_id("ses", session_id))))


def session_from_item(item: Item | None) -> Session:
    """Returns the session in an item. Raises NotFound when there is no item or it is deleted."""
    if item is None or "deleted_at" in item:
        raise NotFound
    return decode(Session, item)


def page(
    table: Table, account: str, request: PageRequest, space_id: str | None
) -> ListPage[Session]:
    """Returns a page of the account's sessions, or of a space's, newest first."""

    def keep(item: Item) -> Session | None:
        in_other_space = space_id is not None and item.get("space_id") != space_id
        if "deleted_at" in item or in_other_space:
            return None
        return decode(Session, item)

    query = Query(keys.account_part(account), prefix=PREFIX, newest_first=True)
    return read_page(table, query, request, keep)


def session_ids_of_space(table: Table, account: str, space_id: str) -> frozenset[str]:
    """Returns the ids of the sessions that belong to a space now."""
    partition = keys.space_member(account, space_id, "").pk
    found = table.all(Query(partition, prefix=PREFIX))
    return frozenset(item["sk"].removeprefix(PREFIX) for item in found)


def mount(
    table: Table, account: str, session: Session, checkpoint_id: str, at: datetime
) -> Session:
    """Mounts a checkpoint of the session's space; returns the changed session.

    The history boundary is the session's last sequence number. Raises ConditionFailed when the
    session has changed since it was read, for example by a message.
    """
    operation = update(
        keys.session(account, session.id),
        "SET mount = :mount, updated_at = :now",
        condition=f"{EXISTS} AND space_id = :space AND last_sequence_number = :seen",
        values={
            ":mount": {
                "checkpoint_id": checkpoint_id,
                "history_base_seq": session.last_sequence_number,
            },
            ":space": session.space_id,
            ":seen": session.last_sequence_number,
            ":now": rfc3339(at),
        },
    )
    return decode(Session, table.write(operation))


def unmount(table: Table, account: str, session_id: str, at: datetime) -> Session:
    """Removes the mount of a session and returns the session; idempotent. Raises NotFound."""
    operation = update(
        keys.session(account, ids.checked_id("ses", session_id)),
        "SET updated_at = :now REMOVE mount",
        condition=EXISTS,
        values={":now": rfc3339(at)},
    )
    try:
        return decode(Session, table.write(operation))
    except ConditionFailed:
        raise NotFound from None


def change(
    table: Table, account: str, session: Session, fields: Mapping[str, Any], at: datetime
) -> Session:
    """Changes a session's title, space, provider or model; returns the changed session.

    Raises NotFound when the session or the new space is gone, Conflict when the session was
    moved to another space concurrently.
    """
    moves = "space_id" in fields and fields["space_id"] != session.space_id
    writes = [_session_write(account, session, fields, at, moves=moves)]
    if moves:
        writes += _membership_writes(account, session, fields["space_id"])
    try:
        table.transact(writes)
    except ConditionFailed as failure:
        if failure.failed == {0}:
            get(table, account, session.id)
            raise Conflict from None
        raise NotFound("There is no such space here.") from None
    return get(table, account, session.id)


def reserve_sequence_numbers(table: Table, account: str, session_id: str, at: datetime) -> int:
    """Reserves two sequence numbers, for a question and its answer; returns the first.

    Raises NotFound when the session is gone.
    """
    operation = update(
        keys.session(account, session_id),
        "SET updated_at = :now ADD last_sequence_number :two",
        condition=EXISTS,
        values={":two": 2, ":now": rfc3339(at)},
    )
    try:
        return int(table.write(operation)["last_sequence_number"]) - 1
    except ConditionFailed:
        raise NotFound from None


def exists_check(account: str, session_id: str) -> Write:
    """Returns the check that a session exists and isn't deleted, for every write into it."""
    return check(keys.session(account, session_id), EXISTS)


def _session_write(
    account: str, session: Session, fields: Mapping[str, Any], at: datetime, *, moves: bool
) -> Write:
    """Returns the session's own write; a move requires the space that was read."""
    key = keys.session(account, session.id)
    changed = {**fields, "updated_at": rfc3339(at)}
    if "title" in fields:
        changed["title_source"] = _title_source(fields["title"])
    if not moves:
        return patch_write(key, changed, condition=EXISTS)
    # A checkpoint of the old space means nothing in the new one.
    changed |= {"mount": None, "branch": MAIN}
    if session.space_id is None:
        return patch_write(key, changed, condition=f"{EXISTS} AND attribute_not_exists(space_id)")
    return patch_write(
        key,
        changed,
        condition=f"{EXISTS} AND space_id = :space",
        values={":space": session.space_id},
    )


def _title_source(title: str | None) -> str | None:
    return "user" if title is not None else None


def _membership_writes(account: str, session: Session, space_id: str | None) -> list[Write]:
    writes = _join_space_writes(account, session.id, space_id) if space_id is not None else []
    if session.space_id:
        writes.append(delete(keys.space_member(account, session.space_id, session.id)))
    return writes


def _join_space_writes(account: str, session_id: str, space_id: str) -> list[Write]:
    space_key = keys.space(account, ids.checked_id("spc", space_id))
    return [
        check(space_key, EXISTS),
        put(keys.space_member(account, space_id, session_id), {"session_id": session_id}),
    ]
