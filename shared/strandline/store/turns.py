"""Turns, their notes, and the life of a question: answering, answered or unanswered."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.context.boundary import Window
from strandline.errors import ContentDeleted, ContentExpired, NotFound
from strandline.models.base import rfc3339
from strandline.models.turn import Note, Role, Turn, TurnStatus
from strandline.retention import FOR_EVER, Rule
from strandline.store import profiles, sessions
from strandline.store.lists import Slice, read_slice
from strandline.table import (
    ConditionFailed,
    Item,
    Table,
    Write,
    check,
    decode,
    delete,
    encode,
    put,
    put_new,
    update,
)

LEASE = "answering_until"
OPTIONS = "asked_with"
EXPIRED = "expired_at"
JOB = "job_id"
"""Of an earlier version: the job that reads the exchange again, whose result may quote it."""
_BESIDE = frozenset({LEASE, OPTIONS, JOB})
IS_THERE = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"


def is_deleted(item: Item) -> bool:
    """Whether only the mark of a deleted turn is left."""
    return "deleted_at" in item


def expired_at(item: Item, rule: Rule, at: datetime) -> datetime | None:
    """When the turn in an item expired; None if it hasn't."""
    return rule.expired_at(datetime.fromisoformat(item["created_at"]), at)


def is_gone(item: Item, rule: Rule, at: datetime) -> bool:
    """Whether a turn was deleted or has expired: nothing of it is shown any more."""
    return is_deleted(item) or expired_at(item, rule, at) is not None


def of_item(item: Item, rule: Rule, at: datetime) -> Turn:
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
    sessions.of_item(found.get(session_key))
    if turn_key in found:
        return of_item(found[turn_key], profiles.retention_of(found.get(profile_key)).turns, at)
    if mark_key in found:
        raise ContentExpired(datetime.fromisoformat(found[mark_key][EXPIRED]))
    raise NotFound


def get_many(table: Table, account: str, turn_ids: Iterable[str], at: datetime) -> dict[str, Turn]:
    """Those turns that are there, by id; deleted sessions are the caller's to look at."""
    by_key = {keys.turn(account, *ids.parse_turn_id(turn_id)): turn_id for turn_id in turn_ids}
    found = table.get_many([*by_key, keys.profile(account)])
    rule = profiles.retention_of(found.pop(keys.profile(account), None)).turns
    there = {key: item for key, item in found.items() if not is_gone(item, rule, at)}
    return {by_key[key]: of_item(item, rule, at) for key, item in there.items()}


def at_versions(
    table: Table, account: str, wanted: Mapping[str, int], at: datetime
) -> dict[str, Turn]:
    """Those turns that are there, by id, each in the version that is wanted."""
    found = get_many(table, account, wanted, at)
    # A version is as old as its turn: none is left of one that isn't found.
    others = {
        keys.earlier_turn(account, *ids.parse_turn_id(turn_id), wanted[turn_id]): turn_id
        for turn_id, turn in found.items()
        if turn.version != wanted[turn_id]
    }
    versions = table.get_many(others).items()
    earlier = {others[key]: of_item(item, FOR_EVER, at) for key, item in versions}
    same = {name: turn for name, turn in found.items() if name not in others.values()}
    return same | earlier


def page(
    table: Table, account: str, session_id: str, limit: int, after: str | None, at: datetime
) -> Slice[Turn]:
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
) -> Slice[Turn]:
    """A session's turns from one number to another, both included, oldest first."""
    low, high = (keys.turn(account, session_id, number) for number in numbers)
    if low.sk > high.sk:
        return Slice((), None)
    rule = profiles.retention(table, account).turns
    return read_slice(
        table,
        low.pk,
        between=(low.sk, high.sk),
        limit=limit,
        after=after,
        newest_first=False,
        keep=lambda item: None if is_gone(item, rule, at) else of_item(item, rule, at),
    )


def first_shown(table: Table, account: str, session_id: str, window: Window, at: datetime) -> int:
    """The number at which a window begins: of its first turn, or where that would stand."""
    if window.since is None:
        return window.after + 1
    low, high = keys.turn(account, session_id, 1), keys.turn(account, session_id, ids.MAX_SEQUENCE)
    rule = profiles.retention(table, account).turns
    number = 0
    for item in table.all(low.pk, between=(low.sk, high.sk)):
        number = int(item["sequence_number"])
        if not is_gone(item, rule, at) and window.shows(of_item(item, rule, at)):
            return number
    return number + 1


