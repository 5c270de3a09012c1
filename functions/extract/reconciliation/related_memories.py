"""What is known around an exchange: the memories that what it teaches is set beside."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from functions.extract.candidates import spans
from functions.extract.pipeline import ExchangeInput, VerifiedCandidates
from functions.extract.reconciliation import similarity
from functions.extract.reconciliation.suppression import RelatedMemory
from strandline import keys
from strandline.dependencies import Dependencies
from strandline.language.statements import statement_fingerprints
from strandline.memories import index_placement
from strandline.models.memory import Author, Citation, Memory, Reference
from strandline.models.memory_head import Head, HeadMoved, Tombstone
from strandline.models.memory_status import Review
from strandline.recall.nearest import nearest_memories
from strandline.store.memories import memory_heads
from strandline.table import Query
from strandline.use_cases.recall_index import current_index

NEAREST = 12
STALE = 100
"""Stale memories that are compared with, the newest: mostly none are stale, or a few."""


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """For each candidate the memories near it, the heads of all of them, and closed passages.

    What the user deleted came from `closed`, wherever these words stand in the turns now.
    """

    near: list[list[RelatedMemory]]
    heads: Mapping[str, Head | Tombstone]
    closed: tuple[Citation, ...]

    def head(self, memory: Memory) -> Head:
        """The head of a memory that a decision names."""
        head = self.heads[memory.id]
        if not isinstance(head, Head):
            raise HeadMoved
        return head

    def memory(self, reference: Reference) -> Memory:
        """What a reference names, as it is now."""
        head = self.heads[reference.memory_id]
        if not isinstance(head, Head):
            raise HeadMoved
        return head.memory


def related_to_exchange(
    deps: Dependencies, account: str, material: ExchangeInput, understood: VerifiedCandidates
) -> RelatedMemories:
    """What recall finds near each candidate, and what recall may not show but must be compared.

    That is what rests on the exchange's own turns (redelivery finds it so), what states just the
    same, and what is stale: all of it may be current again. Raises HeadMoved.
    """
    index, space = current_index(deps, account), deps.embedder.space
    near = [nearest_memories(index, row, space, NEAREST) for row in understood.vectors]
    citing = _citing(deps, account, material)
    hidden = citing | _stating(deps, account, understood)
    hidden |= set(index_placement.list_stale(deps.table, account, STALE))
    wanted = {one.memory_id for each in near for one in each} | hidden
    heads = memory_heads.find_unexpired(deps.table, account, wanted)
    unseen = [head for head in memory_heads.readable_heads(heads).values() if not head.recallable]
    entries = index_placement.entries_of(deps.table, account, unseen) if unseen else {}
    scored = [
        dict.fromkeys(hidden, similarity.FAR)
        | similarity.parked_similarity(entries, row, space)
        | similarity.indexed_similarity(each)
        for row, each in zip(understood.vectors, near, strict=True)
    ]
    judged = {name: _judged(head) for name, head in heads.items() if name in citing}
    now = spans.moved_citations(
        deps, account, material.turns, (c for each in judged.values() for c in each)
    )
    places = {name: tuple(now[c] for c in each if c in now) for name, each in judged.items()}
    return RelatedMemories(
        [_near(each, heads, places) for each in scored], heads, _closed(heads, now)
    )


def _citing(deps: Dependencies, account: str, material: ExchangeInput) -> set[str]:
    user, assistant = material.turns
    first = keys.citation(account, user.session_id, user.sequence_number, "")
    last = keys.citation(account, user.session_id, assistant.sequence_number, "~")
    items = deps.table.all(Query.of_range(first, last))
    return {item["memory_id"] for item in items}


def _stating(deps: Dependencies, account: str, understood: VerifiedCandidates) -> set[str]:
    """What recall may not show and states just what a candidate does."""
    prints = {statement_fingerprints(each)[-1] for each in understood.candidates}
    found = (index_placement.find_unrecallable(deps.table, account, each) for each in prints)
    return {name for names in found for name in names}


def _judged(head: Head | Tombstone) -> tuple[Citation, ...]:
    """Where a memory comes from that the user deleted, rejected or put right."""
    if isinstance(head, Tombstone):
        return head.evidence
    theirs = head.memory.author is Author.USER or head.status.review is Review.REJECTED
    return head.memory.evidence if theirs else ()


def _closed(
    heads: Mapping[str, Head | Tombstone], now: Mapping[Citation, Citation]
) -> tuple[Citation, ...]:
    gone: Iterable[Tombstone] = (each for each in heads.values() if isinstance(each, Tombstone))
    places = [citation for each in gone for citation in each.evidence]
    return (*places, *(now[each] for each in places if each in now))


def _near(
    scores: similarity.Scores,
    heads: Mapping[str, Head | Tombstone],
    places: Mapping[str, tuple[Citation, ...]],
) -> list[RelatedMemory]:
    there = memory_heads.readable_heads(heads)
    return [
        RelatedMemory(there[name].memory, *score, there[name].status, places.get(name, ()))
        for name, score in scores.items()
        if name in there
    ]
