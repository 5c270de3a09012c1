"""Searching memories by their words: deterministic, without a model, equivalents once."""

from collections.abc import Sequence

from functions.diagnostics import views
from functions.diagnostics.graph import readable
from functions.diagnostics.responses import SearchHit
from strandline.errors import Invalid
from strandline.recall import lexical
from strandline.recall.live import current_index
from strandline.recall.retrieval import Match, Place, matches, order
from strandline.runtime import Runtime
from strandline.selection import Selection
from strandline.store import hiding, profiles
from strandline.store.lists import Slice

HEADS_TOGETHER = 100
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
        found = [match for match in found if order(match.place) > last]
    return _shown(runtime, account, found, wanted, limit)


def _shown(
    runtime: Runtime, account: str, found: Sequence[Match], wanted: Selection, limit: int
) -> Slice[SearchHit]:
    """The first that are there and wanted; some at a time, and not without end."""
    erased = hiding.being_erased(runtime.table, account)
    kept: list[SearchHit] = []
    after: str | None = None
    for start in range(0, min(len(found), HEADS_TOGETHER * MOST_READS), HEADS_TOGETHER):
        some = found[start : start + HEADS_TOGETHER]
        heads = readable(runtime, account, {match.memory_id for match in some}, erased)
        for match in some:
            head = heads.get(match.memory_id)
            if head is not None and wanted.takes(head):
                if len(kept) == limit:
                    return Slice(tuple(kept), after)
                kept.append(views.hit(head, match))
            after = _text(match.place)
    more = len(found) > HEADS_TOGETHER * MOST_READS
    return Slice(tuple(kept), after if more else None)


def _text(place: Place) -> str:
    return "|".join(str(each) for each in place)


def _place(text: str) -> Place:
    score, updated_at, memory_id = text.split("|")
    return float(score), int(updated_at), memory_id
