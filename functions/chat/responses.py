"""Response bodies of the chat function."""

from strandline.api.paging import Page
from strandline.models.base import Time, Value
from strandline.models.job import JobState
from strandline.models.memory import Author, Evidence, Kind, Reference
from strandline.models.memory_status import Flag, Freshness, Maturity, Review, State
from strandline.models.receipt import Context, RecallState
from strandline.models.turn import Turn


class ExtractionRef(Value):
    """The job that learns memories from an exchange, and its state when the answer was given."""

    job_id: str
    state: JobState


class Answer(Value):
    """A question, its answer, a summary of the answer's prompt, and the extraction job."""

    user_turn: Turn
    assistant_turn: Turn
    context: Context
    extraction: ExtractionRef


class MemoryView(Value):
    """A memory with its quotes, its status and its usage.

    `review` is the user's review of this revision. `author` is "user" for content that the user
    wrote; extraction never changes it.
    """

    id: str
    revision: int
    kind: Kind
    title: str
    text: str
    importance: float
    labels: tuple[str, ...]
    subject: str
    topic: str
    language: str
    author: Author
    state: State
    maturity: Maturity
    freshness: Freshness
    review: Review
    saved: bool
    dismissed: bool
    flags: tuple[Flag, ...]
    challenges: Reference | None
    evidence: tuple[Evidence, ...]
    references: tuple[Reference, ...]
    created_at: Time
    updated_at: Time
    access_count: int
    last_accessed_at: Time | None


class RecallHit(Value):
    """A memory that was found, with the parts of its score and the turns it cites."""

    memory_id: str
    revision: int
    kind: Kind
    title: str
    text: str
    selected_by: str
    similarity: float | None
    lexical: float
    relevance: float
    importance: float
    recency: float
    score: float
    equivalents: tuple[str, ...]
    citations: tuple[Evidence, ...]


class RecallAnswer(Page[RecallHit]):
    """The memories found, and the state of the recall."""

    recall: RecallState


class ProviderStatus(Value):
    """A model provider: whether it is configured, why not, and its model per slot."""

    provider: str
    configured: bool
    reason: str | None
    slots: dict[str, str]


class Health(Value):
    """The service's status, version and capabilities."""

    status: str
    version: str
    capabilities: tuple[str, ...]
