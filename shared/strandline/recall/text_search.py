"""Full-text retrieval over what an account remembers: by the words alone, without a model."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from strandline.recall.account_index import AccountIndex
from strandline.recall.index_rows import IndexRows
from strandline.recall.scoring import rounded

MOST_ALIKE = 99
"""Of more equivalents than that, each so many count on their own: looking at them is bounded."""

Place = tuple[float, int, str]
"""A match's score, the second it was updated in and its id: the order of matches."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A memory that shares words with what was looked for.

    `score` is 0 to 1, `matched` how many of the stems it holds. `equivalents` are all others that
    say the same on the same grounds, matching or not.
    """

    memory_id: str
    score: float
    updated_at: int
    matched: int
    equivalents: tuple[str, ...]

    @property
    def place(self) -> Place:
        """Where it stands in the order."""
        return self.score, self.updated_at, self.memory_id


Alike = tuple[TextMatch, ...]
"""Matches that are equivalent, the best first, whose place counts for all of them."""


def text_matches(index: AccountIndex, stems: Iterable[int]) -> list[Alike]:
    """Every memory with one of those stems, equivalents together.

    The best first, then what was updated last, then id. The score is BM25 as a share of the best
    these stems could reach, to three decimals.
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
        together = _together(rows, found)
    return sorted(together, key=lambda alike: match_order(alike[0].place))


def match_order(place: Place) -> tuple[float, int, str]:
    """A place as a sort key: what comes later is greater."""
    score, updated_at, memory_id = place
    return -score, -updated_at, memory_id


def _together(rows: IndexRows, found: dict[int, TextMatch]) -> list[Alike]:
    alone = dict(found)
    together: list[Alike] = []
    for group in rows.equivalents():
        alike = [alone.pop(row) for row in group if row in alone]
        alike.sort(key=lambda match: match_order(match.place))
        parts = range(0, len(alike), MOST_ALIKE)
        together += [tuple(alike[start : start + MOST_ALIKE]) for start in parts]
    return together + [(match,) for match in alone.values()]
