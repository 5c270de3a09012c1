"""Recall, DESIGN 6: which memories go into a prompt, and why.

Two branches: the memories relevant to the question, and those learned in this session.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from strandline.context.boundary import Boundary
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall.account_index import AccountIndex
from strandline.recall.deduplication import best_of_equivalents
from strandline.recall.index_rows import IndexRows
from strandline.recall.scoring import (
    Numbers,
    ScoringRules,
    importance,
    recency,
    relevance,
    rounded,
    score,
    uncut_relevance,
)
from strandline.recall.vectors import unit_vector

Indices = NDArray[np.int64]
Branch = Literal["relevant", "session"]


@dataclass(frozen=True, slots=True, eq=False)
class RecallQuery:
    """What is asked.

    Without a `vector` (the embedder failed), or with one that can't be compared, the words alone
    find. `terms` are `lexical.stems` of the question. `scope` holds the sessions to look in, None
    the whole account; `session_id` is the session whose own memories are wanted too. What lies
    behind `boundary` is in neither branch.
    """

    vector: Vectors | None
    space: EmbeddingSpace | None
    terms: Mapping[int, int]
    now: datetime
    scope: frozenset[str] | None = None
    session_id: str | None = None
    boundary: Boundary | None = None


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A selected memory with every term of its score; `similarity` is None where none is known.

    `equivalents` are all others that say the same on the same grounds, relevant or not.
    """

    memory_id: str
    change: int
    selected_by: Branch
    similarity: float | None
    lexical: float
    relevance: float
    importance: float
    recency: float
    score: float
    equivalents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallSelection:
    """What the two branches chose, best first."""

    relevant: tuple[RankedMemory, ...] = ()
    session: tuple[RankedMemory, ...] = ()

    @property
    def merged(self) -> tuple[RankedMemory, ...]:
        """Each memory once: the relevant ones, then what only the session brings.

        An equivalent of what is there already brings nothing.
        """
        known = {name for hit in self.relevant for name in (hit.memory_id, *hit.equivalents)}
        return self.relevant + tuple(hit for hit in self.session if hit.memory_id not in known)


@dataclass(frozen=True, slots=True)
class NearestMemory:
    """A memory near a vector: its cosine, and that on the common scale."""

    memory_id: str
    cosine: float
    similarity: float


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """Every row beside the query: which may be chosen, and how well each answers."""

    rows: IndexRows
    eligible: NDArray[np.bool_]
    similarity: Numbers
    lexical: Numbers
    relevance: Numbers
    cut: Numbers
    now: int
    rules: ScoringRules

    def scores(self, chosen: Indices) -> Numbers:
        """The scores of these rows."""
        return score(
            self.relevance[chosen],
            importance(self.rows.importance[chosen]),
            recency(self.rows.updated[chosen], self.now, self.rules),
            self.rules,
        )

    def hits(self, chosen: list[int], branch: Branch) -> tuple[RankedMemory, ...]:
        """These rows with all their terms and equivalents, in the same order.

        Equivalents rest on the same turns: a scope or a boundary takes all of them or none.
        """
        at = np.array(chosen, dtype=np.int64)
        known = [None if math.isnan(one) else one for one in self.similarity[at].tolist()]
        terms = (
            self.lexical[at],
            self.relevance[at],
            importance(self.rows.importance[at]),
            recency(self.rows.updated[at], self.now, self.rules),
            self.scores(at),
        )
        others = [self.rows.equivalents_of(row) for row in chosen]
        columns = (
            self.rows.changes[at].tolist(),
            known,
            *(term.tolist() for term in terms),
            others,
        )
        return tuple(
            RankedMemory(self.rows.ids[row], change, branch, *values)
            for row, change, *values in zip(chosen, *columns, strict=True)
        )


def rank_memories(index: AccountIndex, query: RecallQuery, rules: ScoringRules) -> RecallSelection:
    """The memories to recall, by both branches. Nothing to choose from is an empty selection."""
    with index.lock:
        eligible = _within(index.rows, _eligible(index.rows, query.scope), query.boundary)
        if not eligible.any():
            return RecallSelection()
        candidates = _candidates(index.rows, eligible, query, rules)
        return RecallSelection(_relevant(candidates), _session(candidates, query.session_id))


def nearest_memories(
    index: AccountIndex, vector: Vectors, space: EmbeddingSpace, limit: int
) -> tuple[NearestMemory, ...]:
    """The memories nearest to `vector` in its own space, nearest first; ties by id."""
    unit = unit_vector(vector, space.dimensions)
    if unit is None:
        return ()
    with index.lock:
        rows = index.rows
        cosines = rows.cosines(unit, space.name)
        there = np.flatnonzero(rows.live & ~np.isnan(cosines))
        found = there[_leading(limit, rounded(cosines[there]))]
        similar = space.to_common_scale(cosines[found])
        near = [
            NearestMemory(rows.ids[row], float(cosine), float(similarity))
            for row, cosine, similarity in zip(
                found, rounded(cosines[found]), rounded(similar), strict=True
            )
        ]
    return tuple(sorted(near, key=lambda one: (-one.cosine, one.memory_id))[:limit])


