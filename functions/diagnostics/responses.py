"""What developers get."""

from strandline.api.paging import Page
from strandline.memories.cited_turns import SourceState
from strandline.models.base import Time, Value
from strandline.models.memory import Author, Citation, Kind, Reference
from strandline.models.memory_status import Flag, Freshness, Maturity, Review, State
from strandline.models.turn import Role


class Recording(Value):
    """One turn that was recorded; `inherited` when the memory rests on it through a reference."""

    turn_id: str
    at: Time
    inherited: bool


class RevisionView(Value):
    """One revision: its words, what it cites and refers to, and how it was judged.

    `current` tells whether it is what the memory says now.
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
    """A memory as it is now.

    `recorded` are the times of the turns it rests on, oldest first: between `recorded_from` and
    `recorded_to` nothing else was recorded. When it was made is told apart from that.
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
    """A memory that was found: how well it matches, and the ids of its equivalents.

    `score` is 0 to 1, `matched` how many of the words looked for it holds. It stands where the
    best of its equivalents does, whether or not that one was asked for.
    """

    score: float
    matched: int
    equivalents: tuple[str, ...]


class ReferencedBy(Value):
    """A revision that refers to the memory, and to which of its revisions."""

    memory_id: str
    revision: int
    current: bool
    target_revisions: tuple[int, ...]


class SourceView(Value):
    """What became of a cited version of a turn."""

    state: SourceState


class Quotation(Value):
    """Words `word_start` up to, not including, `word_end`; `text` is null when they are gone."""

    word_start: int
    word_end: int
    text: str | None


class EvidenceItem(Value):
    """A recorded turn, and one way from the memory to where it is cited.

    `path` begins with the revision asked about and ends with the one whose citations these are;
    `subject` is whom that one is about.
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
    """Some of the evidence. `truncated` tells that the graph was not followed to its end."""

    truncated: bool
