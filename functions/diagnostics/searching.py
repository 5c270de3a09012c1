"""Searching memories by their words: deterministic, without a model, equivalents once."""

from collections.abc import Iterator, Mapping, Sequence

from functions.diagnostics import views
from functions.diagnostics.graph import readable
from functions.diagnostics.responses import SearchHit
from strandline.errors import Invalid
from strandline.recall import lexical
from strandline.recall.live import current_index
from strandline.recall.retrieval import Alike, Place, matches, order
from strandline.runtime import Runtime
from strandline.selection import Selection
from strandline.store import hiding, profiles
from strandline.store.lists import MAX_PAGE_BYTES, Slice
from strandline.store.memories import Head

HEADS_TOGETHER = 99
"""One call: the profile is read along with them, and a call reads a hundred items."""
MOST_READS = 8


def search(
    runtime: Runtime,
    account: str,
    question: str,
    wanted: Selection,
    page: tuple[int, str | None],
) -> Slice[SearchHit]:
    """What shares words with the question, best first. Raises Invalid for one without words.

    `page` is how many, and the place of the last one before.
    """
    if not question.strip():
        raise Invalid("q must hold something other than white space.")
    limit, after = page
    profile = profiles.get(runtime.table, account)
    found = matches(current_index(runtime, account), lexical.stems(question, profile.language))
    if after is not None:
        last = order(_place(after))
        found = [alike for alike in found if order(alike[0].place) > last]
    return _shown(runtime, account, found, wanted, limit)


def _shown(
    runtime: Runtime, account: str, found: Sequence[Alike], wanted: Selection, limit: int
) -> Slice[SearchHit]:
    """The first that are there and wanted, one of equivalents; not without end."""
    erased = hiding.being_erased(runtime.table, account)
    kept: list[SearchHit] = []
    size = 0
    after: str | None = None
    for number, some in enumerate(_parts(found)):
        if number == MOST_READS:
            return Slice(tuple(kept), after)
        names = {match.memory_id for alike in some for match in alike}
        heads = readable(runtime, account, names, erased)
        for alike in some:
            hit = _first(alike, heads, wanted)
            if hit is not None:
                if len(kept) == limit or size > MAX_PAGE_BYTES:
                    return Slice(tuple(kept), after)
                kept.append(hit)
                size += len(hit.model_dump_json())
            after = _text(alike[0].place)
    return Slice(tuple(kept), None)


def _parts(found: Sequence[Alike]) -> Iterator[Sequence[Alike]]:
    """HEADS_TOGETHER at a time; equivalents stay together."""
    start = size = 0
    for end, alike in enumerate(found):
        if size and size + len(alike) > HEADS_TOGETHER:
            yield found[start:end]
            start, size = end, 0
        size += len(alike)
    if size:
        yield found[start:]


def _first(alike: Alike, heads: Mapping[str, Head], wanted: Selection) -> SearchHit | None:
    """The best of equivalents that is there and wanted: filters may tell them apart."""
    for match in alike:
        head = heads.get(match.memory_id)
        if head is not None and wanted.takes(head):
            return views.hit(head, match)
    return None


def _text(place: Place) -> str:
    return "|".join(str(each) for each in place)


def _place(text: str) -> Place:
    score, updated_at, memory_id = text.split("|")
    return float(score), int(updated_at), memory_id
