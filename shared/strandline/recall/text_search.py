"""Full-text search over an account's memories: BM25 on stems, without a model."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from strandline.recall.account_index import AccountIndex
from strandline.recall.index_rows import IndexRows
from strandline.recall.scoring import rounded

MAX_EQUIVALENTS = 99
"""The most equivalents in one group; more are split, so that reading a group is bounded."""

MatchPosition = tuple[float, int, str]
"""A match's score, its last update (seconds since 1970) and its id: the sort keys of matches."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A memory that shares stems with a question.

    `score` is 0 to 1, `updated_at` is in seconds since 1970, and `matched` is how many of the
    question's stems the memory holds. `equivalents` are the ids of all other memories with the
    same statement from the same turns, matching or not.
    """

    memory_id: str
    score: float
    updated_at: int
    matched: int
    equivalents: tuple[str, ...]

    @property
    def position(self) -> MatchPosition:
        """The match's position in the order of all matches."""
        return self.score, self.updated_at, self.memory_id


EquivalentMatches = tuple[TextMatch, ...]
"""Matches that are equivalent, best first. The first one's position counts for all of them."""


def text_matches(index: AccountIndex, stems: Iterable[int]) -> list[EquivalentMatches]:
    """Returns every memory that holds one of these stems, equivalents in one group.

    Sorted by score, then the latest update, then id. The score is `bm25.bm25_share`, rounded to
    three decimals.
    """
    with index.lock:
        rows = index.rows
        scores, held = rounded(rows.lexical(stems)), rows.stems_held(stems)
        passing = np.flatnonzero(rows.live & (held > 0)).tolist()
        found = {
            row: TextMatch(
                memory_id=rows.ids[row],
                score=float(scores[row]),
                updated_at=int(rows.updated[row]),
                matched=int(held[row]),
                equivalents=rows.equivalents_of(row),
            )
            for row in passing
        }
        groups = _group_equivalents(rows, found)
    return sorted(groups, key=lambda group: match_order(group[0].position))


def match_order(position: MatchPosition) -> tuple[float, int, str]:
    """Returns a position as a sort key in ascending order."""
    score, updated_at, memory_id = position
    return -score, -updated_at, memory_id


def _group_equivalents(rows: IndexRows, found: dict[int, TextMatch]) -> list[EquivalentMatches]:
    ungrouped = dict(found)
    groups: list[EquivalentMatches] = []
    for members in rows.equivalents():
        matches = [ungrouped.pop(row) for row in members if row in ungrouped]
        matches.sort(key=lambda match: match_order(match.position))
        starts = range(0, len(matches), MAX_EQUIVALENTS)
        groups += [tuple(matches[start : start + MAX_EQUIVALENTS]) for start in starts]
    return groups + [(match,) for match in ungrouped.values()]
