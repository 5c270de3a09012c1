"""Equivalent memories are shown once: of those that say the same on the same grounds, the best."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.recall.index_rows import IndexRows

Rank = Callable[[NDArray[np.int64]], tuple[NDArray[Any], ...]]
"""The keys by which rows are ordered, the highest first."""


def best_of_equivalents(
    rows: IndexRows, passing: NDArray[np.int64], rank: Rank
) -> NDArray[np.int64]:
    """The passing rows with one of each group of equivalents: the first by the keys, then by id.

    Costs nothing where no memory has an equivalent.
    """
    groups = rows.equivalents()
    if not groups:
        return passing
    kept = np.zeros(len(rows), dtype=np.bool_)
    kept[passing] = True
    members = np.array([row for group in groups for row in group], dtype=np.int64)
    group_of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    members, group_of = members[kept[members]], group_of[kept[members]]
    names = np.array([rows.ids[row] for row in members.tolist()], dtype=np.str_)
    keys = [-key for key in rank(members)]
    best_first = np.lexsort((names, *reversed(keys), group_of))
    ordered = group_of[best_first]
    others = best_first[1:][ordered[1:] == ordered[:-1]]
    kept[members[others]] = False
    return passing[kept[passing]]
