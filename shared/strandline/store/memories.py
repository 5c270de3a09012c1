"""Memories: heads, revisions and what stays of a deleted one."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import ContentDeleted, ContentExpired, NotFound
from strandline.models.base import Time, Value, rfc3339
from strandline.models.memory import Citation, Memory
from strandline.models.standing import NEW, Reviewed, Standing, recallable
from strandline.retention import Rule
from strandline.store import profiles
from strandline.store.lists import Slice, read_slice
from strandline.table import Item, Table, decode, encode

PREFIX = "MEMORY#"
_BESIDE = frozenset({"standing", "change", "log_change"})


class HeadMoved(Exception):
    """A memory was changed by someone else since it was read."""


class Head(Value):
    """A memory's current revision and how it stands.

    `change` is the number of its last change, `log_change` that of its record in the vector log:
    0 where it has none, since recall may not show it.
    """

    memory: Memory
    standing: Standing = NEW
    change: int
    log_change: int

    @property
    def recallable(self) -> bool:
        """Whether recall may show it."""
        return recallable(self.memory, self.standing)


class Tombstone(Value):
    """What stays of a deleted memory: where it came from, none of its words.

    `fingerprints` are only kept of one that the account's retention removed, at `deleted_at`: the
    user may still delete it, and with it the statement.
    """

    id: str
    revision: int
    log_change: int
    deleted_at: Time
    evidence: tuple[Citation, ...] = ()
    fingerprints: tuple[str, ...] | None = None

    @property
    def expired(self) -> bool:
        """Whether retention removed it, and nobody has deleted it since."""
        return self.fingerprints is not None


class Used(Value):
    """How often and when a memory was last put into a prompt."""

    access_count: int = 0
    last_accessed_at: Time | None = None


def head_item(head: Head) -> Item:
    """A head as an item: the memory's fields at the top, so that filters can name them."""
    return encode(head.memory) | {
        "standing": encode(head.standing),
        "change": head.change,
        "log_change": head.log_change,
    }


def of_item(item: Item) -> Head | Tombstone:
    """The head, or what stays of it, in an item."""
    if "deleted_at" in item:
        return decode(Tombstone, item)
    fields = {name: value for name, value in item.items() if name not in _BESIDE}
    return Head(
        memory=decode(Memory, fields),
        standing=decode(Standing, item["standing"]),
        change=int(item["change"]),
        log_change=int(item["log_change"]),
    )


def get(table: Table, account: str, memory_id: str) -> Head:
    """The memory as it is now. Raises NotFound, ContentDeleted, ContentExpired.

    What is withheld reads as deleted, since when what it derives from was.
    """
    found = find_as_read(table, account, [ids.checked("mem", memory_id)]).get(memory_id)
    if found is None:
        raise NotFound
    if isinstance(found, Tombstone):
        error = ContentExpired if found.expired else ContentDeleted
        raise error(found.deleted_at)
    if found.standing.withheld_since is not None:
        raise ContentDeleted(found.standing.withheld_since)
    return found


def readable(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head]:
    """Those of these memories that may be read, by id: not deleted, withheld or expired."""
    return live(find_as_read(table, account, memory_ids))


def find_as_read(
    table: Table, account: str, memory_ids: Iterable[str]
) -> dict[str, Head | Tombstone]:
    """Those memories that are there or were, by id; what has expired is a tombstone at once."""
    profile_key = keys.profile(account)
    wanted = [keys.memory(account, memory_id) for memory_id in memory_ids]
    found = table.get_many([*wanted, profile_key]) if wanted else {}
    rule = profiles.retention_of(found.pop(profile_key, None)).memories
    as_read = {key: _as_read(of_item(item), rule, table.now()) for key, item in found.items()}
    return {key.sk.removeprefix(PREFIX): each for key, each in as_read.items()}


def expired_at(head: Head, rule: Rule, at: datetime) -> datetime | None:
    """When a memory expired; None if it hasn't. Its age counts from its last words.

    Evidence and verdicts don't make it younger, as they don't make it say anything new.
    """
    return rule.expired_at(head.memory.updated_at, at)


