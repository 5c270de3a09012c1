"""The account's vector log: the codec of its records, reading and writing them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from strandline import keys
from strandline.models.index_entry import IndexEntry, LogRecord, SessionRemoved, SourceTurn
from strandline.queries import Query
from strandline.table import Table
from strandline.writes import Item, Write, delete, put_new

MARKER_LIFE = timedelta(days=1)


def read_after(table: Table, account: str, change: int) -> Iterator[LogRecord]:
    """Yields every record with a higher change number, in order, with consistent reads."""
    low, high = (
        keys.vector_record(account, change + 1),
        keys.vector_record(account, keys.MAX_CHANGE),
    )
    for item in table.all(Query.of_range(low, high)):
        yield record_from_item(item)


def get(table: Table, account: str, change: int) -> IndexEntry | None:
    """Returns the index entry with a change number, if it still exists."""
    item = table.get(keys.vector_record(account, change))
    record = record_from_item(item) if item else None
    return record if isinstance(record, IndexEntry) else None


def record_write(account: str, record: LogRecord, at: datetime) -> Write:
    """Returns the write that adds a record; markers of removals expire after a day."""
    item = record_to_item(record)
    if isinstance(record, SessionRemoved) or not record.eligible:
        item["expires_at"] = int((at + MARKER_LIFE).timestamp())
    return put_new(keys.vector_record(account, record.change), item)


def removal_write(account: str, change: int) -> Write:
    """Returns the write that removes a record that a newer one replaces."""
    return delete(keys.vector_record(account, change))


def record_to_item(record: LogRecord) -> Item:
    """Returns a record as an item. Attribute names are short, because every read pays for them."""
    if isinstance(record, SessionRemoved):
        return {"gone": record.session_id}
    item: Item = {"m": record.memory_id}
    if not record.eligible:
        return item
    return item | {
        "sp": record.space,
        "v": record.vector,
        "t": record.terms,
        # Four decimals are enough for a weight, and a short string parses faster than a Decimal.
        "i": f"{record.importance:.4f}",
        "c": record.created_at,
        "u": record.updated_at,
        "w": record.equivalence_key,
        "g": [f"{g.session_id}|{g.sequence_number}|{g.said_at}" for g in record.source_turns],
    }


def record_from_item(item: Item) -> LogRecord:
    """Returns the record in an item."""
    change = int(item["sk"])
    if "gone" in item:
        return SessionRemoved(change, item["gone"])
    if "v" not in item:
        return IndexEntry(change, item["m"], eligible=False)
    return IndexEntry(
        change=change,
        memory_id=item["m"],
        eligible=True,
        space=item["sp"],
        vector=_bytes(item["v"]),
        terms=_bytes(item["t"]),
        importance=float(item["i"]),
        created_at=int(item["c"]),
        updated_at=int(item["u"]),
        source_turns=tuple(_source_turn(text) for text in item["g"]),
        equivalence_key=item.get("w", ""),
    )


def _source_turn(text: str) -> SourceTurn:
    session_id, number, said_at = text.split("|")
    return SourceTurn(session_id, int(number), int(said_at))


def _bytes(value: Any) -> bytes:
    """Returns the bytes of boto3's Binary, or of bytes."""
    return bytes(value)