def _eligible(rows: IndexRows, scope: frozenset[str] | None) -> NDArray[np.bool_]:
    if scope is None:
        return rows.live
    inside = np.zeros(len(rows), dtype=np.bool_)
    inside[rows.of_sessions(scope)] = True
    return inside


def _within(
    rows: IndexRows, eligible: NDArray[np.bool_], boundary: Boundary | None
) -> NDArray[np.bool_]:
    """Without what the boundary hides; only the rows of its sessions are looked at."""
    if boundary is None:
        return eligible
    touched = rows.of_sessions(boundary.sessions | {boundary.session_id})
    hidden = [row for row in touched if boundary.hides_all(rows.grounds[row])]
    visible = eligible.copy()
    visible[hidden] = False
    return visible


def _candidates(
    rows: IndexRows, eligible: NDArray[np.bool_], query: RecallQuery, rules: ScoringRules
) -> _Candidates:
    similarity = _similarity(rows, query)
    lexical = rounded(rows.lexical(query.terms))
    uncut = uncut_relevance(similarity, lexical, rules)
    kept = relevance(uncut)
    now = math.floor(query.now.timestamp())
    return _Candidates(rows, eligible, similarity, lexical, kept, uncut - kept, now, rules)


def _similarity(rows: IndexRows, query: RecallQuery) -> Numbers:
    """On the common scale; NaN where there is nothing to compare."""
    unknown = np.full(len(rows), np.nan)
    if query.vector is None or query.space is None:
        return unknown
    unit = unit_vector(query.vector, query.space.dimensions)
    if unit is None:
        return unknown
    return rounded(_mapped(rows.cosines(unit, query.space.name), query.space))


def _mapped(cosines: NDArray[np.float32], space: EmbeddingSpace) -> NDArray[np.float32]:
    """The cosines on the common scale, NaN kept from the map, which need not know of it."""
    known = ~np.isnan(cosines)
    if known.all():
        return space.to_common_scale(cosines)
    mapped = cosines.copy()
    mapped[known] = space.to_common_scale(cosines[known])
    return mapped


def _relevant(candidates: _Candidates) -> tuple[RankedMemory, ...]:
    """By score, then what was updated last, then id; only what reaches the threshold is scored.

    Relevances that were cut at 1 aren't equal: among equal scores the one that was cut more comes
    first. Without it 0.4 % of LoCoMo's evidence drops out of the top five.
    """
    rows, rules = candidates.rows, candidates.rules
    passing = np.flatnonzero(candidates.eligible & (candidates.relevance >= rules.threshold))

    def keys(at: Indices) -> tuple[NDArray[Any], ...]:
        return candidates.scores(at), candidates.cut[at], rows.updated[at]

    passing = best_of_equivalents(rows, passing, keys)
    chosen = _first(rules.limit, passing, keys(passing), rows.ids)
    return candidates.hits(chosen, "relevant")


def _session(candidates: _Candidates, session_id: str | None) -> tuple[RankedMemory, ...]:
    """By importance, then what was made last, then id; no threshold."""
    if session_id is None:
        return ()
    rows = candidates.rows
    learned = rows.of_sessions([session_id])
    learned = learned[candidates.eligible[learned]]

    def keys(at: Indices) -> tuple[NDArray[Any], ...]:
        return importance(rows.importance[at]), rows.created[at]

    learned = best_of_equivalents(rows, learned, keys)
    chosen = _first(candidates.rules.session_limit, learned, keys(learned), rows.ids)
    return candidates.hits(chosen, "session")


def _first(limit: int, rows: Indices, keys: tuple[NDArray[Any], ...], ids: list[str]) -> list[int]:
    """At most `limit` of `rows`: the highest by the first key, ties by the next, at last by id."""
    at = _leading(limit, *keys)
    names = [ids[row] for row in rows[at].tolist()]
    descending = ((-key[at]).tolist() for key in keys)
    ordered = sorted(zip(*descending, names, rows[at].tolist(), strict=True))
    return [int(row) for *_, row in ordered[:limit]]


def _leading(limit: int, *keys: NDArray[Any]) -> Indices:
    """Positions that hold the `limit` highest by the first key, ties by the next; unsorted.

    More than `limit` only where all keys tie: the caller's ids decide among those.
    """
    everything = np.arange(len(keys[0]), dtype=np.int64)
    if limit <= 0:
        return everything[:0]
    return _narrowed(everything, limit, keys)


def _narrowed(positions: Indices, limit: int, keys: tuple[NDArray[Any], ...]) -> Indices:
    if len(positions) <= limit or not keys:
        return positions
    values = keys[0][positions]
    border = np.partition(values, -limit)[-limit]
    above = positions[values > border]
    tied = _narrowed(positions[values == border], limit - len(above), keys[1:])
    return np.concatenate([above, tied])
