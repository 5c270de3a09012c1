"""A job: one piece of background work, with a state that never goes back."""

from enum import StrEnum

from strandline.models.base import Time, Value


class JobKind(StrEnum):
    """What the job does."""

    EXTRACTION = "extraction"
    DELETION = "deletion"
    RECONCILIATION = "reconciliation"
    RETENTION = "retention"


class JobState(StrEnum):
    """queued → running → one of the end states."""

    QUEUED = "queued"
    RUNNING = "running"
    STORED = "stored"
    NONE = "none"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DONE = "done"

    @property
    def ended(self) -> bool:
        """Whether nothing can follow."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


class Dropped(Value):
    """A candidate that was not stored, and why."""

    text: str
    reason: str


class JobResult(Value):
    """What an extraction stored (new memories and new revisions) and dropped."""

    stored: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Job(Value):
    """A piece of background work. `sequence_number` names the user turn of the exchange.

    A reconciliation is about an exchange one of whose turns was replaced, or about `memory_id`,
    which was changed or deleted: it brings up to date what rests on that.

    A retention removes what has expired; `place` is how far it has come, where it was interrupted.

    `lease_until` and `lease` belong to whoever runs it now; `failures` counts failed tries,
    which a killed worker's try isn't.
    """

    id: str
    kind: JobKind
    state: JobState
    reason: str | None = None
    result: JobResult = JobResult()
    attempts: int = 0
    failures: int = 0
    session_id: str | None = None
    space_id: str | None = None
    sequence_number: int = 0
    memory_id: str | None = None
    place: str | None = None
    lease: str | None = None
    lease_until: Time | None = None
    created_at: Time
    updated_at: Time


class JobView(Value):
    """A job as clients read it."""

    id: str
    kind: JobKind
    state: JobState
    reason: str | None
    result: JobResult
    attempts: int
    created_at: Time
    updated_at: Time
