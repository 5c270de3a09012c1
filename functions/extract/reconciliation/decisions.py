"""What may become of a candidate. Decisions are values."""

from dataclasses import dataclass

from strandline.models.memory import Citation, Memory, Reference


@dataclass(frozen=True, slots=True)
class Add:
    """Nothing like it is known: a new memory.

    `earlier` is what the user rejected and now says anew.
    """

    earlier: Reference | None = None


@dataclass(frozen=True, slots=True)
class Extend:
    """The fact is known: a new revision with the same text and these citations more."""

    memory: Memory
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """The fact is known from these very turns: nothing to write."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Revise:
    """The fact has changed: a new revision with the candidate's words, pinned to the old one.

    `earlier` as for Add.
    """

    memory: Memory
    earlier: Reference | None = None


@dataclass(frozen=True, slots=True)
class Challenge:
    """The fact has changed, but its words are the user's to change: a memory of its own.

    `earlier` as for Add.
    """

    memory: Memory
    earlier: Reference | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """Not to be learned."""

    reason: str


Decision = Add | Extend | Known | Revise | Challenge | Skip
