"""A memory on its way: as the model proposed it, and as verification left it."""

from dataclasses import dataclass
from datetime import datetime

from strandline.models.memory import Citation, Kind
from strandline.models.turn import Role


@dataclass(frozen=True, slots=True)
class Quote:
    """Words the model says it took from a turn; `turn` is None where it didn't say which."""

    turn: Role | None
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the model proposed, repaired and bounded, not yet believed."""

    kind: Kind
    title: str
    text: str
    importance: float
    labels: tuple[str, ...] = ()
    subject: str = "user"
    topic: str = ""
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """A candidate whose every citation stands word for word in its turn; `evidence` isn't empty.

    `language` is the text's own, as far as it shows, otherwise the profile's. `dated` is false
    where nobody knows when it was said.
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
        """When the newest of its evidence was said."""
        return max(citation.said_at for citation in self.evidence)

    @property
    def user_said_it(self) -> bool:
        """Whether any of its evidence is the user's own words."""
        return any(citation.role is Role.USER for citation in self.evidence)
