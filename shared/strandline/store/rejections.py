"""Statements the user rejected: kept as fingerprints, so that they aren't learned again."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from strandline import keys
from strandline.models.base import Time, Value
from strandline.models.memory import Memory
from strandline.table import Table, Write, decode, delete, encode, put


class Rejected(Value):
    """Which revision of which memory stated it, and when the user rejected that."""

    memory_id: str
    revision: int
    at: Time


def rejecting(account: str, memory: Memory, at: datetime) -> list[Write]:
    """The writes that keep what a memory states from being learned again."""
    item = encode(Rejected(memory_id=memory.id, revision=memory.revision, at=at))
    return [put(keys.rejected(account, each), item) for each in dict.fromkeys(memory.fingerprints)]


def taking_back(table: Table, account: str, memory: Memory) -> list[Write]:
    """The writes that let it be learned again, where no other memory's rejection forbids it."""
    found = of_fingerprints(table, account, memory.fingerprints)
    return [
        delete(keys.rejected(account, each))
        for each, rejected in found.items()
        if rejected.memory_id == memory.id
    ]


def of_fingerprints(
    table: Table, account: str, fingerprints: Iterable[str]
) -> Mapping[str, Rejected]:
    """The rejections of those statements, by fingerprint, for those that were rejected."""
    found = table.get_many(keys.rejected(account, each) for each in fingerprints)
    return {key.sk: decode(Rejected, item) for key, item in found.items()}
