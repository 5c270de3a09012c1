"""A memory as the vector log holds it."""

import hashlib
import json

from strandline import ids
from strandline.clock import microseconds
from strandline.language.folding import normalize_wording
from strandline.language.statements import statement_of
from strandline.models.index_entry import IndexEntry, SourceTurn
from strandline.models.memory import Memory
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall import stemming
from strandline.recall.vectors import pack_vector


def index_entry(
    memory: Memory, vector: Vectors, space: EmbeddingSpace, language: str
) -> IndexEntry:
    """The log entry of a memory; `language` is that of the account's questions.

    `vector` has the shape (dimensions,). The change number is given when it is published.
    """
    return IndexEntry(
        change=0,
        memory_id=memory.id,
        eligible=True,
        space=space.name,
        vector=pack_vector(vector),
        terms=stemming.pack_terms(entry_terms(memory, language)),
        importance=memory.importance,
        created_at=int(memory.created_at.timestamp()),
        updated_at=int(memory.updated_at.timestamp()),
        grounds=source_turns(memory),
        same=equivalence_key(memory),
    )


def equivalence_key(memory: Memory) -> str:
    """Alike for the same words of the same kind about the same: the first 64 bits of a SHA-256.

    Case, spacing and the punctuation of sentences aside; any other word, sign or number is another
    qualifier. Stricter than `same_fact`: that asks whether to learn, this whether to hide.
    """
    stated = statement_of(memory)
    parts = (memory.kind, stated.subject, stated.polarity, normalize_wording(memory.text))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def entry_terms(memory: Memory, language: str) -> dict[int, int]:
    """Stems of the text, and those that only the title has: a title mostly repeats its text."""
    return stemming.stem_counts(memory.title, language) | stemming.stem_counts(
        memory.text, language
    )


def source_turns(memory: Memory) -> tuple[SourceTurn, ...]:
    """The turns a memory rests on, each once: without evidence of its own, on those of others."""
    rests_on = [(each.turn_id, each.said_at) for each in memory.evidence]
    said = dict(rests_on or [(each.turn_id, each.said_at) for each in memory.inherited])
    return tuple(
        SourceTurn(*ids.parse_turn_id(turn_id), said_at=microseconds(at))
        for turn_id, at in said.items()
    )
