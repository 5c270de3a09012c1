"""Records of the account's vector log: index entries and removal markers (docs/data-model.md).

An entry replaces all earlier entries of its memory. A marker removes a session's memories.
"""

from dataclasses import dataclass

BYTES_PER_TERM = 5
"""A packed term: a stem id of four bytes and a count of one."""


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """A turn that a memory rests on; `said_at` is in microseconds since 1970."""

    session_id: str
    sequence_number: int
    said_at: int


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One memory as recall sees it.

    `vector` is little-endian float16 at unit length, in the space that `space` names
    (EmbeddingSpace.name). `terms` are packed by `strandline.recall.stemming.pack_terms`. Times
    are whole seconds since 1970. An entry that isn't eligible has neither vector nor terms.
    Memories with the same non-empty `equivalence_key` and the same `source_turns` are
    equivalent: recall shows one of them.
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
    source_turns: tuple[SourceTurn, ...] = ()
    equivalence_key: str = ""


@dataclass(frozen=True, slots=True)
class SessionRemoved:
    """A marker that a session was deleted: memories that rest on nothing else aren't eligible."""

    change: int
    session_id: str


LogRecord = IndexEntry | SessionRemoved
"""A record of the vector log."""
