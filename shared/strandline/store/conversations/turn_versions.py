"""A turn's versions: replaced, deleted or expired.

Every write requires that the turn still has the version that was read.
"""

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
    """Returns the turns that exist, by id, each in the version that `wanted` gives for its id."""
    found = turns.get_many(table, account, wanted, at)
    # Versions are kept as long as their turn: a turn that isn't found has none left.
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
    """Returns the turn with a new transcript, and the writes that replace the old one.

    The old transcript is kept as an earlier version. The first write requires that the turn is as
    it was read and isn't being answered. `job_id` is the job that reconciles the exchange, if any.
    """
    new = turn.model_copy(
        update={"content": content, "version": turn.version + 1, "replaced_at": at}
    )
    not_answering = "#status <> :answering OR answering_until <= :now"
    replace = update(
        turns.turn_key(account, turn),
        "SET content = :content, #version = :next, replaced_at = :now",
        condition=f"#version = :seen AND attribute_not_exists(deleted_at) AND ({not_answering})",
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
    job = {turns.JOB: job_id} if job_id else {}
    return new, [replace, put_new(earlier, encode(turn) | job)]


def earlier_prefix(sequence_number: int) -> str:
    """Returns the prefix of the sort keys of a turn's earlier versions."""
    return f"WAS#{sequence_number:08d}#"


def deletion_writes(account: str, item: Item, at: datetime) -> list[Write]:
    """Returns the writes that replace a turn by a tombstone.

    The first one requires that the turn is as it was read.
    """
    number = int(item["sequence_number"])
    key = keys.turn(account, item["session_id"], number)
    # The new version number fails the preconditions of whoever still works with its words.
    tombstone = _metadata(item) | {"version": int(item["version"]) + 1, "deleted_at": rfc3339(at)}
    if turns.EXPIRED in item:
        return [
            put_new(key, tombstone),
            delete(keys.expired_turn(account, item["session_id"], number)),
        ]
    return [put(key, tombstone, **_version_condition(item))]


def expiry_writes(account: str, item: Item, expired: datetime) -> list[Write]:
    """Returns the writes that replace a turn by the marker that it expired.

    They require that the turn is as it was read.
    """
    session_id, number = item["session_id"], int(item["sequence_number"])
    marker = _metadata(item) | {"version": item["version"], turns.EXPIRED: rfc3339(expired)}
    return [
        delete(keys.turn(account, session_id, number), **_version_condition(item)),
        put(keys.expired_turn(account, session_id, number), marker),
    ]


def _metadata(item: Item) -> Item:
    """Returns a turn's attributes without its words."""
    kept = ("id", "session_id", "sequence_number", "role", "status", "created_at")
    return {name: item[name] for name in kept}


def _version_condition(item: Item) -> dict[str, Any]:
    return {
        "condition": "#version = :seen AND attribute_not_exists(deleted_at)",
        "names": {"#version": "version"},
        "values": {":seen": item["version"]},
    }
