"""What clients get."""

from strandline.api.paging import Page
from strandline.models.base import Value
from strandline.models.job import JobState
from strandline.models.memory import Evidence, Kind
from strandline.models.receipt import Context, RecallState
from strandline.models.turn import Turn


class ExtractionRef(Value):
    """The job that learns from an exchange, and how it stood when the answer was given."""

    job_id: str
    state: JobState


class Answer(Value):
    """A question, its answer, what the answer's prompt held and what will be learned from it."""

    user_turn: Turn
    assistant_turn: Turn
    context: Context
    extraction: ExtractionRef


class RecallHit(Value):
    """A memory found, with the terms of its score and the turns it cites."""

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
    """What was found and how the search went."""

    recall: RecallState


class ProviderStatus(Value):
    """One provider: whether it is configured, why not, and which slots use which model of it."""

    provider: str
    configured: bool
    reason: str | None
    slots: dict[str, str]


class Health(Value):
    """That the service is up, and what it can do."""

    status: str
    version: str
    capabilities: tuple[str, ...]
