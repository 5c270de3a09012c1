"""The recall rule as arithmetic on given numbers: the one place where its formula stands.

Similarity, lexical and relevance are rounded to three decimals before anything is compared. The
log's float16 vectors carry about three, so what lies beyond is noise: a memory at the threshold
stays, and the order is the same on every machine's linear algebra.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.settings import Settings

DECIMALS = 3

_SECONDS_PER_DAY = 86_400
_SCORE_DECIMALS = 9
"""Sums of equal terms may differ in the last bits; a tie is a tie."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The settings of recall, DESIGN 6; with `lexical_weight` 0 this is Lifeline's own rule."""

    threshold: float = 0.3
    weight_relevance: float = 0.6
    weight_importance: float = 0.3
    weight_recency: float = 0.1
    recency_days: int = 30
    lexical_weight: float = 1.0
    limit: int = 5
    session_limit: int = 3


def scoring_rules(settings: Settings) -> ScoringRules:
    """The rules these settings make."""
    return ScoringRules(
        threshold=settings.recall_threshold,
        weight_relevance=settings.recall_weight_relevance,
        weight_importance=settings.recall_weight_importance,
        weight_recency=settings.recall_weight_recency,
        lexical_weight=settings.recall_lexical_weight,
        limit=settings.recall_limit,
        session_limit=settings.recall_session_limit,
    )


def rounded(values: ArrayLike) -> Numbers:
    """Values to three decimals."""
    exact: Numbers = np.asarray(values, dtype=np.float64)
    return exact.round(DECIMALS)


def uncut_relevance(similarity: Numbers, lexical: Numbers, rules: ScoringRules) -> Numbers:
    """similarity + lexical_weight · lexical; an unknown similarity (NaN) adds nothing."""
    known = np.where(np.isnan(similarity), 0.0, similarity)
    return rounded(known + rules.lexical_weight * lexical)


def relevance(uncut: Numbers) -> Numbers:
    """Relevance, which is at most 1."""
    return np.minimum(1.0, uncut)


def importance(given: Numbers) -> Numbers:
    """Importance within 0 to 1; what isn't a number is none."""
    return np.clip(np.where(np.isnan(given), 0.0, given), 0.0, 1.0)


def recency(updated_at: NDArray[np.int64], now: int, rules: ScoringRules) -> Numbers:
    """1 - min(1, age / recency_days), the age in whole days and never negative."""
    days = np.maximum(0, (now - updated_at) // _SECONDS_PER_DAY)
    return 1.0 - np.minimum(1.0, days / rules.recency_days)


def score(
    relevance: Numbers, importance: Numbers, recency: Numbers, rules: ScoringRules
) -> Numbers:
    """The weighted sum of the three terms."""
    weighted = (
        rules.weight_relevance * relevance
        + rules.weight_importance * importance
        + rules.weight_recency * recency
    )
    return np.round(weighted, _SCORE_DECIMALS)
