"""A memory as clients read it."""

from strandline.models.base import Time, Value
from strandline.models.memory import Author, Evidence, Kind, Reference
from strandline.models.memory_status import Flag, Freshness, Maturity, Review, State


class MemoryView(Value):
    """A memory with its quotes, how it stands and its use.

    `review` is the user's judgment of this revision. `author` is "user" for words that the user
    wrote: extraction doesn't change those.
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
