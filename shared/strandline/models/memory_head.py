"""A memory's head, its tombstone and how often it was used."""

from strandline.models.base import Time, Value
from strandline.models.memory import Citation, Memory
from strandline.models.memory_status import NEW_STATUS, MemoryStatus, is_recallable


class HeadMoved(Exception):
    """A memory was changed by someone else since it was read."""


class Head(Value):
    """A memory's current revision and how it stands.

    `change` is the number of its last change, `log_change` that of its record in the vector log:
    0 where it has none, since recall may not show it.
    """

    memory: Memory
    status: MemoryStatus = NEW_STATUS
    change: int
    log_change: int

    @property
    def recallable(self) -> bool:
        """Whether recall may show it."""
        return is_recallable(self.memory, self.status)


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


class MemoryUsage(Value):
    """How often and when a memory was last put into a prompt."""

    access_count: int = 0
    last_accessed_at: Time | None = None
