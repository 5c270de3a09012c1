"""Response bodies of diagnostics."""

from strandline.api.paging import Page
from strandline.memories.cited_turns import SourceState
from strandline.models.base import Time, Value
from strandline.models.memory import Author, Citation, Kind, Reference
from strandline.models.memory_status import Flag, Freshness, Maturity, Review, State
from strandline.models.turn import Role


class Recording(Value):
    """A turn and its time; `inherited` when the memory rests on it through a reference."""

    turn_id: str
    at: Time
    inherited: bool


class RevisionView(Value):
    """A revision with its content, citations, references and review.

    `current` tells whether it is the memory's current revision.
    """

    id: str
    revision: int
    current: bool
    kind: Kind
    title: str
    text: str
    importance: float
    labels: tuple[str, ...]
    subject: str
    topic: str
    language: str
    author: Author
    review: Review
    reviewed_at: Time | None
    citations: tuple[Citation, ...]
    references: tuple[Reference, ...]
    challenges: Reference | None
    created_at: Time
    updated_at: Time


class MemoryHead(RevisionView):
    """A memory's current revision with its status.

    `recorded` are the turns it rests on, oldest first; `recorded_from` and `recorded_to` are the
    times of the first and the last. `created_at` is the time of the revision itself.
    """

    state: State
    maturity: Maturity
    freshness: Freshness
    stale_since: Time | None
    saved: bool
    dismissed: bool
    flags: tuple[Flag, ...]
    recorded: tuple[Recording, ...]
    recorded_from: Time | None
    recorded_to: Time | None


class SearchHit(MemoryHead):
    """A memory that was found, how well it matches, and the ids of its equivalents.

    `score` is 0 to 1; `matched` counts the words of the question that it contains. Its position in
    the list is that of its best equivalent, even if the filters leave that one out.
    """

    score: float
    matched: int
    equivalents: tuple[str, ...]


class ReferencedBy(Value):
    """A revision that refers to the memory, and the revisions it refers to."""

    memory_id: str
    revision: int
    current: bool
    target_revisions: tuple[int, ...]


class SourceView(Value):
    """The state of a cited version of a turn."""

    state: SourceState


class Quotation(Value):
    """The words from `word_start` up to but not including `word_end`; `text` is null if gone."""

    word_start: int
    word_end: int
    text: str | None


class EvidenceItem(Value):
    """A cited turn, and the path from the memory to the revision that cites it.

    `path` starts with the revision of the request and ends with the one whose citations these are;
    `subject` is the subject of that one.
    """

    turn_id: str
    turn_version: int
    role: Role
    said_at: Time
    subject: str
    citations: tuple[Quotation, ...]
    path: tuple[Reference, ...]
    source: SourceView


class EvidencePage(Page[EvidenceItem]):
    """A page of evidence. `truncated` tells that the bounds left out references."""

    truncated: bool
