"""The scoring formula of recall, as functions on arrays.

All arrays are float64 of shape (n,), one value for each memory. Similarity, lexical score and
relevance are rounded to three decimals before they are compared: the log's float16 vectors carry
about three, so further decimals are noise. Thus a memory exactly at the threshold stays, and the
order doesn't depend on a machine's linear algebra library.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.settings import Settings

DECIMALS = 3

_SECONDS_PER_DAY = 86_400
_SCORE_DECIMALS = 9
"""Decimals of a score. Sums of equal terms may differ in their last bits and must still tie."""

Floats = NDArray[np.float64]
"""One value for each memory, of shape (n,)."""


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The parameters of the scoring formula.

    `threshold` is the least relevance, 0 to 1, of the relevant branch. The weights are those of
    the three terms of the score. `recency_days` is the age at which recency becomes 0.
    `lexical_weight` is the factor of the lexical score in relevance; 0 gives Lifeline's own rule.
    `limit` and `session_limit` are the most memories of the two branches.
    """

    threshold: float = 0.3
    weight_relevance: float = 0.6
    weight_importance: float = 0.3
    weight_recency: float = 0.1
    recency_days: int = 30
    lexical_weight: float = 1.0
    limit: int = 5
    session_limit: int = 3


def scoring_rules(settings: Settings) -> ScoringRules:
    """Returns the scoring rules that the settings define."""
    return ScoringRules(
        threshold=settings.recall_threshold,
        weight_relevance=settings.recall_weight_relevance,
        weight_importance=settings.recall_weight_importance,
        weight_recency=settings.recall_weight_recency,
        lexical_weight=settings.recall_lexical_weight,
        limit=settings.recall_limit,
        session_limit=settings.recall_session_limit,
    )


def rounded(values: ArrayLike) -> Floats:
    """Returns the values as float64, rounded to three decimals."""
    exact: Floats = np.asarray(values, dtype=np.float64)
    return exact.round(DECIMALS)


def uncapped_relevance(similarity: Floats, lexical: Floats, rules: ScoringRules) -> Floats:
    """Returns similarity + lexical_weight · lexical; an unknown similarity (NaN) counts as 0."""
    known = np.where(np.isnan(similarity), 0.0, similarity)
    return rounded(known + rules.lexical_weight * lexical)


def capped_relevance(uncapped: Floats) -> Floats:
    """Returns relevance, which is at most 1."""
    return np.minimum(1.0, uncapped)


def importance(stored: Floats) -> Floats:
    """Returns importance clipped to 0 to 1; NaN counts as 0."""
    return np.clip(np.where(np.isnan(stored), 0.0, stored), 0.0, 1.0)


def recency(updated_at: NDArray[np.int64], now: int, rules: ScoringRules) -> Floats:
    """Returns 1 - min(1, age / recency_days), with the age in whole days and never negative.

    `updated_at` (int64) and `now` are in seconds since 1970.
    """
    days = np.maximum(0, (now - updated_at) // _SECONDS_PER_DAY)
    return 1.0 - np.minimum(1.0, days / rules.recency_days)


def score(relevance: Floats, importance: Floats, recency: Floats, rules: ScoringRules) -> Floats:
    """Returns the weighted sum of the three terms, rounded to nine decimals."""
    weighted = (
        rules.weight_relevance * relevance
        + rules.weight_importance * importance
        + rules.weight_recency * recency
    )
    return np.round(weighted, _SCORE_DECIMALS)
