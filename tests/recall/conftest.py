"""What the tests of recall share: log entries from the few numbers a test is about."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from strandline.models.index_entry import IndexEntry, SourceTurn
from strandline.providers.base import EmbeddingSpace
from strandline.recall.stemming import pack_terms, stem_counts

NOW = datetime(2026, 9, 20, 12, tzinfo=UTC)
DAY = 86_400

MakeEntry = Callable[..., IndexEntry]


def _make_entry(
    change: int,
    memory_id: str,
    vector: Sequence[float] = (1.0, 0.0),
    *,
    text: str = "",
    terms: Mapping[int, int] | None = None,
    importance: float = 0.5,
    age_days: float = 0,
    created_days: float | None = None,
    sessions: Sequence[str] = ("ses_a",),
    eligible: bool = True,
    space: str = "test:flat@2",
    equivalence_key: str = "",
) -> IndexEntry:
    updated_at = int(NOW.timestamp() - age_days * DAY)
    created = age_days if created_days is None else created_days
    if not eligible:
        return IndexEntry(change, memory_id, eligible=False)
    return IndexEntry(
        change=change,
        memory_id=memory_id,
        eligible=True,
        space=space,
        vector=np.array(vector, dtype="<f2").tobytes(),
        terms=pack_terms(stem_counts(text, "en") if terms is None else terms),
        importance=importance,
        created_at=int(NOW.timestamp() - created * DAY),
        updated_at=updated_at,
        source_turns=tuple(SourceTurn(session, 1, updated_at) for session in sessions),
        equivalence_key=equivalence_key,
    )


@pytest.fixture(scope="session")
def entry() -> MakeEntry:
    """Makes a log entry: `entry(change, memory_id, vector, text=…, age_days=…, …)`."""
    return _make_entry


@pytest.fixture(scope="session")
def space() -> EmbeddingSpace:
    """The space of the entries' vectors, whose cosines are on the common scale already."""
    return EmbeddingSpace("test:flat", 2)


@pytest.fixture(scope="session")
def now() -> datetime:
    """The moment that ages count from."""
    return NOW
