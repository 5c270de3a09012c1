"""A memory: one account of something worth remembering, its evidence and its links."""

from collections.abc import Iterable
from enum import StrEnum

from strandline.models.base import Time, Value
from strandline.models.turn import Role

MAX_TITLE = 80
MAX_TEXT = 1_000
MAX_LABELS = 8
MAX_LABEL = 40
MAX_TOPIC = 60
MAX_SUBJECT = 80
"""Characters of a memory's words, and how many labels; whoever writes them."""


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

    `strandline.language.words` defines a word. The text itself stays in the turn alone, so that
    deleting a turn deletes its quotes. `said_at` is the turn's time. `turn_version` is the version
    that was quoted: a replaced turn keeps its earlier versions.
    """

    turn_id: str
    turn_version: int = 1
    role: Role
    word_start: int
    word_end: int
    said_at: Time


class Evidence(Citation):
    """A citation with its words, as they stood in the turn; `quote` is null when that is gone."""

    quote: str | None


class Reference(Value):
    """A pinned link to one revision of another memory."""

    memory_id: str
    revision: int


class Author(StrEnum):
    """Who wrote a revision's words: extraction from a turn, or the user, whose are protected."""

    MODEL = "model"
    USER = "user"


class TurnTime(Value):
    """When one turn was said that a memory rests on through what it refers to."""

    turn_id: str
    said_at: Time


class Memory(Value):
    """One revision of a memory.

    `importance` is 0 to 1. `subject` is "user" or a name. `topic` names the one thing a later
    statement would replace ("home city"), or is empty. `updated_at` moves with content only.
    `fingerprints` are hashes of the statement: they outlive a deletion, its words don't.
    `inherited` are the turns that its references rest on, beside its own evidence. `challenges`
    names what it contradicts and must not replace, since the user has confirmed or written that.
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
    author: Author = Author.MODEL
    inherited: tuple[TurnTime, ...] = ()
    challenges: Reference | None = None
    created_at: Time
    updated_at: Time


MAX_REFERENCES = 16
"""References of one revision: all of them are told wherever the memory is."""

MAX_INHERITED = 128
"""Turns a memory knows of through its references: the newest, if there are more."""

MAX_FINGERPRINTS = 32
"""Hashes of what a memory states and stated: the newest, if there are more."""


def inherited_turns(own: Iterable[Citation], referred_to: Iterable[Memory]) -> tuple[TurnTime, ...]:
    """The turns that those revisions rest on, themselves or through theirs; less its own."""
    found: dict[str, TurnTime] = {}
    for memory in referred_to:
        own_of_it = (TurnTime(turn_id=c.turn_id, said_at=c.said_at) for c in memory.evidence)
        found |= {each.turn_id: each for each in (*own_of_it, *memory.inherited)}
    for citation in own:
        found.pop(citation.turn_id, None)
    newest_last = sorted(found.values(), key=lambda each: (each.said_at, each.turn_id))
    return tuple(newest_last[-MAX_INHERITED:])


def with_fingerprints_of(memory: Memory, before: Memory) -> Memory:
    """With the earlier wordings' fingerprints: who deletes the memory deletes these as well."""
    prints = dict.fromkeys((*memory.fingerprints, *before.fingerprints))
    return memory.model_copy(update={"fingerprints": tuple(prints)[:MAX_FINGERPRINTS]})
