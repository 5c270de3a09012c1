"""Equivalent memories are shown once: of those that say the same on the same grounds, the best."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.recall.rows import Rows

Rank = Callable[[NDArray[np.int64]], tuple[NDArray[Any], ...]]
"""The keys by which rows are ordered, the highest first."""


def representatives(
    rows: Rows, passing: NDArray[np.int64], rank: Rank
) -> tuple[NDArray[np.int64], Mapping[int, tuple[str, ...]]]:
    """The passing rows with one of each group of equivalents, and the others' ids by that row.

    Costs nothing where no memory has an equivalent.
    """
    dropped: set[int] = set()
    others: dict[int, tuple[str, ...]] = {}
    allowed: set[int] | None = None
    for group in rows.equivalents():
        allowed = set(passing.tolist()) if allowed is None else allowed
        inside = [row for row in group if row in allowed]
        if len(inside) < 2:
            continue
        best = _best(rows, np.array(inside, dtype=np.int64), rank)
        dropped.update(row for row in inside if row != best)
        others[best] = tuple(sorted(rows.ids[row] for row in inside if row != best))
    if dropped:
        passing = passing[~np.isin(passing, list(dropped))]
    return passing, others


def _best(rows: Rows, inside: NDArray[np.int64], rank: Rank) -> int:
    """The first by the keys, ties by id."""
    keys = [(-key).tolist() for key in rank(inside)]
    names = [rows.ids[row] for row in inside]
    return int(min(zip(*keys, names, inside.tolist(), strict=True))[-1])
