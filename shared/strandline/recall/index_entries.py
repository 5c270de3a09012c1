"""Index entries: memories as the vector log stores them."""

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
    """Returns the log entry of a memory. Its change number is 0 until the entry is published.

    `vector` is the memory's embedding in `space`, of shape (dimensions,). `language` is the BCP
    47 tag of the account's language, by which the terms are stemmed. Raises ValueError for a
    vector that is zero or not finite.
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
        source_turns=source_turns(memory),
        equivalence_key=equivalence_key(memory),
    )


def equivalence_key(memory: Memory) -> str:
    """Returns a key that is equal for memories with the same wording: 16 hexadecimal digits.

    The wording is the kind, subject, polarity and text; case, spacing and sentence punctuation
    are ignored. This is stricter than `same_fact`, which decides whether a fact is learned: the
    key decides whether a memory is hidden behind another. Made of 64 bits of a SHA-256.
    """
    stated = statement_of(memory)
    parts = (memory.kind, stated.subject, stated.polarity, normalize_wording(memory.text))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def entry_terms(memory: Memory, language: str) -> dict[int, int]:
    """Returns stem ids and counts of the text, and of the title's stems that the text lacks.

    Titles mostly repeat their texts, so a stem in both counts only as often as in the text.
    """
    return stemming.stem_counts(memory.title, language) | stemming.stem_counts(
        memory.text, language
    )


def source_turns(memory: Memory) -> tuple[SourceTurn, ...]:
    """Returns the turns a memory rests on, each once.

    These are the turns of its evidence or, if it has none, those inherited from its references.
    """
    cited = [(each.turn_id, each.said_at) for each in memory.evidence]
    said = dict(cited or [(each.turn_id, each.said_at) for each in memory.inherited])
    return tuple(
        SourceTurn(*ids.parse_turn_id(turn_id), said_at=microseconds(at))
        for turn_id, at in said.items()
    )
