"""The notes that its owner attaches to a turn."""

from datetime import datetime

from strandline import ids, keys
from strandline.errors import NotFound
from strandline.models.turn import Note, Turn
from strandline.store import sessions, turns
from strandline.store.lists import Slice, read_slice
from strandline.table import ConditionFailed, Table, check, decode, encode, put


def add(table: Table, account: str, turn: Turn, content: str, at: datetime) -> Note:
    """Attach a note.

    Raises NotFound or ContentDeleted when the session or the turn went in the meantime.
    """
    note = Note(id=ids.new_id("not", at), turn_id=turn.id, content=content, created_at=at)
    key = keys.note(account, turn.session_id, turn.sequence_number, note.id)
    try:
        table.transact(
            [
                put(key, encode(note)),
                sessions.still_there(account, turn.session_id),
                check(turns.key_of(account, turn), turns.IS_THERE),
            ]
        )
    except ConditionFailed:
        turns.get(table, account, turn.id, at)
        raise NotFound from None
    return note


def page(table: Table, account: str, turn: Turn, limit: int, after: str | None) -> Slice[Note]:
    """A turn's notes, oldest first."""
    first = keys.note(account, turn.session_id, turn.sequence_number, "")
    return read_slice(
        table,
        first.pk,
        prefix=first.sk,
        limit=limit,
        after=after,
        newest_first=False,
        keep=lambda item: decode(Note, item),
    )
