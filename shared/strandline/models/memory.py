"""A memory: one account of something worth remembering, its evidence and its links."""

from enum import StrEnum

from strandline.models.base import Time, Value
from strandline.models.turn import Role


class Kind(StrEnum):
    """What sort of account it is."""

    SUMMARY = "summary"
    PROPOSAL = "proposal"
    DECISION = "decision"
    COMMITMENT = "commitment"
    QUESTION = "question"
    OBSERVATION = "observation"


class Citation(Value):
    """Where a memory comes from: words `word_start` up to, not including, `word_end` of a turn.

    Words are those of `strandline.words`. The words themselves stay in the turn alone, so that
    a deleted turn takes its quotes with it. `said_at` is the turn's time.
    """

    turn_id: str
    role: Role
    word_start: int
    word_end: int
    said_at: Time


class Evidence(Citation):
    """A citation with its words, as they stand in the turn; `quote` is null when that is gone."""

    quote: str | None


class Reference(Value):
    """A pinned link to one revision of another memory."""

    memory_id: str
    revision: int


class Memory(Value):
    """One revision of a memory.

    `importance` is 0 to 1. `subject` is "user" or a name. `topic` names the one thing a later
    statement would replace ("home city"), or is empty. `updated_at` moves with content only.
    `fingerprints` are hashes of the statement: they outlive a deletion, its words don't.
    """

    id: str
    revision: int
    kind: Kind
    title: str
    text: str
    importance: float
    labels: tuple[str, ...] = ()
    subject: str = "user"
    topic: str = ""
    language: str = "en"
    evidence: tuple[Citation, ...]
    references: tuple[Reference, ...] = ()
    fingerprints: tuple[str, ...] = ()
    created_at: Time
    updated_at: Time


class MemoryView(Value):
    """A memory as clients read it: with quotes and with its use."""

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
    evidence: tuple[Evidence, ...]
    references: tuple[Reference, ...]
    created_at: Time
    updated_at: Time
    access_count: int
    last_accessed_at: Time | None
