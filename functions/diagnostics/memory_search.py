"""Searching memories by their words: deterministic, and without a model."""

from collections.abc import Iterator, Mapping, Sequence

from functions.diagnostics import memory_views
from functions.diagnostics.reference_queries import readable_heads
from functions.diagnostics.responses import SearchHit
from strandline.dependencies import Dependencies
from strandline.errors import Invalid
from strandline.memories import visibility
from strandline.models.memory_filter import MemoryFilter
from strandline.models.memory_head import Head
from strandline.recall import stemming
from strandline.recall.text_search import (
    EquivalentMatches,
    MatchPosition,
    match_order,
    text_matches,
)
from strandline.store.accounts import profiles
from strandline.store.pagination import MAX_PAGE_BYTES, ListPage
from strandline.use_cases.recall_index import current_index

HEADS_PER_READ = 99
"""One batch reads 100 items: these heads, and the profile with them."""
MAX_READS = 8
"""A page that finds little ends after that many reads; its cursor leads on."""


def search_memories(
    deps: Dependencies,
    account: str,
    question: str,
    wanted: MemoryFilter,
    page: tuple[int, str | None],
) -> ListPage[SearchHit]:
    """Returns a page of the memories that share words with the question, best match first.

    `page` is the number of items and the position of the last one before them. Raises Invalid for
    a question of white space only.
    """
    if not question.strip():
        raise Invalid("q must hold something other than white space.")
    limit, after = page
    profile = profiles.get(deps.table, account)
    found = text_matches(
        current_index(deps, account), stemming.stem_counts(question, profile.language)
    )
    if after is not None:
        last = match_order(_parse_position(after))
        found = [group for group in found if match_order(group[0].position) > last]
    return _first_page(deps, account, found, wanted, limit)


def _first_page(
    deps: Dependencies,
    account: str,
    found: Sequence[EquivalentMatches],
    wanted: MemoryFilter,
    limit: int,
) -> ListPage[SearchHit]:
    """Returns the first hits that may be read and match the filter, one per equivalence group.

    The page ends early when it has enough bytes or made enough reads.
    """
    deleting = visibility.sessions_being_deleted(deps.table, account)
    hits: list[SearchHit] = []
    size = 0
    after: str | None = None
    for number, batch in enumerate(_batches(found)):
        if number == MAX_READS:
            return ListPage(tuple(hits), after)
        memory_ids = {match.memory_id for group in batch for match in group}
        heads = readable_heads(deps, account, memory_ids, deleting)
        for group in batch:
            hit = _best_hit(group, heads, wanted)
            if hit is not None:
                if len(hits) == limit or size > MAX_PAGE_BYTES:
                    return ListPage(tuple(hits), after)
                hits.append(hit)
                size += len(hit.model_dump_json())
            after = _position(group[0].position)
    return ListPage(tuple(hits), None)


def _batches(groups: Sequence[EquivalentMatches]) -> Iterator[Sequence[EquivalentMatches]]:
    """Yields groups with at most HEADS_PER_READ memories together; no group is split."""
    start = size = 0
    for end, group in enumerate(groups):
        if size and size + len(group) > HEADS_PER_READ:
            yield groups[start:end]
            start, size = end, 0
        size += len(group)
    if size:
        yield groups[start:]


def _best_hit(
    group: EquivalentMatches, heads: Mapping[str, Head], wanted: MemoryFilter
) -> SearchHit | None:
    """Returns the best match of an equivalence group that may be read and matches the filter."""
    for match in group:
        head = heads.get(match.memory_id)
        if head is not None and wanted.matches(head):
            return memory_views.search_hit(head, match)
    return None


def _position(place: MatchPosition) -> str:
    return "|".join(str(part) for part in place)


def _parse_position(text: str) -> MatchPosition:
    score, updated_at, memory_id = text.split("|")
    return float(score), int(updated_at), memory_id