def newest(  # noqa: PLR0913  a window's place and bounds, and the rule where it is known
    table: Table,
    account: str,
    session_id: str,
    window: Window,
    before: int,
    *,
    limits: tuple[int, int],
    at: datetime,
    rule: Rule | None = None,
) -> tuple[list[Turn], bool]:
    """The window's newest turns numbered below `before`, newest first; whether older were left.

    `limits` are turns and characters: reading stops once either is passed. `rule` is how long
    turns are kept, where that was read already.
    """
    rule = rule or profiles.retention(table, account).turns
    most_turns, most_characters = limits
    low = keys.turn(account, session_id, window.after + 1)
    high = keys.turn(account, session_id, before - 1)
    found: list[Turn] = []
    characters, after = 0, None
    while high.sk >= low.sk:
        page_ = table.page(
            low.pk,
            between=(low.sk, high.sk),
            after=after,
            newest_first=True,
            limit=most_turns + 2 - len(found),
        )
        there = [item for item in page_.items if not is_gone(item, rule, at)]
        turns = [of_item(item, rule, at) for item in there]
        shown = [turn for turn in turns if window.shows(turn)]
        found += shown
        characters += sum(len(turn.content) for turn in shown)
        after = page_.last
        if after is None or len(shown) < len(turns):
            return found, False
        if len(found) >= most_turns + 2 or characters > most_characters:
            return found, True
    return found, False


def replacing(
    account: str, turn: Turn, content: str, at: datetime, job_id: str | None
) -> tuple[Turn, list[Write]]:
    """The turn with another transcript, and the writes that keep the one it had.

    Their first condition, on the turn, is that it is as it was read and isn't being answered.
    `job_id` names the job that reads the exchange again, where there is one.
    """
    new = turn.model_copy(
        update={"content": content, "version": turn.version + 1, "replaced_at": at}
    )
    free = "#status <> :answering OR answering_until <= :now"
    replace = update(
        _key(account, turn),
        "SET content = :content, #version = :next, replaced_at = :now",
        condition=f"#version = :seen AND attribute_not_exists(deleted_at) AND ({free})",
        names={"#version": "version", "#status": "status"},
        values={
            ":content": content,
            ":next": new.version,
            ":seen": turn.version,
            ":now": rfc3339(at),
            ":answering": TurnStatus.ANSWERING,
        },
    )
    number = turn.sequence_number
    earlier = keys.earlier_turn(account, turn.session_id, number, turn.version)
    beside = {JOB: job_id} if job_id else {}
    return new, [replace, put_new(earlier, encode(turn) | beside)]


def unchanged(account: str, turn: Turn) -> Write:
    """The check that a turn still says what was read of it."""
    return check(
        _key(account, turn),
        "#version = :seen AND attribute_not_exists(deleted_at)",
        names={"#version": "version"},
        values={":seen": turn.version},
    )


def earlier_prefix(sequence_number: int) -> str:
    """What the sort keys of a turn's earlier versions begin with."""
    return f"WAS#{sequence_number:08d}#"


def deleting(account: str, item: Item, at: datetime) -> list[Write]:
    """The writes that leave of a turn its place and no word; the first if it is as it was read."""
    number = int(item["sequence_number"])
    key = keys.turn(account, item["session_id"], number)
    # Whoever still works with its words finds another version.
    mark = _place(item) | {"version": int(item["version"]) + 1, "deleted_at": rfc3339(at)}
    if EXPIRED in item:
        return [put_new(key, mark), delete(keys.expired_turn(account, item["session_id"], number))]
    return [put(key, mark, **_as_read(item))]


def expiring(account: str, item: Item, expired: datetime) -> list[Write]:
    """The writes that leave of a turn the mark that it has expired, if it is as it was read."""
    session_id, number = item["session_id"], int(item["sequence_number"])
    mark = _place(item) | {"version": item["version"], EXPIRED: rfc3339(expired)}
    return [
        delete(keys.turn(account, session_id, number), **_as_read(item)),
        put(keys.expired_turn(account, session_id, number), mark),
    ]


