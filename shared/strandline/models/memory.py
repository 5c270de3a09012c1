"""A memory: one statement worth remembering, with its evidence and references."""

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
"""The most characters of each text of a memory, and the most labels, whoever writes them."""


class Kind(StrEnum):
    """What kind of statement a memory makes."""

    SUMMARY = "summary"
    PROPOSAL = "proposal"
    DECISION = "decision"
    COMMITMENT = "commitment"
    QUESTION = "question"
    OBSERVATION = "observation"


class Citation(Value):
    """A span of a turn that a memory comes from.

    The span is the turn's words from `word_start` up to, but not including, `word_end`, counted
    from 0. `turn_version` is the version of the turn that was cited: a replaced turn keeps its
    earlier versions. `said_at` is the turn's time.
    """

    turn_id: str
    turn_version: int = 1
    role: Role
    word_start: int
    word_end: int
    said_at: Time


class Evidence(Citation):
    """A citation with the words it cites. `quote` is null when the turn was removed."""

    quote: str | None


class Reference(Value):
    """A reference to one revision of another memory."""

    memory_id: str
    revision: int


class Author(StrEnum):
    """Who wrote the words of a revision: the extraction model, or the user."""

    MODEL = "model"
    USER = "user"


class TurnTime(Value):
    """A turn that a memory inherits from a memory it refers to, and when the turn was said."""

    turn_id: str
    said_at: Time


class Memory(Value):
    """One revision of a memory.

    `importance` is 0 to 1. `subject` is "user" or a name. `topic` names the one thing that a
    later statement would replace ("home city"), or is empty. `updated_at` changes with the
    content only. `fingerprints` are hashes of the statement, which are kept when the memory is
    deleted. `inherited` are the turns that its references rest on, in addition to its own
    evidence. `challenges` is the memory that it contradicts but must not replace, because the
    user has confirmed or written that one.
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
"""The most references of a revision. Every response with the memory lists all of them."""

MAX_INHERITED = 128
"""The most inherited turns of a memory: of more, the newest are kept."""

MAX_FINGERPRINTS = 32
"""The most fingerprints of a memory, earlier wordings included: of more, the newest are kept."""


def inherited_turns(own: Iterable[Citation], referred_to: Iterable[Memory]) -> tuple[TurnTime, ...]:
    """Returns the turns that a memory inherits from the revisions it refers to, oldest first.

    These are the turns of their evidence and those they inherit themselves, without the turns
    that the memory cites itself (`own`).
    """
    found: dict[str, TurnTime] = {}
    for memory in referred_to:
        cited = (TurnTime(turn_id=c.turn_id, said_at=c.said_at) for c in memory.evidence)
        found |= {each.turn_id: each for each in (*cited, *memory.inherited)}
    for citation in own:
        found.pop(citation.turn_id, None)
    newest_last = sorted(found.values(), key=lambda each: (each.said_at, each.turn_id))
    return tuple(newest_last[-MAX_INHERITED:])


def with_fingerprints_of(memory: Memory, before: Memory) -> Memory:
    """Returns the memory with the fingerprints of its earlier wordings added.

    So deleting the memory also keeps its earlier wordings from being learned again.
    """
    prints = dict.fromkeys((*memory.fingerprints, *before.fingerprints))
    return memory.model_copy(update={"fingerprints": tuple(prints)[:MAX_FINGERPRINTS]})
