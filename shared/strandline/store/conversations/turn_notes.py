"""Notes that the user attaches to a turn."""

from datetime import datetime

from strandline import ids, keys
from strandline.errors import NotFound
from strandline.item_codec import decode, encode
from strandline.models.turn import Note, Turn
from strandline.queries import Query
from strandline.store.conversations import sessions, turns
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import ConditionFailed, Table
from strandline.writes import check, put


def add(table: Table, account: str, turn: Turn, content: str, at: datetime) -> Note:
    """Attaches a note to a turn and returns it.

    Raises NotFound or ContentDeleted when the session or the turn was deleted concurrently.
    """
    note = Note(id=ids.new_id("not", at), turn_id=turn.id, content=content, created_at=at)
    key = keys.note(account, turn.session_id, turn.sequence_number, note.id)
    try:
        table.transact(
            [
                put(key, encode(note)),
                sessions.exists_check(account, turn.session_id),
                check(turns.turn_key(account, turn), turns.EXISTS),
            ]
        )
    except ConditionFailed:
        turns.get(table, account, turn.id, at)
        raise NotFound from None
    return note


def page(table: Table, account: str, turn: Turn, request: PageRequest) -> ListPage[Note]:
    """Returns a page of a turn's notes, oldest first."""
    first = keys.note(account, turn.session_id, turn.sequence_number, "")
    return read_page(table, Query.of_prefix(first), request, lambda item: decode(Note, item))
