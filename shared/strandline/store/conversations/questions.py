"""The states of a question: answering, answered or unanswered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from strandline.item_codec import encode
from strandline.models.base import rfc3339
from strandline.models.turn import Turn, TurnStatus
from strandline.store.conversations import sessions, turns
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, put_new, update


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """A user turn to store, the end of the lease to answer it, and the answer's options."""

    turn: Turn
    answering_until: datetime
    options: Item


def stored_options(table: Table, account: str, turn: Turn) -> Item:
    """Returns the options that were stored with a question; empty if there are none."""
    found: Item = (table.get(turns.turn_key(account, turn)) or {}).get(turns.OPTIONS, {})
    return found


def store_question(
    table: Table, account: str, question: NewQuestion, also: Sequence[Write]
) -> None:
    """Stores a user turn before a model is called, with the writes of `also`.

    Raises ConditionFailed: operation 0 is the turn, operation 1 the check that its session
    exists, and the writes of `also` follow.
    """
    turn = question.turn
    attributes = {
        turns.LEASE: rfc3339(question.answering_until),
        turns.OPTIONS: question.options,
    }
    turn_write = put_new(turns.turn_key(account, turn), encode(turn) | attributes)
    table.transact([turn_write, sessions.exists_check(account, turn.session_id), *also])


def claim_question(table: Table, account: str, turn: Turn, at: datetime, until: datetime) -> None:
    """Takes the lease to answer an unanswered question, until a time.

    Raises ConditionFailed when another request holds the lease, or when the question was
    answered, replaced or deleted since it was read.
    """
    available = "#status = :unanswered OR (#status = :answering AND answering_until <= :now)"
    unchanged = "#version = :seen AND attribute_not_exists(deleted_at)"
    table.write(
        update(
            turns.turn_key(account, turn),
            "SET #status = :answering, answering_until = :until",
            condition=f"{unchanged} AND ({available})",
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
    """Marks a question unanswered, unless it was answered or deleted concurrently."""
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
    """Returns the writes that store an answer and mark its question answered.

    They require that the question isn't answered or deleted.
    """
    mark = update(
        turns.turn_key(account, question),
        "SET #status = :answered REMOVE answering_until",
        condition=f"#status <> :answered AND {turns.EXISTS}",
        names={"#status": "status"},
        values={":answered": TurnStatus.ANSWERED},
    )
    return [put_new(turns.turn_key(account, answer), encode(answer)), mark]
