"""Which rows hold which stem, and BM25 over them.

BM25 as Lucene has it: Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), with
idf = ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.recall.growable_array import GrowableArray

K1 = 1.2
B = 0.75

_TAIL_AT_LEAST = 4096
_TAIL_FRACTION = 8


@dataclass(frozen=True, slots=True)
class PostingList:
    """The rows that hold one stem, each once, dead ones included, and how often each does."""

    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]


class Postings:
    """A sorted base that slices by stem, and a small unsorted tail that is searched whole.

    The tail is merged when it outgrows an eighth of the base: one new memory costs what it holds.
    """

    def __init__(self) -> None:
        self._base = _sorted(np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.uint8))
        self._stems = GrowableArray(np.uint32)
        self._rows = GrowableArray(np.int32)
        self._counts = GrowableArray(np.uint8)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._base.nbytes + self._stems.nbytes + self._rows.nbytes + self._counts.nbytes

    def extend(
        self, stems: NDArray[np.uint32], rows: NDArray[np.int32], counts: NDArray[np.uint8]
    ) -> None:
        """Take in what new rows hold; a row comes once with each of its stems."""
        self._stems.extend(stems)
        self._rows.extend(rows)
        self._counts.extend(counts)
        if len(self._stems) > max(_TAIL_AT_LEAST, len(self._base.rows) // _TAIL_FRACTION):
            self._merge()

    def of(self, stem: int) -> PostingList:
        """Where that stem occurs."""
        start, end = self._base.bounds(stem)
        at = np.flatnonzero(self._stems.values == np.uint32(stem))
        if not len(at):
            return PostingList(self._base.rows[start:end], self._base.counts[start:end])
        return PostingList(
            np.concatenate([self._base.rows[start:end], self._rows.values[at]]),
            np.concatenate([self._base.counts[start:end], self._counts.values[at]]),
        )

    def renumber(self, numbers: NDArray[np.int32]) -> None:
        """Give each row its new number; a row numbered -1 goes."""
        self._merge()
        rows = numbers[self._base.rows]
        kept = rows >= 0
        self._base = _sorted(self._base.stems()[kept], rows[kept], self._base.counts[kept])

    def _merge(self) -> None:
        self._base = _sorted(
            np.concatenate([self._base.stems(), self._stems.values]),
            np.concatenate([self._base.rows, self._rows.values]),
            np.concatenate([self._base.counts, self._counts.values]),
        )
        self._stems, self._rows, self._counts = (
            GrowableArray(np.uint32),
            GrowableArray(np.int32),
            GrowableArray(np.uint8),
        )


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Compressed rows: the postings of `names[i]` are `rows[starts[i] : starts[i + 1]]`."""

    names: NDArray[np.uint32]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.names.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes

    def bounds(self, stem: int) -> tuple[int, int]:
        at = int(np.searchsorted(self.names, np.uint32(stem)))
        if at == len(self.names) or self.names[at] != stem:
            return 0, 0
        return int(self.starts[at]), int(self.starts[at + 1])

    def stems(self) -> NDArray[np.uint32]:
        return np.repeat(self.names, np.diff(self.starts))


def _sorted(
    stems: NDArray[np.uint32], rows: NDArray[np.int32], counts: NDArray[np.uint8]
) -> _Sorted:
    order = np.argsort(stems, kind="stable")
    names, firsts = np.unique(stems[order], return_index=True)
    return _Sorted(names, np.append(firsts, len(stems)), rows[order], counts[order])


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What BM25 asks of the rows: which count, how long each is, how many and how long in all."""

    live: NDArray[np.bool_]
    lengths: NDArray[np.int32]
    size: int
    total_length: int


def bm25_share(
    postings: Postings, corpus: CorpusStatistics, stems: Iterable[int]
) -> NDArray[np.float64]:
    """BM25 of each row for the query's stems, as a share of the best the query could reach: 0 to 1.

    The best is what a row approaches that holds all these stems, without end: the sum of
    idf · (k1 + 1). Stems that no live row holds aren't among them, and how often the question
    says one doesn't matter: counting the unknown ones cost 3 % of LoCoMo's evidence turns in the
    top five, and repetitions changed nothing. Scores of dead rows mean nothing.
    """
    scores = np.zeros(len(corpus.live))
    best = 0.0
    average = corpus.total_length / max(1, corpus.size)
    for stem in stems:
        found = postings.of(stem)
        frequency = int(np.count_nonzero(corpus.live[found.rows]))
        if not frequency:
            continue
        counts = found.counts.astype(np.float64)
        norms = K1 * (1 - B + B * corpus.lengths[found.rows] / average)
        weight = _idf(frequency, corpus.size) * (K1 + 1)
        scores[found.rows] += weight * counts / (counts + norms)
        best += weight
    return scores / best if best else scores


def _idf(frequency: int, size: int) -> float:
    return float(np.log1p((size - frequency + 0.5) / (frequency + 0.5)))
