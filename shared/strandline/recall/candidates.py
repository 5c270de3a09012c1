"""The candidates of a query: which rows are eligible, and how well each row answers."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.context.boundary import Boundary
from strandline.providers.base import EmbeddingSpace
from strandline.recall.index_rows import IndexRows
from strandline.recall.query import RecallQuery
from strandline.recall.scoring import (
    Floats,
    ScoringRules,
    capped_relevance,
    importance,
    recency,
    rounded,
    score,
    uncapped_relevance,
)
from strandline.recall.selection import Indices
from strandline.recall.vectors import unit_vector


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Every row of an index compared with a query; all arrays have the shape (rows,).

    `eligible` says which rows may be selected; the other arrays have no meaning for dead rows.
    `similarity` is the cosine on the common scale, NaN where nothing can be compared. `lexical`
    and `relevance` are 0 to 1. `excess` is what was cut off from relevance to keep it at 1. `now`
    is in seconds since 1970.
    """

    rows: IndexRows
    eligible: NDArray[np.bool_]
    similarity: Floats
    lexical: Floats
    relevance: Floats
    excess: Floats
    now: int
    rules: ScoringRules

    def importance(self, chosen: Indices) -> Floats:
        """Returns the importance of these rows, 0 to 1."""
        return importance(self.rows.importance[chosen])

    def recency(self, chosen: Indices) -> Floats:
        """Returns the recency of these rows, 0 to 1."""
        return recency(self.rows.updated[chosen], self.now, self.rules)

    def scores(self, chosen: Indices) -> Floats:
        """Returns the scores of these rows: the weighted sums of their three terms."""
        return score(
            self.relevance[chosen], self.importance(chosen), self.recency(chosen), self.rules
        )


def eligible_rows(rows: IndexRows, query: RecallQuery) -> NDArray[np.bool_]:
    """Returns which rows may be selected: live, in the query's scope, not behind its boundary."""
    return _visible(rows, _in_scope(rows, query.scope), query.boundary)


def compare_rows(
    rows: IndexRows, eligible: NDArray[np.bool_], query: RecallQuery, rules: ScoringRules
) -> Candidates:
    """Returns every row compared with the query."""
    similarity = _similarity(rows, query)
    lexical = rounded(rows.lexical(query.terms))
    uncapped = uncapped_relevance(similarity, lexical, rules)
    relevance = capped_relevance(uncapped)
    return Candidates(
        rows=rows,
        eligible=eligible,
        similarity=similarity,
        lexical=lexical,
        relevance=relevance,
        excess=uncapped - relevance,
        now=math.floor(query.now.timestamp()),
        rules=rules,
    )


def _in_scope(rows: IndexRows, scope: frozenset[str] | None) -> NDArray[np.bool_]:
    if scope is None:
        return rows.live
    inside = np.zeros(len(rows), dtype=np.bool_)
    inside[rows.of_sessions(scope)] = True
    return inside


def _visible(
    rows: IndexRows, eligible: NDArray[np.bool_], boundary: Boundary | None
) -> NDArray[np.bool_]:
    """Removes what the boundary hides. Looks only at rows of the boundary's sessions."""
    if boundary is None:
        return eligible
    touched = rows.of_sessions(boundary.sessions | {boundary.session_id})
    hidden = [row for row in touched if boundary.hides_all(rows.source_turns[row])]
    visible = eligible.copy()
    visible[hidden] = False
    return visible


def _similarity(rows: IndexRows, query: RecallQuery) -> Floats:
    """Returns cosines on the common scale; NaN where there is nothing to compare."""
    unknown = np.full(len(rows), np.nan)
    if query.vector is None or query.space is None:
        return unknown
    unit = unit_vector(query.vector, query.space.dimensions)
    if unit is None:
        return unknown
    return rounded(_on_common_scale(rows.cosines(unit, query.space.name), query.space))


def _on_common_scale(cosines: NDArray[np.float32], space: EmbeddingSpace) -> NDArray[np.float32]:
    """Maps the cosines. The space's map never sees NaN, which it need not handle."""
    known = ~np.isnan(cosines)
    if known.all():
        return space.to_common_scale(cosines)
    mapped = cosines.copy()
    mapped[known] = space.to_common_scale(cosines[known])
    return mapped
