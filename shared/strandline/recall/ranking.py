"""Ranking: which memories go into a prompt, and with which scores.

Two branches select memories: those relevant to the question, and those learned in this session.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from strandline.recall.account_index import AccountIndex
from strandline.recall.candidates import Candidates, compare_rows, eligible_rows
from strandline.recall.query import RecallQuery
from strandline.recall.scoring import ScoringRules, importance
from strandline.recall.selection import Indices, SortKeys, best_of_equivalents, top_rows

Branch = Literal["relevant", "session"]


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A selected memory with every term of its score.

    `change` is the change number of its index entry. `similarity` is the cosine on the common
    scale, or None where nothing could be compared. `lexical`, `relevance`, `importance` and
    `recency` are 0 to 1; `score` is the weighted sum of the last three. `equivalents` are the ids
    of all other memories with the same statement from the same turns, relevant or not.
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
    """What each of the two branches selected, best first."""

    relevant: tuple[RankedMemory, ...] = ()
    session: tuple[RankedMemory, ...] = ()

    @property
    def merged(self) -> tuple[RankedMemory, ...]:
        """Each memory once: the relevant ones, then those that only the session branch selected.

        An equivalent of a relevant memory is left out as well.
        """
        known = {name for hit in self.relevant for name in (hit.memory_id, *hit.equivalents)}
        return self.relevant + tuple(hit for hit in self.session if hit.memory_id not in known)


def rank_memories(index: AccountIndex, query: RecallQuery, rules: ScoringRules) -> RecallSelection:
    """Returns the memories that both branches select; an empty selection if none is eligible."""
    with index.lock:
        eligible = eligible_rows(index.rows, query)
        if not eligible.any():
            return RecallSelection()
        candidates = compare_rows(index.rows, eligible, query, rules)
        return RecallSelection(
            _relevant_branch(candidates), _session_branch(candidates, query.session_id)
        )


def _relevant_branch(candidates: Candidates) -> tuple[RankedMemory, ...]:
    """Selects by score, then the latest update, then id, among those that reach the threshold.

    Relevances that were capped at 1 aren't equal: among equal scores the one with more excess
    comes first. Without this, 0.4 % of LoCoMo's evidence drops out of the top five.
    """
    rows, rules = candidates.rows, candidates.rules
    passing = np.flatnonzero(candidates.eligible & (candidates.relevance >= rules.threshold))

    def sort_keys(at: Indices) -> SortKeys:
        return candidates.scores(at), candidates.excess[at], rows.updated[at]

    passing = best_of_equivalents(rows, passing, sort_keys)
    chosen = top_rows(rules.limit, passing, sort_keys(passing), rows.ids)
    return _ranked(candidates, chosen, "relevant")


def _session_branch(candidates: Candidates, session_id: str | None) -> tuple[RankedMemory, ...]:
    """Selects by importance, then the latest creation, then id, without a threshold."""
    if session_id is None:
        return ()
    rows = candidates.rows
    learned = rows.of_sessions([session_id])
    learned = learned[candidates.eligible[learned]]

    def sort_keys(at: Indices) -> SortKeys:
        return importance(rows.importance[at]), rows.created[at]

    learned = best_of_equivalents(rows, learned, sort_keys)
    chosen = top_rows(candidates.rules.session_limit, learned, sort_keys(learned), rows.ids)
    return _ranked(candidates, chosen, "session")


def _ranked(candidates: Candidates, chosen: list[int], branch: Branch) -> tuple[RankedMemory, ...]:
    """Returns these rows with all their terms and equivalents, in the same order.

    Equivalents come from the same turns: a scope or a boundary admits all of them or none.
    """
    rows, at = candidates.rows, np.array(chosen, dtype=np.int64)
    similarity = [
        None if math.isnan(value) else value for value in candidates.similarity[at].tolist()
    ]
    terms = (
        candidates.lexical[at],
        candidates.relevance[at],
        candidates.importance(at),
        candidates.recency(at),
        candidates.scores(at),
    )
    columns = (
        rows.changes[at].tolist(),
        similarity,
        *(term.tolist() for term in terms),
        [rows.equivalents_of(row) for row in chosen],
    )
    return tuple(
        RankedMemory(rows.ids[row], change, branch, *values)
        for row, change, *values in zip(chosen, *columns, strict=True)
    )
