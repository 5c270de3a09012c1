"""What isn't learned again: statements the user removed or rejected and hasn't said anew. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from functions.extract.candidate import Verified
from strandline.models.memory import Citation, Memory
from strandline.models.standing import NEW, Review, Standing
from strandline.models.turn import Role
from strandline.statements.statement import (
    Statement,
    compatible,
    fingerprints,
    same_fact,
    statement_of,
)
from strandline.store.rejections import Rejected

FORGOTTEN = "forgotten: the user removed this"
REJECTED = "rejected: the user said that this is wrong"
NOTHING_REJECTED: Mapping[str, Rejected] = MappingProxyType({})

REWORDED = 0.85
"""Cosine from which a replaced turn is taken to say a rejected thing again, names being equal.

Measured with all-MiniLM-L6-v2: of 21 rewordings ("lives in Oslo", "home is in Oslo") 14 lie at it
or above; of 22 other statements 6 do, mostly one word put for another ("works in Oslo"). Only what
a turn says in another version is held to this, not what another turn says.
"""


@dataclass(frozen=True, slots=True)
class Near:
    """A current memory near the candidate: `cosine` raw, `similarity` on the common scale."""

    memory: Memory
    cosine: float
    similarity: float
    standing: Standing = NEW

    @property
    def rejected_at(self) -> datetime | None:
        """When the user rejected it."""
        reviewed = self.standing.reviewed
        rejected = reviewed is not None and reviewed.review is Review.REJECTED
        return reviewed.at if reviewed is not None and rejected else None

    @property
    def overruled(self) -> bool:
        """Whether the user decided for another memory that contradicts it."""
        return self.standing.retracted_by is not None


def refusal(
    candidate: Verified,
    near: Iterable[Near],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejected],
) -> str | None:
    """Why the candidate isn't to be learned, if it isn't.

    `near` are the memories that it may repeat; the others as for `reconcile`.
    """
    prints = fingerprints(candidate)
    removed = [forgotten[each] for each in prints if each in forgotten]
    if removed and not said_after(candidate, max(removed)):
        return FORGOTTEN
    refused = [rejected[each].at for each in prints if each in rejected]
    if refused and not said_after(candidate, max(refused)):
        return REJECTED
    told = statement_of(candidate)
    if any(_repeats(candidate, told, known) for known in near):
        return REJECTED
    return None


def said_after(candidate: Verified, at: datetime) -> bool:
    """Whether the user has said it since then.

    Neither when a turn was replaced nor when it was imported is when it was said.
    """
    return candidate.dated and any(
        c.role is Role.USER and c.said_at > at for c in candidate.evidence
    )


def overlap(a: Citation, b: Citation) -> bool:
    """Whether both quote some of the same words of the same version of a turn."""
    same = (a.turn_id, a.turn_version) == (b.turn_id, b.turn_version)
    return same and a.word_start < b.word_end and b.word_start < a.word_end


def _repeats(candidate: Verified, told: Statement, known: Near) -> bool:
    """Whether it only repeats a rejected memory, that one's words or in other ones."""
    at, memory = known.rejected_at, known.memory
    if at is None or said_after(candidate, at):
        return False
    held = statement_of(memory)
    if compatible(candidate.kind, memory.kind) and same_fact(told, held):
        return True
    pairs = [(mine, its) for mine in candidate.evidence for its in memory.evidence]
    if any(overlap(mine, its) for mine, its in pairs):
        return True
    reworded = any(
        mine.turn_id == its.turn_id and mine.turn_version != its.turn_version for mine, its in pairs
    )
    return reworded and known.cosine >= REWORDED and _of_the_same(told, held)


def _of_the_same(told: Statement, held: Statement) -> bool:
    """Whether both name the same: what differs in a name or a sign is another statement."""
    return (
        told.subject == held.subject
        and told.polarity is held.polarity
        and told.marks == held.marks
        and told.names == held.names
    )