def _place(item: Item) -> Item:
    """What of a turn isn't said."""
    kept = ("id", "session_id", "sequence_number", "role", "status", "created_at")
    return {name: item[name] for name in kept}


def _as_read(item: Item) -> dict[str, Any]:
    return {
        "condition": "#version = :seen AND attribute_not_exists(deleted_at)",
        "names": {"#version": "version"},
        "values": {":seen": item["version"]},
    }


def options(table: Table, account: str, turn: Turn) -> Item:
    """How a question was to be answered, as it was stored with it."""
    found: Item = (table.get(_key(account, turn)) or {}).get(OPTIONS, {})
    return found


def store_question(
    table: Table, account: str, turn: Turn, until: datetime, asked_with: Item, also: Sequence[Write]
) -> None:
    """Store a user turn before any model is called. Raises ConditionFailed.

    Operation 0 is the turn, 1 the session's being there, the rest `also`.
    """
    beside = {LEASE: rfc3339(until), OPTIONS: asked_with}
    question = put_new(_key(account, turn), encode(turn) | beside)
    table.transact([question, sessions.still_there(account, turn.session_id), *also])


def take_question(table: Table, account: str, turn: Turn, at: datetime, until: datetime) -> None:
    """Claim an unanswered question for answering.

    Raises ConditionFailed when it isn't free, or isn't any more what was read.
    """
    free = "#status = :unanswered OR (#status = :answering AND answering_until <= :now)"
    same = "#version = :seen AND attribute_not_exists(deleted_at)"
    table.write(
        update(
            _key(account, turn),
            "SET #status = :answering, answering_until = :until",
            condition=f"{same} AND ({free})",
            names={"#status": "status", "#version": "version"},
            values={
                ":seen": turn.version,
                ":unanswered": TurnStatus.UNANSWERED,
                ":answering": TurnStatus.ANSWERING,
                ":now": rfc3339(at),
                ":until": rfc3339(until),
            },
        )
    )


def release_question(table: Table, account: str, turn: Turn) -> None:
    """Mark a question unanswered, unless it was answered or deleted in the meantime."""
    operation = update(
        _key(account, turn),
        "SET #status = :unanswered REMOVE answering_until",
        condition="#status = :answering",
        names={"#status": "status"},
        values={":unanswered": TurnStatus.UNANSWERED, ":answering": TurnStatus.ANSWERING},
    )
    try:
        table.write(operation)
    except ConditionFailed:
        return


def answering(account: str, question: Turn, answer: Turn) -> list[Write]:
    """The writes that answer a question exactly once, unless it was deleted meanwhile."""
    mark = update(
        _key(account, question),
        "SET #status = :answered REMOVE answering_until",
        condition=f"#status <> :answered AND {IS_THERE}",
        names={"#status": "status"},
        values={":answered": TurnStatus.ANSWERED},
    )
    return [put_new(_key(account, answer), encode(answer)), mark]


def add_note(table: Table, account: str, turn: Turn, content: str, at: datetime) -> Note:
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
                check(_key(account, turn), IS_THERE),
            ]
        )
    except ConditionFailed:
        get(table, account, turn.id, at)
        raise NotFound from None
    return note


def notes(table: Table, account: str, turn: Turn, limit: int, after: str | None) -> Slice[Note]:
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


def answer_number(question: Turn) -> int:
    """The sequence number that was set aside for a question's answer."""
    return question.sequence_number + 1


def question_number(sequence_number: int) -> int:
    """The number of an exchange's question: odd, since numbers are handed out two by two from 1."""
    return sequence_number - (sequence_number + 1) % 2


def is_question(turn: Turn) -> bool:
    """Whether a turn is one that gets an answer."""
    return turn.role is Role.USER


def _key(account: str, turn: Turn) -> keys.Key:
    return keys.turn(account, turn.session_id, turn.sequence_number)


def session_of(turn_id: str) -> str:
    """The session a turn belongs to."""
    return ids.parse_turn_id(turn_id)[0]
