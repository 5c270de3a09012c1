"""Passages of earlier versions of a turn, and where they stand in it now."""

from collections.abc import Iterable, Mapping, Sequence

from strandline.dependencies import Dependencies
from strandline.language.quotes import locate_quote
from strandline.language.words import quote_words
from strandline.models.memory import Citation
from strandline.models.turn import Turn
from strandline.store.conversations import turn_versions


def moved_citations(
    deps: Dependencies, account: str, turns: Sequence[Turn], citations: Iterable[Citation]
) -> Mapping[Citation, Citation]:
    """Those citations of earlier versions whose words still stand in the turn, and where.

    A version that is kept no more carries nothing over.
    """
    current = {turn.id: turn for turn in turns}
    old = [c for c in citations if c.turn_id in current and _is_earlier(c, current[c.turn_id])]
    earlier = _read(deps, account, {(c.turn_id, c.turn_version) for c in old})
    found = {}
    for citation in old:
        before = earlier.get((citation.turn_id, citation.turn_version))
        now = _now(citation, before, current[citation.turn_id]) if before else None
        if now is not None:
            found[citation] = now
    return found


def _is_earlier(citation: Citation, turn: Turn) -> bool:
    return citation.turn_version < turn.version


def _read(
    deps: Dependencies, account: str, wanted: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Turn]:
    found = {}
    for turn_id, number in sorted(wanted):
        read = turn_versions.get_many(deps.table, account, {turn_id: number}, deps.clock())
        if turn_id in read:
            found[turn_id, number] = read[turn_id]
    return found


def _now(citation: Citation, before: Turn, turn: Turn) -> Citation | None:
    words = quote_words(before.content, citation.word_start, citation.word_end)
    place = locate_quote(words, turn.content)
    if place is None:
        return None
    return citation.model_copy(
        update={
            "turn_version": turn.version,
            "word_start": place.word_start,
            "word_end": place.word_end,
        }
    )
