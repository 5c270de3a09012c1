"""A memory before it is stored: as the model proposed it, and after verification."""

from dataclasses import dataclass
from datetime import datetime

from strandline.models.job import Dropped
from strandline.models.memory import Citation, Kind
from strandline.models.turn import Role
from strandline.providers.vector_types import Vectors


@dataclass(frozen=True, slots=True)
class Quote:
    """Words the model says it copied from a turn; `turn` is None where it didn't say which."""

    turn: Role | None
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that the model proposed: repaired and bounded, not yet verified."""

    kind: Kind
    title: str
    text: str
    importance: float
    labels: tuple[str, ...] = ()
    subject: str = "user"
    topic: str = ""
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifiedCandidate:
    """A candidate whose every citation occurs word for word in its turn; it has at least one.

    `language` is that of the text if it can be detected, else the profile's. `dated` is false
    where the time it was said at is unknown.
    """

    kind: Kind
    title: str
    text: str
    importance: float
    labels: tuple[str, ...]
    subject: str
    topic: str
    language: str
    evidence: tuple[Citation, ...]
    dated: bool = True

    @property
    def said_at(self) -> datetime:
        """The time of its newest evidence."""
        return max(citation.said_at for citation in self.evidence)

    @property
    def user_said_it(self) -> bool:
        """Whether any of its evidence is the user's own words."""
        return any(citation.role is Role.USER for citation in self.evidence)


@dataclass(frozen=True, slots=True, eq=False)
class ExtractedCandidates:
    """The verified candidates of one exchange with their vectors, and the dropped ones.

    `vectors` has one row per candidate, in the same order.
    """

    candidates: tuple[VerifiedCandidate, ...]
    vectors: Vectors
    dropped: tuple[Dropped, ...]
