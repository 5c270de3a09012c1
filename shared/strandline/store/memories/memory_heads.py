"""Memory heads and tombstones: each memory's current state."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from strandline import ids, keys
from strandline.errors import ContentDeleted, ContentExpired, NotFound
from strandline.item_codec import decode, encode
from strandline.models.memory import Citation, Memory
from strandline.models.memory_head import Head, MemoryUsage, Tombstone
from strandline.models.memory_status import MemoryStatus
from strandline.models.retention import RetentionRule
from strandline.queries import Query
from strandline.store.accounts import profiles
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import Table
from strandline.writes import Item, Write, put, put_new

PREFIX = "MEMORY#"
_HEAD_ATTRIBUTES = frozenset({"standing", "change", "log_change"})


def head_item(head: Head) -> Item:
    """Returns a head as an item, with the memory's fields as attributes of their own."""
    return encode(head.memory) | {
        "standing": encode(head.status),
        "change": head.change,
        "log_change": head.log_change,
    }


def put_head_write(account: str, before: Head | None, memory_id: str, item: Item) -> Write:
    """Returns the write that stores a head or a tombstone.

    It requires that the stored head is still `before`, or that there is none if that is None.
    """
    key = keys.memory(account, memory_id)
    if before is None:
        return put_new(key, item)
    return put(
        key,
        item,
        # Every change of a head gets a new change number, so the number identifies its state.
        condition="#change = :seen",
        names={"#change": "change"},
        values={":seen": before.change},
    )


def head_from_item(item: Item) -> Head | Tombstone:
    """Returns the head or the tombstone in an item."""
    if "deleted_at" in item:
        return decode(Tombstone, item)
    fields = {name: value for name, value in item.items() if name not in _HEAD_ATTRIBUTES}
    return Head(
        memory=decode(Memory, fields),
        status=decode(MemoryStatus, item["standing"]),
        change=int(item["change"]),
        log_change=int(item["log_change"]),
    )


def get(table: Table, account: str, memory_id: str) -> Head:
    """Returns a memory's head. Raises NotFound, ContentDeleted, ContentExpired.

    A hidden memory reads as deleted, since the time its source was deleted.
    """
    found = find_unexpired(table, account, [ids.checked_id("mem", memory_id)]).get(memory_id)
    if found is None:
        raise NotFound
    if isinstance(found, Tombstone):
        error = ContentExpired if found.expired else ContentDeleted
        raise error(found.deleted_at)
    if found.status.withheld_since is not None:
        raise ContentDeleted(found.status.withheld_since)
    return found


def get_readable(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head]:
    """Returns the heads of readable memories, by id: not deleted, hidden or expired."""
    return readable_heads(find_unexpired(table, account, memory_ids))


def find_unexpired(
    table: Table, account: str, memory_ids: Iterable[str]
) -> dict[str, Head | Tombstone]:
    """Returns heads and tombstones, by id; an expired head is returned as a tombstone."""
    profile_key = keys.profile(account)
    wanted = [keys.memory(account, memory_id) for memory_id in memory_ids]
    found = table.get_many([*wanted, profile_key]) if wanted else {}
    rule = profiles.retention_from_item(found.pop(profile_key, None)).memories
    result = {key: _expire(head_from_item(item), rule, table.now()) for key, item in found.items()}
    return {key.sk.removeprefix(PREFIX): each for key, each in result.items()}


def expired_at(head: Head, rule: RetentionRule, at: datetime) -> datetime | None:
    """Returns when a memory expired, None if it hasn't.

    Its age counts from the last change of its content. New evidence and verdicts change none.
    """
    return rule.expired_at(head.memory.updated_at, at)


def expiry_tombstone(
    head: Head, expired: datetime, citations: tuple[Citation, ...] = ()
) -> Tombstone:
    """Returns the tombstone of an expired memory; `citations` are those of all its revisions."""
    return Tombstone(
        id=head.memory.id,
        revision=head.memory.revision,
        log_change=head.log_change,
        deleted_at=expired,
        evidence=citations or head.memory.evidence,
        fingerprints=head.memory.fingerprints,
    )


def _expire(found: Head | Tombstone, rule: RetentionRule, at: datetime) -> Head | Tombstone:
    if isinstance(found, Tombstone) or found.status.withheld_since is not None:
        return found
    expired = expired_at(found, rule, at)
    return found if expired is None else expiry_tombstone(found, expired)


def find_heads(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head]:
    """Returns heads, by id, without deleted and hidden ones; expired heads are included."""
    return readable_heads(find_many(table, account, memory_ids))


def readable_heads(found: Mapping[str, Head | Tombstone]) -> dict[str, Head]:
    """Returns the heads among heads and tombstones, by id, without hidden ones."""
    return {
        name: head
        for name, head in found.items()
        if isinstance(head, Head) and head.status.withheld_since is None
    }


def find(table: Table, account: str, memory_id: str) -> Head | Tombstone:
    """Returns a memory's head or tombstone. Raises NotFound."""
    item = table.get(keys.memory(account, ids.checked_id("mem", memory_id)))
    if item is None:
        raise NotFound
    return head_from_item(item)


def find_many(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head | Tombstone]:
    """Returns heads and tombstones, by id."""
    found = table.get_many(keys.memory(account, memory_id) for memory_id in memory_ids)
    return {key.sk.removeprefix(PREFIX): head_from_item(item) for key, item in found.items()}


def page(
    table: Table, account: str, request: PageRequest, keep: Callable[[Head], Head | None]
) -> ListPage[Head]:
    """Returns a page of the heads that `keep` returns, newest first.

    `keep` gets every head but deleted, hidden and expired ones, and returns None to leave it out.
    """
    rule, at = profiles.get_retention(table, account).memories, table.now()

    def keep_item(item: Item) -> Head | None:
        found = _expire(head_from_item(item), rule, at)
        if isinstance(found, Tombstone) or found.status.withheld_since is not None:
            return None
        return keep(found)

    query = Query(keys.memory(account, "").pk, prefix=PREFIX, newest_first=True)
    return read_page(table, query, request, keep_item)


def get_usage(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, MemoryUsage]:
    """Returns how often and when memories were put into a prompt, by id."""
    found = table.get_many(keys.memory_usage(account, memory_id) for memory_id in memory_ids)
    return {key.sk.removeprefix(PREFIX): decode(MemoryUsage, item) for key, item in found.items()}
