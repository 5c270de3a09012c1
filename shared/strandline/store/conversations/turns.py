"""Turns as they are read: in their last version, without what was deleted or has expired."""

from collections.abc import Iterable
from datetime import datetime

from strandline import ids, keys
from strandline.errors import ContentDeleted, ContentExpired, NotFound
from strandline.item_codec import decode
from strandline.models.base import rfc3339
from strandline.models.retention import RetentionRule
from strandline.models.turn import Role, Turn, TurnStatus, TurnWindow
from strandline.queries import Query
from strandline.store.accounts import profiles
from strandline.store.conversations import sessions
from strandline.store.pagination import ListPage, read_page
from strandline.table import Table
from strandline.writes import Item, Write, check

LEASE = "answering_until"
OPTIONS = "asked_with"
EXPIRED = "expired_at"
JOB = "job_id"
"""Of an earlier version: the job that reads the exchange again, whose result may quote it."""
_BESIDE = frozenset({LEASE, OPTIONS, JOB})
EXISTS = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"


def is_deleted(item: Item) -> bool:
    """Whether only the mark of a deleted turn is left."""
    return "deleted_at" in item


def expired_at(item: Item, rule: RetentionRule, at: datetime) -> datetime | None:
    """When the turn in an item expired; None if it hasn't."""
    return rule.expired_at(datetime.fromisoformat(item["created_at"]), at)


def is_gone(item: Item, rule: RetentionRule, at: datetime) -> bool:
    """Whether a turn was deleted or has expired: nothing of it is shown any more."""
    return is_deleted(item) or expired_at(item, rule, at) is not None


def turn_from_item(item: Item, rule: RetentionRule, at: datetime) -> Turn:
    """The turn in an item; a question whose lease ran out unanswered is unanswered.

    `rule` is how long turns are kept. Raises ContentDeleted, ContentExpired.
    """
    if is_deleted(item):
        raise ContentDeleted(datetime.fromisoformat(item["deleted_at"]))
    if (expired := expired_at(item, rule, at)) is not None:
        raise ContentExpired(expired)
    lease = item.get(LEASE, "")
    turn = decode(Turn, {k: v for k, v in item.items() if k not in _BESIDE})
    if turn.status is TurnStatus.ANSWERING and lease <= rfc3339(at):
        return turn.model_copy(update={"status": TurnStatus.UNANSWERED})
    return turn


def get(table: Table, account: str, turn_id: str, at: datetime) -> Turn:
    """The account's turn.

    Raises NotFound for a missing or foreign one, or of a deleted session; ContentDeleted,
    ContentExpired.
    """
    session_id, number = ids.parse_turn_id(turn_id)
    session_key, profile_key = keys.session(account, session_id), keys.profile(account)
    turn_key = keys.turn(account, session_id, number)
    mark_key = keys.expired_turn(account, session_id, number)
    found = table.get_many([session_key, turn_key, mark_key, profile_key])
    sessions.session_from_item(found.get(session_key))
    if turn_key in found:
        return turn_from_item(
            found[turn_key], profiles.retention_from_item(found.get(profile_key)).turns, at
        )
    if mark_key in found:
        raise ContentExpired(datetime.fromisoformat(found[mark_key][EXPIRED]))
    raise NotFound


def get_many(table: Table, account: str, turn_ids: Iterable[str], at: datetime) -> dict[str, Turn]:
    """Those turns that are there, by id; deleted sessions are the caller's to look at."""
    by_key = {keys.turn(account, *ids.parse_turn_id(turn_id)): turn_id for turn_id in turn_ids}
    found = table.get_many([*by_key, keys.profile(account)])
    rule = profiles.retention_from_item(found.pop(keys.profile(account), None)).turns
    there = {key: item for key, item in found.items() if not is_gone(item, rule, at)}
    return {by_key[key]: turn_from_item(item, rule, at) for key, item in there.items()}


def page(
    table: Table, account: str, session_id: str, limit: int, after: str | None, at: datetime
) -> ListPage[Turn]:
    """A session's turns, oldest first."""
    return page_of_range(table, account, session_id, (1, ids.MAX_SEQUENCE), limit, after, at=at)


def page_of_range(
    table: Table,
    account: str,
    session_id: str,
    numbers: tuple[int, int],
    limit: int,
    after: str | None,
    *,
    at: datetime,
) -> ListPage[Turn]:
    """A session's turns from one number to another, both included, oldest first."""
    low, high = (keys.turn(account, session_id, number) for number in numbers)
    if low.sk > high.sk:
        return ListPage((), None)
    rule = profiles.get_retention(table, account).turns
    return read_page(
        table,
        Query.of_range(low, high),
        limit=limit,
        after=after,
        keep=lambda item: None if is_gone(item, rule, at) else turn_from_item(item, rule, at),
    )


def first_visible_number(
    table: Table, account: str, session_id: str, window: TurnWindow, at: datetime
) -> int:
    """The number at which a window begins: of its first turn, or where that would stand."""
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


def newest_turns(  # noqa: PLR0913  a window's place and bounds, and the rule where it is known
    table: Table,
    account: str,
    session_id: str,
    window: TurnWindow,
    before: int,
    *,
    limits: tuple[int, int],
    at: datetime,
    rule: RetentionRule | None = None,
) -> tuple[list[Turn], bool]:
    """The window's newest turns numbered below `before`, newest first; whether older were left.

    `limits` are turns and characters: reading stops once either is passed. `rule` is how long
    turns are kept, where that was read already.
    """
    rule = rule or profiles.get_retention(table, account).turns
    most_turns, most_characters = limits
    low = keys.turn(account, session_id, window.after + 1)
    high = keys.turn(account, session_id, before - 1)
    query = Query.of_range(low, high, newest_first=True)
    found: list[Turn] = []
    characters, after = 0, None
    while high.sk >= low.sk:
        page_ = table.page(query, after=after, limit=most_turns + 2 - len(found))
        there = [item for item in page_.items if not is_gone(item, rule, at)]
        turns = [turn_from_item(item, rule, at) for item in there]
        shown = [turn for turn in turns if window.shows(turn)]
        found += shown
        characters += sum(len(turn.content) for turn in shown)
        after = page_.last
        if after is None or len(shown) < len(turns):
            return found, False
        if len(found) >= most_turns + 2 or characters > most_characters:
            return found, True
    return found, False


def unchanged_check(account: str, turn: Turn) -> Write:
    """The check that a turn still says what was read of it."""
    return check(
        turn_key(account, turn),
        "#version = :seen AND attribute_not_exists(deleted_at)",
        names={"#version": "version"},
        values={":seen": turn.version},
    )


def answer_number(question: Turn) -> int:
    """The sequence number that was set aside for a question's answer."""
    return question.sequence_number + 1


def question_number(sequence_number: int) -> int:
    """The number of an exchange's question: odd, since numbers are handed out two by two from 1."""
    return sequence_number - (sequence_number + 1) % 2


def is_question(turn: Turn) -> bool:
    """Whether a turn is one that gets an answer."""
    return turn.role is Role.USER


def turn_key(account: str, turn: Turn) -> keys.Key:
    """Where a turn is."""
    return keys.turn(account, turn.session_id, turn.sequence_number)


def session_id_of(turn_id: str) -> str:
    """The session a turn belongs to."""
    return ids.parse_turn_id(turn_id)[0]
