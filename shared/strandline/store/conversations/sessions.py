"""Sessions, and the marks that say which space each belongs to."""

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
from strandline.store.pagination import ListPage, read_page
from strandline.store.patch import patch_write
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, check, delete, put, put_new, update

PREFIX = "SESSION#"
UNTITLED = f"{EXISTS} AND attribute_not_exists(title)"


def create(table: Table, account: str, session: Session, also: Sequence[Write] = ()) -> Session:
    """Store a new session. Raises NotFound when its space is not there, else ConditionFailed."""
    session = session.model_copy(update={"title_source": _source(session.title)})
    writes = [put_new(keys.session(account, session.id), encode(session))]
    if session.space_id is not None:
        writes += _joining(account, session.id, session.space_id)
    try:
        table.transact([*writes, *also])
    except ConditionFailed as failure:
        if session.space_id and 1 in failure.failed:
            raise NotFound("There is no such space here.") from None
        raise
    return session


def get(table: Table, account: str, session_id: str) -> Session:
    """The account's session. Raises NotFound for a missing, foreign or deleted one."""
    return session_from_item(table.get(keys.session(account, ids.checked_id("ses", session_id))))


def session_from_item(item: Item | None) -> Session:
    """The session in an item. Raises NotFound when there is none or it was deleted."""
    if item is None or "deleted_at" in item:
        raise NotFound
    return decode(Session, item)


def page(
    table: Table, account: str, limit: int, after: str | None, space_id: str | None
) -> ListPage[Session]:
    """The account's sessions (or those of a space), newest first."""

    def keep(item: Item) -> Session | None:
        elsewhere = space_id is not None and item.get("space_id") != space_id
        if "deleted_at" in item or elsewhere:
            return None
        return decode(Session, item)

    query = Query(keys.account_part(account), prefix=PREFIX, newest_first=True)
    return read_page(table, query, limit=limit, after=after, keep=keep)


def session_ids_of_space(table: Table, account: str, space_id: str) -> frozenset[str]:
    """The sessions that belong to a space now."""
    partition = keys.space_member(account, space_id, "").pk
    found = table.all(Query(partition, prefix=PREFIX))
    return frozenset(item["sk"].removeprefix(PREFIX) for item in found)


def mount(
    table: Table, account: str, session: Session, checkpoint_id: str, at: datetime
) -> Session:
    """Mount a checkpoint of the session's space, as the session was read.

    The boundary is the last number handed out. Raises ConditionFailed when the session was
    changed meanwhile, by a message say.
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
    """Mount nothing; again is fine. Raises NotFound."""
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
    """Change title, space, provider or model of a session as it was read.

    Raises NotFound when the session or the new space is gone, Conflict when someone else moved
    the session to another space in the meantime.
    """
    moves = "space_id" in fields and fields["space_id"] != session.space_id
    writes = [_changing(account, session, fields, at, moves=moves)]
    if moves:
        writes += _moving(account, session, fields["space_id"])
    try:
        table.transact(writes)
    except ConditionFailed as failure:
        if failure.failed == {0}:
            get(table, account, session.id)
            raise Conflict from None
        raise NotFound("There is no such space here.") from None
    return get(table, account, session.id)


def claim_title_attempt(table: Table, account: str, session_id: str) -> bool:
    """Take the one try at making a title; whether it was there to take."""
    operation = update(
        keys.session(account, session_id),
        "SET title_state = :tried",
        condition=f"{UNTITLED} AND attribute_not_exists(title_state)",
        values={":tried": "tried"},
    )
    return _holds(table, operation)


def set_generated_title(table: Table, account: str, session_id: str, title: str) -> bool:
    """Give a session the title that was made; False when it got one, or went, in the meantime."""
    operation = update(
        keys.session(account, session_id),
        "SET title = :title, title_source = :generated, title_state = :made",
        condition=UNTITLED,
        values={":title": title, ":generated": "generated", ":made": "made"},
    )
    return _holds(table, operation)


def record_title_failure(table: Table, account: str, session_id: str, reason: str) -> None:
    """Say why the try came to nothing, if the session is still there."""
    operation = update(
        keys.session(account, session_id),
        "SET title_reason = :reason",
        condition=EXISTS,
        values={":reason": reason},
    )
    _holds(table, operation)


def reserve_sequence_numbers(table: Table, account: str, session_id: str, at: datetime) -> int:
    """Take the next two sequence numbers, a question's and its answer's; the first of them.

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
    """The condition of every write into a session: it is there and was not deleted."""
    return check(keys.session(account, session_id), EXISTS)


def _changing(
    account: str, session: Session, fields: Mapping[str, Any], at: datetime, *, moves: bool
) -> Write:
    """The session's own write; a move only from the space it was read in."""
    key = keys.session(account, session.id)
    changed = {**fields, "updated_at": rfc3339(at)}
    if "title" in fields:
        changed["title_source"] = _source(fields["title"])
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


def _source(title: str | None) -> str | None:
    return "user" if title is not None else None


def _holds(table: Table, operation: Write) -> bool:
    try:
        table.write(operation)
    except ConditionFailed:
        return False
    return True


def _moving(account: str, session: Session, space_id: str | None) -> list[Write]:
    writes = _joining(account, session.id, space_id) if space_id is not None else []
    if session.space_id:
        writes.append(delete(keys.space_member(account, session.space_id, session.id)))
    return writes


def _joining(account: str, session_id: str, space_id: str) -> list[Write]:
    space_key = keys.space(account, ids.checked_id("spc", space_id))
    return [
        check(space_key, EXISTS),
        put(keys.space_member(account, space_id, session_id), {"session_id": session_id}),
    ]
