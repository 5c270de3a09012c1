"""Jobs: background work whose end state never changes."""

from enum import StrEnum

from strandline.models.base import Time, Value


class JobKind(StrEnum):
    """What a job does."""

    EXTRACTION = "extraction"
    DELETION = "deletion"
    RECONCILIATION = "reconciliation"
    RETENTION = "retention"


class JobState(StrEnum):
    """The state of a job: queued, running, or one of the end states."""

    QUEUED = "queued"
    RUNNING = "running"
    STORED = "stored"
    NONE = "none"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DONE = "done"

    @property
    def ended(self) -> bool:
        """Whether this is an end state."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


class Dropped(Value):
    """A candidate memory that was not stored, and the reason."""

    text: str
    reason: str


class JobResult(Value):
    """The memories and revisions that an extraction stored, and the candidates it dropped."""

    stored: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Job(Value):
    """A piece of background work. `sequence_number` is that of the exchange's user turn.

    A reconciliation updates the memories that depend on an exchange with a replaced turn, or on
    `memory_id`, which was changed or deleted. A retention job removes expired content; `place` is
    the position it has reached if it was interrupted. `lease` names the worker that runs the job
    now, until `lease_until`. `failures` counts failed attempts; an attempt whose worker was
    killed isn't counted.
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
    """A background job and its state."""

    id: str
    kind: JobKind
    state: JobState
    reason: str | None
    result: JobResult
    attempts: int
    created_at: Time
    updated_at: Time
