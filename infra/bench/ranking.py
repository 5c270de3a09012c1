"""Bench (a): ranking an account's memories beside the least that numpy could do.

The floor is a bare matrix product and a top-five; both run in turns over the same vectors and
the medians are compared, so that a busy machine slows both.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.models.index_entry import IndexEntry, SourceTurn
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall.account_index import AccountIndex
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import rank_memories
from strandline.recall.scoring import ScoringRules
from strandline.recall.stemming import pack_terms

SIZES = (1_000, 10_000, 100_000)
DIMENSIONS = 512
TOPICS = 50
TERMS = 20
ROUNDS = 41
FOLDED_AT_ONCE = 5_000
COLUMNS = ("memories", "floor_ms", "rank_ms", "ratio", "fold_us_each", "bytes_each")

_SPACE = EmbeddingSpace("bench:random", DIMENSIONS)
_START = 1_700_000_000
_HOUR = 3_600


def run(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """One row for each size, with COLUMNS."""
    return [_row(size) for size in sizes]


def print_table(rows: list[dict[str, Any]]) -> None:
    """The rows under their column names."""
    print("".join(f"{name:>14}" for name in COLUMNS))
    for row in rows:
        print("".join(f"{row[name]:>14,}" for name in COLUMNS))


def _row(size: int) -> dict[str, Any]:
    random = np.random.default_rng(size)
    vectors = _vectors(size, random)
    index = AccountIndex()
    folding = sum(_timed(partial(index.fold, entries)) for entries in _batches(vectors, random))
    floor, ranking = _in_turns(vectors, index)
    return {
        "memories": size,
        "floor_ms": round(floor * 1e3, 3),
        "rank_ms": round(ranking * 1e3, 3),
        "ratio": round(ranking / floor, 2),
        "fold_us_each": round(folding / size * 1e6, 1),
        "bytes_each": round(index.nbytes / size),
    }


def _in_turns(vectors: Vectors, index: AccountIndex) -> tuple[float, float]:
    """Median seconds of the floor and of the product's ranking, each run in turn."""
    query = _query(vectors[0], len(vectors))
    times = [
        (
            _timed(lambda: _floor(vectors, vectors[0])),
            _timed(lambda: rank_memories(index, query, ScoringRules())),
        )
        for _ in range(ROUNDS)
    ]
    floor, ranking = np.median(times, axis=0)
    return float(floor), float(ranking)


def _floor(vectors: Vectors, query: Vectors) -> NDArray[np.intp]:
    cosines = vectors @ query
    top = np.argpartition(-cosines, 5)[:5]
    return top[np.argsort(-cosines[top])]


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _query(vector: Vectors, size: int) -> RecallQuery:
    """Five stems, from one that most memories hold to one that few do; a session of its own."""
    terms = dict.fromkeys((1, 2, 5, 20, 200), 1)
    now = datetime.fromtimestamp(_START + size * _HOUR, tz=UTC)
    return RecallQuery(vector, _SPACE, terms, now, session_id="ses_3")


def _vectors(size: int, random: np.random.Generator) -> Vectors:
    """Unit vectors around topics, so that a query is near some of them as real ones are."""
    topics = random.standard_normal((TOPICS, DIMENSIONS), dtype=np.float32)
    vectors = topics[random.integers(0, TOPICS, size)]
    vectors += 1.5 * random.standard_normal((size, DIMENSIONS), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _batches(vectors: Vectors, random: np.random.Generator) -> Iterator[list[IndexEntry]]:
    for positions in _chunks(len(vectors)):
        yield [_entry(position, vectors[position], random) for position in positions]


def _chunks(size: int) -> Iterator[range]:
    for start in range(0, size, FOLDED_AT_ONCE):
        yield range(start, min(size, start + FOLDED_AT_ONCE))


def _entry(position: int, vector: Vectors, random: np.random.Generator) -> IndexEntry:
    """Stems fall off as Zipf's law has it, twenty memories to a session, one an hour."""
    stems = random.zipf(1.3, TERMS) % 50_000
    return IndexEntry(
        change=position + 1,
        memory_id=f"mem_{position:026d}",
        eligible=True,
        space=_SPACE.name,
        vector=vector.astype("<f2").tobytes(),
        terms=pack_terms({int(stem): 1 for stem in stems}),
        importance=float(random.random()),
        created_at=_START + position * _HOUR,
        updated_at=_START + position * _HOUR,
        source_turns=(SourceTurn(f"ses_{position // 20}", 1, _START),),
    )


if __name__ == "__main__":
    print_table(run())
