"""A turn's versions: replaced, deleted, expired; each change is of the turn as it was read."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.item_codec import encode
from strandline.models.base import rfc3339
from strandline.models.retention import KEEP_FOREVER
from strandline.models.turn import Turn, TurnStatus
from strandline.store.conversations import turns
from strandline.table import Table
from strandline.writes import Item, Write, delete, put, put_new, update


def get_many(
    table: Table, account: str, wanted: Mapping[str, int], at: datetime
) -> dict[str, Turn]:
    """Those turns that are there, by id, each in the version that is wanted."""
    found = turns.get_many(table, account, wanted, at)
    # A version is as old as its turn: none is left of one that isn't found.
    others = {
        keys.earlier_turn(account, *ids.parse_turn_id(turn_id), wanted[turn_id]): turn_id
        for turn_id, turn in found.items()
        if turn.version != wanted[turn_id]
    }
    versions = table.get_many(others).items()
    earlier = {others[key]: turns.turn_from_item(item, KEEP_FOREVER, at) for key, item in versions}
    same = {name: turn for name, turn in found.items() if name not in others.values()}
    return same | earlier


def replacement_writes(
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
        turns.turn_key(account, turn),
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
    beside = {turns.JOB: job_id} if job_id else {}
    return new, [replace, put_new(earlier, encode(turn) | beside)]


def earlier_prefix(sequence_number: int) -> str:
    """What the sort keys of a turn's earlier versions begin with."""
    return f"WAS#{sequence_number:08d}#"


def deletion_writes(account: str, item: Item, at: datetime) -> list[Write]:
    """The writes that leave of a turn its place and no word; the first if it is as it was read."""
    number = int(item["sequence_number"])
    key = keys.turn(account, item["session_id"], number)
    # Whoever still works with its words finds another version.
    mark = _place(item) | {"version": int(item["version"]) + 1, "deleted_at": rfc3339(at)}
    if turns.EXPIRED in item:
        return [put_new(key, mark), delete(keys.expired_turn(account, item["session_id"], number))]
    return [put(key, mark, **_as_read(item))]


def expiry_writes(account: str, item: Item, expired: datetime) -> list[Write]:
    """The writes that leave of a turn the mark that it has expired, if it is as it was read."""
    session_id, number = item["session_id"], int(item["sequence_number"])
    mark = _place(item) | {"version": item["version"], turns.EXPIRED: rfc3339(expired)}
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
