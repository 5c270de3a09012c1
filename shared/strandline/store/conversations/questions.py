"""The life of a question: answering, answered or unanswered."""

from collections.abc import Sequence
from datetime import datetime

from strandline.item_codec import encode
from strandline.models.base import rfc3339
from strandline.models.turn import Turn, TurnStatus
from strandline.store.conversations import sessions, turns
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, put_new, update


def stored_options(table: Table, account: str, turn: Turn) -> Item:
    """How a question was to be answered, as it was stored with it."""
    found: Item = (table.get(turns.turn_key(account, turn)) or {}).get(turns.OPTIONS, {})
    return found


def store_question(
    table: Table, account: str, turn: Turn, until: datetime, asked_with: Item, also: Sequence[Write]
) -> None:
    """Store a user turn before any model is called. Raises ConditionFailed.

    Operation 0 is the turn, 1 the session's being there, the rest `also`.
    """
    beside = {turns.LEASE: rfc3339(until), turns.OPTIONS: asked_with}
    question = put_new(turns.turn_key(account, turn), encode(turn) | beside)
    table.transact([question, sessions.exists_check(account, turn.session_id), *also])


def claim_question(table: Table, account: str, turn: Turn, at: datetime, until: datetime) -> None:
    """Claim an unanswered question for answering.

    Raises ConditionFailed when it isn't free, or isn't any more what was read.
    """
    free = "#status = :unanswered OR (#status = :answering AND answering_until <= :now)"
    same = "#version = :seen AND attribute_not_exists(deleted_at)"
    table.write(
        update(
            turns.turn_key(account, turn),
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
        turns.turn_key(account, turn),
        "SET #status = :unanswered REMOVE answering_until",
        condition="#status = :answering",
        names={"#status": "status"},
        values={":unanswered": TurnStatus.UNANSWERED, ":answering": TurnStatus.ANSWERING},
    )
    try:
        table.write(operation)
    except ConditionFailed:
        return


def answer_writes(account: str, question: Turn, answer: Turn) -> list[Write]:
    """The writes that answer a question exactly once, unless it was deleted meanwhile."""
    mark = update(
        turns.turn_key(account, question),
        "SET #status = :answered REMOVE answering_until",
        condition=f"#status <> :answered AND {turns.EXISTS}",
        names={"#status": "status"},
        values={":answered": TurnStatus.ANSWERED},
    )
    return [put_new(turns.turn_key(account, answer), encode(answer)), mark]
