"""Finds the memories that the candidates of an exchange are compared with."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from functions.extract.candidates.candidate import ExtractedCandidates
from functions.extract.job_input import JobInput
from functions.extract.reconciliation.fact_comparison import RelatedMemory
from functions.extract.reconciliation.span_mapping import map_to_current_versions
from strandline import keys
from strandline.dependencies import Dependencies
from strandline.language.statements import statement_fingerprints
from strandline.memories import index_placement
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Author, Citation, Memory, Reference
from strandline.models.memory_head import Head, HeadChanged, Tombstone
from strandline.models.memory_status import Review
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.queries import Query
from strandline.recall.nearest import NearestMemory, nearest_memories
from strandline.recall.vectors import unit_vector, unpack_vectors
from strandline.store.memories import memory_heads
from strandline.use_cases.recall_index import current_index

NEAREST_PER_CANDIDATE = 12
MAX_STALE = 100
"""How many stale memories are compared, the newest ones; usually there are few."""

Score = tuple[float, float]
"""Cosine, and similarity on the common scale."""

Scores = Mapping[str, Score]
"""By memory id."""

NO_SIMILARITY: Score = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """The memories related to an exchange.

    `by_candidate` has a list per candidate, in their order; `heads` are the heads of all of them
    by id. `deleted_citations` cite what deleted memories were learned from, also where the words
    occur in the turns' current versions.
    """

    by_candidate: list[list[RelatedMemory]]
    heads: Mapping[str, Head | Tombstone]
    deleted_citations: tuple[Citation, ...]

    def head(self, memory: Memory) -> Head:
        """Returns the head of a memory. Raises HeadChanged when it was deleted."""
        head = self.heads[memory.id]
        if not isinstance(head, Head):
            raise HeadChanged
        return head

    def memory(self, reference: Reference) -> Memory:
        """Returns the current revision of a referenced memory. Raises HeadChanged."""
        head = self.heads[reference.memory_id]
        if not isinstance(head, Head):
            raise HeadChanged
        return head.memory


def related_to_exchange(
    deps: Dependencies, account: str, job_input: JobInput, extracted: ExtractedCandidates
) -> RelatedMemories:
    """Returns the memories near each candidate, and those that recall may not show.

    The latter cite the exchange's own turns (so that a redelivered job finds its own memories),
    state the same as a candidate, or are stale: all of them may become current again. Raises
    HeadChanged.
    """
    index, space = current_index(deps, account), deps.embedder.space
    vectors = extracted.vectors
    nearest = [nearest_memories(index, row, space, NEAREST_PER_CANDIDATE) for row in vectors]
    citing = _memories_citing_turns(deps, account, job_input)
    hidden = citing | _unrecallable_with_same_statement(deps, account, extracted)
    hidden |= set(index_placement.list_stale(deps.table, account, MAX_STALE))
    wanted = {one.memory_id for each in nearest for one in each} | hidden
    heads = memory_heads.find_unexpired(deps.table, account, wanted)
    entries = _unrecallable_entries(deps, account, heads)
    scores = [
        dict.fromkeys(hidden, NO_SIMILARITY)
        | _parked_similarity(entries, row, space)
        | _indexed_similarity(each)
        for row, each in zip(vectors, nearest, strict=True)
    ]
    judged = {name: _judged_citations(head) for name, head in heads.items() if name in citing}
    citations = [citation for each in judged.values() for citation in each]
    mapped = map_to_current_versions(deps, account, job_input.turns, citations)
    current = {name: tuple(mapped[c] for c in each if c in mapped) for name, each in judged.items()}
    by_candidate = [_related(each, heads, current) for each in scores]
    return RelatedMemories(by_candidate, heads, _deleted_citations(heads, mapped))


def _memories_citing_turns(deps: Dependencies, account: str, job_input: JobInput) -> set[str]:
    user, assistant = job_input.turns
    first = keys.citation(account, user.session_id, user.sequence_number, "")
    last = keys.citation(account, user.session_id, assistant.sequence_number, "~")
    items = deps.table.all(Query.of_range(first, last))
    return {item["memory_id"] for item in items}


def _unrecallable_with_same_statement(
    deps: Dependencies, account: str, extracted: ExtractedCandidates
) -> set[str]:
    prints = {statement_fingerprints(each)[-1] for each in extracted.candidates}
    found = (index_placement.find_unrecallable(deps.table, account, each) for each in prints)
    return {name for names in found for name in names}


def _unrecallable_entries(
    deps: Dependencies, account: str, heads: Mapping[str, Head | Tombstone]
) -> Mapping[str, IndexEntry]:
    """Returns the index entries of those memories that recall may not show."""
    readable = memory_heads.readable_heads(heads).values()
    unrecallable = [head for head in readable if not head.recallable]
    return index_placement.read_entries(deps.table, account, unrecallable) if unrecallable else {}


def _indexed_similarity(nearest: Iterable[NearestMemory]) -> dict[str, Score]:
    """Returns the scores of the memories that the recall index found."""
    return {one.memory_id: (one.cosine, one.similarity) for one in nearest}


def _parked_similarity(
    entries: Mapping[str, IndexEntry], vector: Vectors, space: EmbeddingSpace
) -> dict[str, Score]:
    """Returns the scores of entries outside the index whose vectors are of the same space."""
    unit = unit_vector(vector, space.dimensions)
    own = {name: entry for name, entry in entries.items() if entry.space == space.name}
    if unit is None or not own:
        return {}
    vectors, usable = unpack_vectors([each.vector for each in own.values()], space.dimensions)
    cosines = np.asarray(vectors @ unit, dtype=np.float32)
    similar = space.to_common_scale(cosines)
    pairs = zip(own, usable, cosines, similar, strict=True)
    return {name: (float(c), float(s)) for name, good, c, s in pairs if good}


def _judged_citations(head: Head | Tombstone) -> tuple[Citation, ...]:
    """Returns the evidence of a memory that the user deleted, rejected or corrected."""
    if isinstance(head, Tombstone):
        return head.evidence
    judged = head.memory.author is Author.USER or head.status.review is Review.REJECTED
    return head.memory.evidence if judged else ()


def _deleted_citations(
    heads: Mapping[str, Head | Tombstone], mapped: Mapping[Citation, Citation]
) -> tuple[Citation, ...]:
    tombstones: Iterable[Tombstone] = (h for h in heads.values() if isinstance(h, Tombstone))
    citations = [citation for each in tombstones for citation in each.evidence]
    return (*citations, *(mapped[each] for each in citations if each in mapped))


def _related(
    scores: Scores,
    heads: Mapping[str, Head | Tombstone],
    current_citations: Mapping[str, tuple[Citation, ...]],
) -> list[RelatedMemory]:
    readable = memory_heads.readable_heads(heads)
    return [
        RelatedMemory(
            readable[name].memory, *score, readable[name].status, current_citations.get(name, ())
        )
        for name, score in scores.items()
        if name in readable
    ]
