"""What the account's vector log holds: see DESIGN 4.1 in docs/data-model.md.

An entry of a memory replaces all earlier ones of it; a marker takes a session's memories out.
"""

from dataclasses import dataclass

BYTES_PER_TERM = 5


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """One turn a memory rests on; `said_at` in microseconds since the epoch."""

    session_id: str
    sequence_number: int
    said_at: int


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One memory as recall sees it.

    `vector` is little-endian float16, `space` names its model and size (EmbeddingSpace.name),
    `terms` is packed by `strandline.recall.lexical.pack`. Times are whole seconds since the
    epoch. An entry that isn't eligible carries neither vector nor terms. `same` is alike for
    memories of the same words about the same, and empty for one that is like no other: with the
    same grounds they are equivalent, and recall shows one of them.
    """

    change: int
    memory_id: str
    eligible: bool
    space: str = ""
    vector: bytes = b""
    terms: bytes = b""
    importance: float = 0.0
    created_at: int = 0
    updated_at: int = 0
    grounds: tuple[SourceTurn, ...] = ()
    same: str = ""


@dataclass(frozen=True, slots=True)
class SessionRemoved:
    """A session was deleted: what rests on nothing else is no longer eligible."""

    change: int
    session_id: str


LogRecord = IndexEntry | SessionRemoved
