"""What happens to a candidate: decisions as values."""

from dataclasses import dataclass

from strandline.models.memory import Citation, Memory, Reference


@dataclass(frozen=True, slots=True)
class AddMemory:
    """Nothing like it is known: a new memory.

    `predecessor` is the revision the user rejected, where the user now states it again.
    """

    predecessor: Reference | None = None


@dataclass(frozen=True, slots=True)
class AddEvidence:
    """The fact is known: a revision with the same text and these further citations."""

    memory: Memory
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class AlreadyKnown:
    """The fact is known from these very turns: nothing to write."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class ReviseMemory:
    """The fact has changed: a revision with the candidate's text, which references the old one.

    `predecessor` as for AddMemory.
    """

    memory: Memory
    predecessor: Reference | None = None


@dataclass(frozen=True, slots=True)
class ChallengeMemory:
    """The fact has changed, but only the user may change the memory: a new memory contradicts it.

    `predecessor` as for AddMemory.
    """

    memory: Memory
    predecessor: Reference | None = None


@dataclass(frozen=True, slots=True)
class SkipCandidate:
    """The candidate is not stored; `reason` goes to the job."""

    reason: str


Decision = AddMemory | AddEvidence | AlreadyKnown | ReviseMemory | ChallengeMemory | SkipCandidate
