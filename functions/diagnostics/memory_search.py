"""Searching memories by their words: deterministic, without a model, equivalents once."""

from collections.abc import Iterator, Mapping, Sequence

from functions.diagnostics import memory_views
from functions.diagnostics.reference_queries import readable
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

HEADS_TOGETHER = 99
"""One call: the profile is read along with them, and a call reads a hundred items."""
MOST_READS = 8


def search(
    deps: Dependencies,
    account: str,
    question: str,
    wanted: MemoryFilter,
    page: tuple[int, str | None],
) -> ListPage[SearchHit]:
    """What shares words with the question, best first. Raises Invalid for one without words.

    `page` is how many, and the place of the last one before.
    """
    if not question.strip():
        raise Invalid("q must hold something other than white space.")
    limit, after = page
    profile = profiles.get(deps.table, account)
    found = text_matches(
        current_index(deps, account), stemming.stem_counts(question, profile.language)
    )
    if after is not None:
        last = match_order(_place(after))
        found = [alike for alike in found if match_order(alike[0].position) > last]
    return _shown(deps, account, found, wanted, limit)


def _shown(
    deps: Dependencies,
    account: str,
    found: Sequence[EquivalentMatches],
    wanted: MemoryFilter,
    limit: int,
) -> ListPage[SearchHit]:
    """The first that are there and wanted, one of equivalents; not without end."""
    erased = visibility.sessions_being_deleted(deps.table, account)
    kept: list[SearchHit] = []
    size = 0
    after: str | None = None
    for number, some in enumerate(_parts(found)):
        if number == MOST_READS:
            return ListPage(tuple(kept), after)
        names = {match.memory_id for alike in some for match in alike}
        heads = readable(deps, account, names, erased)
        for alike in some:
            hit = _first(alike, heads, wanted)
            if hit is not None:
                if len(kept) == limit or size > MAX_PAGE_BYTES:
                    return ListPage(tuple(kept), after)
                kept.append(hit)
                size += len(hit.model_dump_json())
            after = _text(alike[0].position)
    return ListPage(tuple(kept), None)


def _parts(found: Sequence[EquivalentMatches]) -> Iterator[Sequence[EquivalentMatches]]:
    """HEADS_TOGETHER at a time; equivalents stay together."""
    start = size = 0
    for end, alike in enumerate(found):
        if size and size + len(alike) > HEADS_TOGETHER:
            yield found[start:end]
            start, size = end, 0
        size += len(alike)
    if size:
        yield found[start:]


def _first(
    alike: EquivalentMatches, heads: Mapping[str, Head], wanted: MemoryFilter
) -> SearchHit | None:
    """The best of equivalents that is there and wanted: filters may tell them apart."""
    for match in alike:
        head = heads.get(match.memory_id)
        if head is not None and wanted.matches(head):
            return memory_views.hit(head, match)
    return None


def _text(place: MatchPosition) -> str:
    return "|".join(str(each) for each in place)


def _place(text: str) -> MatchPosition:
    score, updated_at, memory_id = text.split("|")
    return float(score), int(updated_at), memory_id
