"""Selection of rows: the best one of equivalents, and the top rows by several sort keys."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.recall.index_rows import IndexRows

Indices = NDArray[np.int64]
"""Row numbers of an index, of shape (n,)."""

SortKeys = tuple[NDArray[Any], ...]
"""Sort keys of shape (n,) each, the most significant first. Higher values come first."""


def best_of_equivalents(
    rows: IndexRows, passing: Indices, sort_keys: Callable[[Indices], SortKeys]
) -> Indices:
    """Returns the passing rows, of each group of equivalents only the best.

    The best is the first by `sort_keys`, then by id. Costs nothing where no memory has an
    equivalent.
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
    descending = [-key for key in sort_keys(members)]
    best_first = np.lexsort((names, *reversed(descending), group_of))
    ordered = group_of[best_first]
    others = best_first[1:][ordered[1:] == ordered[:-1]]
    kept[members[others]] = False
    return passing[kept[passing]]


def top_rows(limit: int, rows: Indices, sort_keys: SortKeys, ids: list[str]) -> list[int]:
    """Returns at most `limit` of `rows`, the best first: by the sort keys, then by id.

    `sort_keys` are the keys of `rows`, in the same order; `ids` are the ids of all rows.
    """
    at = top_positions(limit, *sort_keys)
    names = [ids[row] for row in rows[at].tolist()]
    descending = ((-key[at]).tolist() for key in sort_keys)
    ordered = sorted(zip(*descending, names, rows[at].tolist(), strict=True))
    return [int(row) for *_, row in ordered[:limit]]


def top_positions(limit: int, *sort_keys: NDArray[Any]) -> Indices:
    """Returns the positions of the `limit` highest values by the sort keys, unsorted.

    Returns more than `limit` only where all keys tie; the caller decides among those by id. A
    partial selection: no key is sorted as a whole.
    """
    everything = np.arange(len(sort_keys[0]), dtype=np.int64)
    if limit <= 0:
        return everything[:0]
    return _select_top(everything, limit, sort_keys)


def _select_top(positions: Indices, limit: int, sort_keys: SortKeys) -> Indices:
    if len(positions) <= limit or not sort_keys:
        return positions
    values = sort_keys[0][positions]
    border = np.partition(values, -limit)[-limit]
    above = positions[values > border]
    tied = _select_top(positions[values == border], limit - len(above), sort_keys[1:])
    return np.concatenate([above, tied])
