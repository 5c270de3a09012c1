"""Memories: heads, revisions and what stays of a deleted one."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import ContentDeleted, ContentExpired, NotFound
from strandline.item_codec import decode, encode
from strandline.models.base import rfc3339
from strandline.models.memory import Citation, Memory
from strandline.models.memory_head import Head, MemoryUsage, Tombstone
from strandline.models.memory_status import GivenReview, MemoryStatus
from strandline.models.retention import RetentionRule
from strandline.queries import Query
from strandline.store.accounts import profiles
from strandline.store.pagination import ListPage, read_page
from strandline.table import Table
from strandline.writes import Item

PREFIX = "MEMORY#"
_BESIDE = frozenset({"standing", "change", "log_change"})


def head_item(head: Head) -> Item:
    """A head as an item: the memory's fields at the top, so that filters can name them."""
    return encode(head.memory) | {
        "standing": encode(head.status),
        "change": head.change,
        "log_change": head.log_change,
    }


def head_from_item(item: Item) -> Head | Tombstone:
    """The head, or what stays of it, in an item."""
    if "deleted_at" in item:
        return decode(Tombstone, item)
    fields = {name: value for name, value in item.items() if name not in _BESIDE}
    return Head(
        memory=decode(Memory, fields),
        status=decode(MemoryStatus, item["standing"]),
        change=int(item["change"]),
        log_change=int(item["log_change"]),
    )


def get(table: Table, account: str, memory_id: str) -> Head:
    """The memory as it is now. Raises NotFound, ContentDeleted, ContentExpired.

    What is withheld reads as deleted, since when what it derives from was.
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


def readable(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head]:
    """Those of these memories that may be read, by id: not deleted, withheld or expired."""
    return readable_heads(find_unexpired(table, account, memory_ids))


def find_unexpired(
    table: Table, account: str, memory_ids: Iterable[str]
) -> dict[str, Head | Tombstone]:
    """Those memories that are there or were, by id; what has expired is a tombstone at once."""
    profile_key = keys.profile(account)
    wanted = [keys.memory(account, memory_id) for memory_id in memory_ids]
    found = table.get_many([*wanted, profile_key]) if wanted else {}
    rule = profiles.retention_from_item(found.pop(profile_key, None)).memories
    as_read = {
        key: _as_read(head_from_item(item), rule, table.now()) for key, item in found.items()
    }
    return {key.sk.removeprefix(PREFIX): each for key, each in as_read.items()}


def expired_at(head: Head, rule: RetentionRule, at: datetime) -> datetime | None:
    """When a memory expired; None if it hasn't. Its age counts from its last words.

    Evidence and verdicts don't make it younger, as they don't make it say anything new.
    """
    return rule.expired_at(head.memory.updated_at, at)


def expiry_tombstone(head: Head, expired: datetime, places: tuple[Citation, ...] = ()) -> Tombstone:
    """What stays of a memory that has expired."""
    return Tombstone(
        id=head.memory.id,
        revision=head.memory.revision,
        log_change=head.log_change,
        deleted_at=expired,
        evidence=places or head.memory.evidence,
        fingerprints=head.memory.fingerprints,
    )


def _as_read(found: Head | Tombstone, rule: RetentionRule, at: datetime) -> Head | Tombstone:
    if isinstance(found, Tombstone) or found.status.withheld_since is not None:
        return found
    expired = expired_at(found, rule, at)
    return found if expired is None else expiry_tombstone(found, expired)


def readable_heads(found: Mapping[str, Head | Tombstone]) -> dict[str, Head]:
    """Those that are there, by id: neither deleted nor withheld."""
    return {
        name: head
        for name, head in found.items()
        if isinstance(head, Head) and head.status.withheld_since is None
    }


def find(table: Table, account: str, memory_id: str) -> Head | Tombstone:
    """The memory or what stays of it. Raises NotFound."""
    item = table.get(keys.memory(account, ids.checked_id("mem", memory_id)))
    if item is None:
        raise NotFound
    return head_from_item(item)


def find_many(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head | Tombstone]:
    """Those memories that are there or were, by id."""
    found = table.get_many(keys.memory(account, memory_id) for memory_id in memory_ids)
    return {key.sk.removeprefix(PREFIX): head_from_item(item) for key, item in found.items()}


def revisions(
    table: Table, account: str, wanted: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Memory]:
    """Those revisions that are there, by memory id and number."""
    found = table.get_many(keys.revision(account, *pair) for pair in wanted)
    memories = [decode(Memory, item) for item in found.values()]
    return {(memory.id, memory.revision): memory for memory in memories}


def history_page(
    table: Table, account: str, memory_id: str, limit: int, after: str | None
) -> ListPage[Memory]:
    """A memory's revisions, newest first."""
    return read_page(
        table,
        Query(keys.memory_partition(account, memory_id), prefix="REV#", newest_first=True),
        limit=limit,
        after=after,
        keep=lambda item: decode(Memory, item),
    )


def reviews(
    table: Table, account: str, memory_id: str, numbers: Iterable[int]
) -> dict[int, GivenReview]:
    """The judgments given on those revisions, by number."""
    found = table.get_many(keys.review(account, memory_id, number) for number in numbers)
    judged = [decode(GivenReview, item) for item in found.values()]
    return {each.revision: each for each in judged}


def page(
    table: Table,
    account: str,
    limit: int,
    after: str | None,
    wanted: Callable[[Head], Head | None],
) -> ListPage[Head]:
    """The account's memories that `wanted` lets through (as it gives them back), newest first.

    What was deleted or is withheld or has expired isn't asked about.
    """
    rule, at = profiles.get_retention(table, account).memories, table.now()

    def keep(item: Item) -> Head | None:
        found = _as_read(head_from_item(item), rule, at)
        if isinstance(found, Tombstone) or found.status.withheld_since is not None:
            return None
        return wanted(found)

    return read_page(
        table,
        Query(keys.memory(account, "").pk, prefix=PREFIX, newest_first=True),
        limit=limit,
        after=after,
        keep=keep,
    )


def get_usage(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, MemoryUsage]:
    """How those memories were used, by id."""
    found = table.get_many(keys.memory_usage(account, memory_id) for memory_id in memory_ids)
    return {key.sk.removeprefix(PREFIX): decode(MemoryUsage, item) for key, item in found.items()}


def deleted_statement_times(
    table: Table, account: str, fingerprints: Iterable[str]
) -> Mapping[str, datetime]:
    """When each of those statements was deleted by the user, for those that were."""
    found = table.get_many(
        keys.deleted_statement(account, fingerprint) for fingerprint in fingerprints
    )
    return {key.sk: datetime.fromisoformat(item["deleted_at"]) for key, item in found.items()}


def deleted_statement_item(at: datetime) -> dict[str, Any]:
    """What is kept under a deleted statement's fingerprint."""
    return {"deleted_at": rfc3339(at)}
