"""Compares a candidate with a related memory: the same fact, a contradicting one, or another.

Pure. The words decide; the vectors only support.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from functions.extract.candidates.candidate import VerifiedCandidate
from strandline.language.statements import (
    Statement,
    are_opposite,
    compatible,
    is_reversed,
    one_contains_other,
    same_fact,
    statement_of,
)
from strandline.models.memory import Citation, Kind, Memory
from strandline.models.memory_status import NEW_STATUS, MemoryStatus, Review, is_recallable

SUPPORTING_SIMILARITY = 0.45
"""Similarity, on the common scale, from which a shared topic is taken to mean the same thing.

Measured: statements with nothing in common lie at 0.1 to 0.2, changed ones ("lives in Oslo",
"lives in Bergen") at 0.6 and more.
"""

ECHO_COSINE = 0.92
"""Cosine from which the assistant's words repeat a memory."""

REPLACED_KINDS: Mapping[Kind, frozenset[Kind]] = {
    Kind.QUESTION: frozenset(),
    Kind.PROPOSAL: frozenset({Kind.PROPOSAL}),
    Kind.DECISION: frozenset({Kind.DECISION, Kind.PROPOSAL}),
    Kind.COMMITMENT: frozenset({Kind.COMMITMENT, Kind.PROPOSAL}),
    Kind.OBSERVATION: frozenset({Kind.OBSERVATION, Kind.SUMMARY, Kind.DECISION}),
    Kind.SUMMARY: frozenset({Kind.SUMMARY}),
}
"""By a statement's kind, the kinds of memories that it replaces when it has the same topic."""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A memory to compare a candidate with, and how similar their vectors are.

    `cosine` is raw, `similarity` on the common scale, 0 to 1. `current_citations` are citations
    of replaced turns, mapped to the turns' current versions.
    """

    memory: Memory
    cosine: float
    similarity: float
    status: MemoryStatus = NEW_STATUS
    current_citations: tuple[Citation, ...] = ()

    @property
    def rejected_at(self) -> datetime | None:
        """When the user rejected it; None if the user didn't."""
        reviewed = self.status.reviewed
        rejected = reviewed is not None and reviewed.review is Review.REJECTED
        return reviewed.at if reviewed is not None and rejected else None

    @property
    def overruled(self) -> bool:
        """Whether the user decided for another memory that contradicts it."""
        return self.status.retracted_by is not None

    @property
    def recallable(self) -> bool:
        """Whether recall may show it."""
        return is_recallable(self.memory, self.status)


def states_same_fact(
    candidate: VerifiedCandidate, statement: Statement, related: RelatedMemory
) -> bool:
    """Whether the memory states the candidate's fact; `statement` is the candidate's."""
    memory = related.memory
    return compatible(candidate.kind, memory.kind) and same_fact(statement, statement_of(memory))


def echoes_memory(statement: Statement, related: RelatedMemory) -> bool:
    """Whether the assistant only repeats the memory, whoever the model takes as its subject."""
    known = replace(statement_of(related.memory), subject=statement.subject)
    return related.cosine >= ECHO_COSINE or same_fact(statement, known)


def contradicts_memory(
    candidate: VerifiedCandidate, statement: Statement, related: RelatedMemory
) -> bool:
    """Whether the candidate states something else about exactly what the memory is about."""
    memory = related.memory
    known = statement_of(memory)
    if statement.subject != known.subject or _from_same_exchange(candidate, memory):
        return False
    if compatible(candidate.kind, memory.kind) and _cannot_both_hold(statement, known):
        return candidate.kind is not Kind.QUESTION
    if not statement.topic or statement.topic != known.topic:
        return False
    replaced = memory.kind in REPLACED_KINDS[candidate.kind]
    return replaced and _topic_means_same(statement, known, related.similarity)


def turn_version(citation: Citation) -> tuple[str, int]:
    """Returns the source of a citation: a replaced turn counts as another one."""
    return citation.turn_id, citation.turn_version


def last_said_at(memory: Memory) -> datetime:
    """Returns the time of a memory's newest evidence."""
    return max(citation.said_at for citation in memory.evidence)


def _cannot_both_hold(a: Statement, b: Statement) -> bool:
    """Whether they exclude each other. Two journeys between the same places don't."""
    return are_opposite(a, b) or (a.order.compares and is_reversed(a, b))


def _topic_means_same(a: Statement, b: Statement, similarity: float) -> bool:
    """Whether the words confirm that the shared topic means the same thing.

    Feelings about different things don't replace each other, whatever topic they share: who loves
    Thai food may love Chinese food too. Nor do allergies, nor the members of a plural topic.
    """
    if a.many and b.many and not one_contains_other(a, b):
        return False
    shared = a.words & b.words
    beyond_topic = shared - a.topic
    return similarity >= SUPPORTING_SIMILARITY or bool(beyond_topic) or a.topic <= shared


def _from_same_exchange(candidate: VerifiedCandidate, memory: Memory) -> bool:
    newest = max(memory.evidence, key=lambda c: c.said_at)
    return any(turn_version(each) == turn_version(newest) for each in candidate.evidence)
