"""Turns in their current version, without deleted and expired ones."""

from collections.abc import Iterable
from datetime import datetime

from strandline import ids, keys
from strandline.errors import ContentDeleted, ContentExpired, NotFound
from strandline.item_codec import decode
from strandline.models.base import rfc3339
from strandline.models.retention import RetentionRule
from strandline.models.turn import Role, Turn, TurnStatus
from strandline.store.accounts import profiles
from strandline.store.conversations import sessions
from strandline.table import Table
from strandline.writes import Item, Write, check

LEASE = "answering_until"
OPTIONS = "asked_with"
EXPIRED = "expired_at"
JOB = "job_id"
"""Of an earlier version: the job that reconciled the exchange. Its result may quote the words."""
_ITEM_ATTRIBUTES = frozenset({LEASE, OPTIONS, JOB})
EXISTS = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"


def is_deleted(item: Item) -> bool:
    """Whether the item is a deleted turn's tombstone."""
    return "deleted_at" in item


def expired_at(item: Item, rule: RetentionRule, at: datetime) -> datetime | None:
    """Returns when the turn in an item expired, None if it hasn't."""
    return rule.expired_at(datetime.fromisoformat(item["created_at"]), at)


def is_gone(item: Item, rule: RetentionRule, at: datetime) -> bool:
    """Whether a turn was deleted or has expired, so that it is hidden from every read."""
    return is_deleted(item) or expired_at(item, rule, at) is not None


def turn_from_item(item: Item, rule: RetentionRule, at: datetime) -> Turn:
    """Returns the turn in an item; a question whose lease expired reads as unanswered.

    `rule` is the retention of turns. Raises ContentDeleted, ContentExpired.
    """
    if is_deleted(item):
        raise ContentDeleted(datetime.fromisoformat(item["deleted_at"]))
    if (expired := expired_at(item, rule, at)) is not None:
        raise ContentExpired(expired)
    lease = item.get(LEASE, "")
    turn = decode(Turn, {k: v for k, v in item.items() if k not in _ITEM_ATTRIBUTES})
    if turn.status is TurnStatus.ANSWERING and lease <= rfc3339(at):
        return turn.model_copy(update={"status": TurnStatus.UNANSWERED})
    return turn


def get(table: Table, account: str, turn_id: str, at: datetime) -> Turn:
    """Returns the account's turn.

    Raises NotFound when it is missing, another account's or of a deleted session;
    ContentDeleted, ContentExpired.
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
    """Returns the turns that exist, by id. It doesn't check whether their sessions are deleted."""
    by_key = {keys.turn(account, *ids.parse_turn_id(turn_id)): turn_id for turn_id in turn_ids}
    found = table.get_many([*by_key, keys.profile(account)])
    rule = profiles.retention_from_item(found.pop(keys.profile(account), None)).turns
    visible = {key: item for key, item in found.items() if not is_gone(item, rule, at)}
    return {by_key[key]: turn_from_item(item, rule, at) for key, item in visible.items()}


def unchanged_check(account: str, turn: Turn) -> Write:
    """Returns the check that a turn still has the version that was read."""
    return check(
        turn_key(account, turn),
        "#version = :seen AND attribute_not_exists(deleted_at)",
        names={"#version": "version"},
        values={":seen": turn.version},
    )


def answer_number(question: Turn) -> int:
    """Returns the sequence number that is reserved for a question's answer."""
    return question.sequence_number + 1


def question_number(sequence_number: int) -> int:
    """Returns the number of an exchange's question from the number of either of its turns.

    It is odd, because numbers are reserved in pairs from 1 on.
    """
    return sequence_number - (sequence_number + 1) % 2


def is_question(turn: Turn) -> bool:
    """Whether a turn is a user's, which gets an answer."""
    return turn.role is Role.USER


def turn_key(account: str, turn: Turn) -> keys.Key:
    """Returns a turn's key."""
    return keys.turn(account, turn.session_id, turn.sequence_number)


def session_id_of(turn_id: str) -> str:
    """Returns the id of a turn's session."""
    return ids.parse_turn_id(turn_id)[0]
