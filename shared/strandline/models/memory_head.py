"""The head of a memory, its tombstone and its usage."""

from strandline.models.base import Time, Value
from strandline.models.memory import Citation, Memory
from strandline.models.memory_status import NEW_STATUS, MemoryStatus, is_recallable


class HeadChanged(Exception):
    """Another writer changed the memory since it was read."""


class Head(Value):
    """A memory's current revision and status.

    `change` is the number of its last change. `log_change` is the change number of its record in
    the vector log; 0 if it has none, because recall may not show it.
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
    """What is kept of a deleted memory: where it came from, but none of its words.

    `fingerprints` are kept only if the account's retention removed the memory, at `deleted_at`:
    the user may still delete it, so that its statement isn't learned again.
    """

    id: str
    revision: int
    log_change: int
    deleted_at: Time
    evidence: tuple[Citation, ...] = ()
    fingerprints: tuple[str, ...] | None = None

    @property
    def expired(self) -> bool:
        """Whether retention removed it, and the user hasn't deleted it since."""
        return self.fingerprints is not None


class MemoryUsage(Value):
    """How often and when a memory was last put into a prompt."""

    access_count: int = 0
    last_accessed_at: Time | None = None
