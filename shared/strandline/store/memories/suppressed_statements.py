"""Statements that the user rejected or deleted, kept as fingerprints.

Extraction doesn't learn them again.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from strandline import keys
from strandline.item_codec import decode, encode
from strandline.language.statements import statement_fingerprints
from strandline.models.base import Time, Value, rfc3339
from strandline.models.memory import Memory
from strandline.table import Table
from strandline.writes import Write, delete, put


class Rejection(Value):
    """The revision that made a rejected statement, and when the user rejected it."""

    memory_id: str
    revision: int
    at: Time


def rejection_writes(
    account: str, memory: Memory, at: datetime, allowed: Collection[str] = ()
) -> list[Write]:
    """Returns the writes that suppress a revision's statement.

    Statements of its earlier revisions are not suppressed. `allowed` are fingerprints that stay
    allowed.
    """
    item = encode(Rejection(memory_id=memory.id, revision=memory.revision, at=at))
    return [
        put(keys.rejected_statement(account, each), item)
        for each in statement_fingerprints(memory)
        if each not in allowed
    ]


def withdrawal_writes(table: Table, account: str, memory: Memory) -> list[Write]:
    """Returns the writes that withdraw this memory's rejection of its statement.

    Rejections by other memories stay.
    """
    found = find_rejections(table, account, statement_fingerprints(memory))
    return [
        delete(
            keys.rejected_statement(account, each),
            condition="memory_id = :mine",
            values={":mine": memory.id},
        )
        for each, rejected in found.items()
        if rejected.memory_id == memory.id
    ]


def find_rejections(
    table: Table, account: str, fingerprints: Iterable[str]
) -> Mapping[str, Rejection]:
    """Returns the rejections that exist, by fingerprint."""
    found = table.get_many(keys.rejected_statement(account, each) for each in fingerprints)
    return {key.sk: decode(Rejection, item) for key, item in found.items()}


def deleted_statement_times(
    table: Table, account: str, fingerprints: Iterable[str]
) -> Mapping[str, datetime]:
    """Returns when the user deleted each statement, by fingerprint, for deleted ones."""
    found = table.get_many(
        keys.deleted_statement(account, fingerprint) for fingerprint in fingerprints
    )
    return {key.sk: datetime.fromisoformat(item["deleted_at"]) for key, item in found.items()}


def deletion_writes(account: str, fingerprints: Iterable[str], at: datetime) -> list[Write]:
    """Returns the writes that suppress deleted statements."""
    item = {"deleted_at": rfc3339(at)}
    return [
        put(keys.deleted_statement(account, each), item) for each in dict.fromkeys(fingerprints)
    ]
