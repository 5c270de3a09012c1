"""Statements the user rejected: kept as fingerprints, so that they aren't learned again."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from strandline import keys
from strandline.item_codec import decode, encode
from strandline.language.statements import statement_fingerprints
from strandline.models.base import Time, Value
from strandline.models.memory import Memory
from strandline.table import Table
from strandline.writes import Write, delete, put


class Rejection(Value):
    """Which revision of which memory stated it, and when the user rejected that."""

    memory_id: str
    revision: int
    at: Time


def rejection_writes(
    account: str, memory: Memory, at: datetime, keeping: Collection[str] = ()
) -> list[Write]:
    """The writes that keep what this revision states from being learned again.

    What earlier ones said is another statement. Fingerprints in `keeping` are left out.
    """
    item = encode(Rejection(memory_id=memory.id, revision=memory.revision, at=at))
    return [
        put(keys.rejected_statement(account, each), item)
        for each in statement_fingerprints(memory)
        if each not in keeping
    ]


def withdrawal_writes(table: Table, account: str, memory: Memory) -> list[Write]:
    """The writes that let it be learned again, where no other memory's rejection forbids it."""
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
    """The rejections of those statements, by fingerprint, for those that were rejected."""
    found = table.get_many(keys.rejected_statement(account, each) for each in fingerprints)
    return {key.sk: decode(Rejection, item) for key, item in found.items()}
