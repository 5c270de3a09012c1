"""Full-text retrieval over what an account remembers: by the words alone, without a model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.recall.collapse import representatives
from strandline.recall.index import AccountIndex
from strandline.recall.score import rounded

Place = tuple[float, int, str]
"""A match's score, the second it was updated in and its id: the order of matches."""


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that shares words with what was looked for; `score` is 0 to 1."""

    memory_id: str
    score: float
    updated_at: int
    equivalents: tuple[str, ...]

    @property
    def place(self) -> Place:
        """Where it stands in the order."""
        return self.score, self.updated_at, self.memory_id


def matches(index: AccountIndex, stems: Iterable[int]) -> list[Match]:
    """Every memory with one of those stems, the best first, then what was updated last, then id.

    The score is BM25 as a share of the best these stems could reach, to three decimals.
    """
    with index.lock:
        rows = index.rows
        scores = rounded(rows.lexical(stems))
        passing = np.flatnonzero(rows.live & (scores > 0))

        def keys(at: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
            return scores[at], rows.updated[at]

        passing, others = representatives(rows, passing, keys)
        found = [
            Match(rows.ids[row], float(scores[row]), int(rows.updated[row]), others.get(row, ()))
            for row in passing.tolist()
        ]
    return sorted(found, key=lambda match: order(match.place))


def order(place: Place) -> tuple[float, int, str]:
    """A place as a sort key: what comes later is greater."""
    score, updated_at, memory_id = place
    return -score, -updated_at, memory_id
