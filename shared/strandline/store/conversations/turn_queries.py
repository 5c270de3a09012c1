"""Lists of a session's turns: pages, ranges and the newest turns for a prompt's history."""

from dataclasses import dataclass
from datetime import datetime

from strandline import ids, keys
from strandline.models.retention import RetentionRule
from strandline.models.turn import Turn, TurnWindow
from strandline.queries import Query
from strandline.store.accounts import profiles
from strandline.store.conversations.turns import is_gone, turn_from_item
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import Table
from strandline.writes import Item


@dataclass(frozen=True, slots=True)
class TurnRange:
    """A session's turns from one sequence number to another, both included; all by default."""

    session_id: str
    first: int = 1
    last: int = ids.MAX_SEQUENCE


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which of a session's turns a prompt's history may hold, and how much to read of them.

    Turns of `window` whose sequence numbers are below `before`. Reading stops once `max_turns` or
    `max_characters` is exceeded.
    """

    session_id: str
    window: TurnWindow
    before: int
    max_turns: int
    max_characters: int


def page(
    table: Table, account: str, turn_range: TurnRange, request: PageRequest, at: datetime
) -> ListPage[Turn]:
    """Returns a page of a session's turns, oldest first, without deleted and expired ones."""
    low = keys.turn(account, turn_range.session_id, turn_range.first)
    high = keys.turn(account, turn_range.session_id, turn_range.last)
    if low.sk > high.sk:
        return ListPage((), None)
    rule = profiles.get_retention(table, account).turns

    def keep(item: Item) -> Turn | None:
        return None if is_gone(item, rule, at) else turn_from_item(item, rule, at)

    return read_page(table, Query.of_range(low, high), request, keep)


def first_visible_number(
    table: Table, account: str, session_id: str, window: TurnWindow, at: datetime
) -> int:
    """Returns the sequence number of a window's first turn.

    For an empty window, the number after the session's last turn.
    """
    if window.since is None:
        return window.after + 1
    low, high = keys.turn(account, session_id, 1), keys.turn(account, session_id, ids.MAX_SEQUENCE)
    rule = profiles.get_retention(table, account).turns
    number = 0
    for item in table.all(Query.of_range(low, high)):
        number = int(item["sequence_number"])
        if not is_gone(item, rule, at) and window.shows(turn_from_item(item, rule, at)):
            return number
    return number + 1


def newest_turns(
    table: Table,
    account: str,
    history: HistoryQuery,
    at: datetime,
    rule: RetentionRule | None = None,
) -> tuple[list[Turn], bool]:
    """Returns the history's turns, newest first, and whether older ones were left out.

    `rule` is the retention of turns, if the caller has read it already.
    """
    rule = rule or profiles.get_retention(table, account).turns
    low = keys.turn(account, history.session_id, history.window.after + 1)
    high = keys.turn(account, history.session_id, history.before - 1)
    query = Query.of_range(low, high, newest_first=True)
    # One more exchange than requested shows whether older turns were left out.
    enough = history.max_turns + 2
    found: list[Turn] = []
    characters, after = 0, None
    while high.sk >= low.sk:
        part = table.page(query, after=after, limit=enough - len(found))
        turns = [
            turn_from_item(item, rule, at) for item in part.items if not is_gone(item, rule, at)
        ]
        visible = [turn for turn in turns if history.window.shows(turn)]
        found += visible
        characters += sum(len(turn.content) for turn in visible)
        after = part.last
        if after is None or len(visible) < len(turns):
            return found, False
        if len(found) >= enough or characters > history.max_characters:
            return found, True
    return found, False