def remains(head: Head, expired: datetime, places: tuple[Citation, ...] = ()) -> Tombstone:
    """What stays of a memory that has expired."""
    return Tombstone(
        id=head.memory.id,
        revision=head.memory.revision,
        log_change=head.log_change,
        deleted_at=expired,
        evidence=places or head.memory.evidence,
        fingerprints=head.memory.fingerprints,
    )


def _as_read(found: Head | Tombstone, rule: Rule, at: datetime) -> Head | Tombstone:
    if isinstance(found, Tombstone) or found.standing.withheld_since is not None:
        return found
    expired = expired_at(found, rule, at)
    return found if expired is None else remains(found, expired)


def live(found: Mapping[str, Head | Tombstone]) -> dict[str, Head]:
    """Those that are there, by id: neither deleted nor withheld."""
    return {
        name: head
        for name, head in found.items()
        if isinstance(head, Head) and head.standing.withheld_since is None
    }


def find(table: Table, account: str, memory_id: str) -> Head | Tombstone:
    """The memory or what stays of it. Raises NotFound."""
    item = table.get(keys.memory(account, ids.checked("mem", memory_id)))
    if item is None:
        raise NotFound
    return of_item(item)


def find_many(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head | Tombstone]:
    """Those memories that are there or were, by id."""
    found = table.get_many(keys.memory(account, memory_id) for memory_id in memory_ids)
    return {key.sk.removeprefix(PREFIX): of_item(item) for key, item in found.items()}


def revisions(
    table: Table, account: str, wanted: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Memory]:
    """Those revisions that are there, by memory id and number."""
    found = table.get_many(keys.revision(account, *pair) for pair in wanted)
    memories = [decode(Memory, item) for item in found.values()]
    return {(memory.id, memory.revision): memory for memory in memories}


def history_page(
    table: Table, account: str, memory_id: str, limit: int, after: str | None
) -> Slice[Memory]:
    """A memory's revisions, newest first."""
    return read_slice(
        table,
        keys.memory_partition(account, memory_id),
        prefix="REV#",
        limit=limit,
        after=after,
        keep=lambda item: decode(Memory, item),
    )


def reviews(
    table: Table, account: str, memory_id: str, numbers: Iterable[int]
) -> dict[int, Reviewed]:
    """The judgments given on those revisions, by number."""
    found = table.get_many(keys.review(account, memory_id, number) for number in numbers)
    judged = [decode(Reviewed, item) for item in found.values()]
    return {each.revision: each for each in judged}


def page(
    table: Table,
    account: str,
    limit: int,
    after: str | None,
    wanted: Callable[[Head], Head | None],
) -> Slice[Head]:
    """The account's memories that `wanted` lets through (as it gives them back), newest first.

    What was deleted or is withheld or has expired isn't asked about.
    """
    rule, at = profiles.retention(table, account).memories, table.now()

    def keep(item: Item) -> Head | None:
        found = _as_read(of_item(item), rule, at)
        if isinstance(found, Tombstone) or found.standing.withheld_since is not None:
            return None
        return wanted(found)

    return read_slice(
        table,
        keys.memory(account, "").pk,
        prefix=PREFIX,
        limit=limit,
        after=after,
        keep=keep,
    )


def uses(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Used]:
    """How those memories were used, by id."""
    found = table.get_many(keys.use(account, memory_id) for memory_id in memory_ids)
    return {key.sk.removeprefix(PREFIX): decode(Used, item) for key, item in found.items()}


def forgotten_since(
    table: Table, account: str, fingerprints: Iterable[str]
) -> Mapping[str, datetime]:
    """When each of those statements was deleted by the user, for those that were."""
    found = table.get_many(keys.forgotten(account, fingerprint) for fingerprint in fingerprints)
    return {key.sk: datetime.fromisoformat(item["deleted_at"]) for key, item in found.items()}


def forgotten_item(at: datetime) -> dict[str, Any]:
    """What is kept under a deleted statement's fingerprint."""
    return {"deleted_at": rfc3339(at)}
