"""Statements the user rejected: kept as fingerprints, so that they aren't learned again."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from strandline import keys
from strandline.models.base import Time, Value
from strandline.models.memory import Memory
from strandline.statements.statement import fingerprints
from strandline.table import Table, Write, decode, delete, encode, put


class Rejected(Value):
    """Which revision of which memory stated it, and when the user rejected that."""

    memory_id: str
    revision: int
    at: Time


def rejecting(
    account: str, memory: Memory, at: datetime, keeping: Collection[str] = ()
) -> list[Write]:
    """The writes that keep what this revision states from being learned again.

    What earlier ones said is another statement. Fingerprints in `keeping` are left out.
    """
    item = encode(Rejected(memory_id=memory.id, revision=memory.revision, at=at))
    return [
        put(keys.rejected(account, each), item)
        for each in fingerprints(memory)
        if each not in keeping
    ]


def taking_back(table: Table, account: str, memory: Memory) -> list[Write]:
    """The writes that let it be learned again, where no other memory's rejection forbids it."""
    found = of_fingerprints(table, account, fingerprints(memory))
    return [
        delete(
            keys.rejected(account, each),
            condition="memory_id = :mine",
            values={":mine": memory.id},
        )
        for each, rejected in found.items()
        if rejected.memory_id == memory.id
    ]


def of_fingerprints(
    table: Table, account: str, fingerprints: Iterable[str]
) -> Mapping[str, Rejected]:
    """The rejections of those statements, by fingerprint, for those that were rejected."""
    found = table.get_many(keys.rejected(account, each) for each in fingerprints)
    return {key.sk: decode(Rejected, item) for key, item in found.items()}
