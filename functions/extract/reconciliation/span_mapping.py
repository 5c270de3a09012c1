"""Maps citations of a turn's earlier versions to the turn's current version."""

from collections.abc import Iterable, Mapping, Sequence

from strandline.dependencies import Dependencies
from strandline.language.quotes import locate_quote
from strandline.language.words import quote_words
from strandline.models.memory import Citation
from strandline.models.turn import Turn
from strandline.store.conversations import turn_versions


def map_to_current_versions(
    deps: Dependencies, account: str, turns: Sequence[Turn], citations: Iterable[Citation]
) -> Mapping[Citation, Citation]:
    """Returns, by the earlier citation, the same words cited in the turn's current version.

    Citations whose words aren't in the turn any more are left out, and those of a version that
    is no longer kept.
    """
    current = {turn.id: turn for turn in turns}
    outdated = [
        c
        for c in citations
        if c.turn_id in current and _cites_earlier_version(c, current[c.turn_id])
    ]
    earlier = _read_versions(deps, account, {(c.turn_id, c.turn_version) for c in outdated})
    found = {}
    for citation in outdated:
        before = earlier.get((citation.turn_id, citation.turn_version))
        if before is None:
            continue
        mapped = _current_citation(citation, before, current[citation.turn_id])
        if mapped is not None:
            found[citation] = mapped
    return found


def _cites_earlier_version(citation: Citation, turn: Turn) -> bool:
    return citation.turn_version < turn.version


def _read_versions(
    deps: Dependencies, account: str, wanted: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Turn]:
    """Returns the turns by id and version number, as far as those versions are kept."""
    found = {}
    for turn_id, number in sorted(wanted):
        read = turn_versions.get_many(deps.table, account, {turn_id: number}, deps.clock())
        if turn_id in read:
            found[turn_id, number] = read[turn_id]
    return found


def _current_citation(citation: Citation, before: Turn, turn: Turn) -> Citation | None:
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
