"""The rows of an index: one per log entry, in columns; dead ones stay until they are swept."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from strandline.models.index_entry import SourceTurn
from strandline.providers.vector_types import Vectors
from strandline.recall.bm25 import CorpusStatistics, Postings, bm25_share
from strandline.recall.entry_block import EntryBlock
from strandline.recall.growable_array import GrowableArray
from strandline.recall.vectors import SpaceVectors

_SWEEP_AT_LEAST = 256
_SWEEP_SHARE = 0.25

_BYTES_PER_ROW = 900
"""Python's share of a row (its id, its grounds, the tables that find it), from tracemalloc."""

Likeness = tuple[str, tuple[tuple[str, int], ...]]
"""What a row says, and the turns it rests on."""


class IndexRows:
    """Memories as ranking reads them, by row number. Numbers change when `sweep` says so."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.grounds: list[tuple[SourceTurn, ...]] = []
        self._live = GrowableArray(np.bool_)
        self._changes = GrowableArray(np.int64)
        self._importance = GrowableArray(np.float64)
        self._created = GrowableArray(np.int64)
        self._updated = GrowableArray(np.int64)
        self._lengths = GrowableArray(np.int32)
        self._spaces: dict[str, SpaceVectors] = {}
        self._postings = Postings()
        self._same: list[str] = []
        self._of_session: dict[str, list[int]] = {}
        self._alike: dict[Likeness, list[int]] = {}
        self._twice: set[Likeness] = set()
        self._size = 0
        self._total_length = 0

    def __len__(self) -> int:
        """How many rows there are, dead ones included."""
        return len(self.ids)

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which rows count."""
        return self._live.values

    @property
    def changes(self) -> NDArray[np.int64]:
        """The change number of each row's entry."""
        return self._changes.values

    @property
    def importance(self) -> NDArray[np.float64]:
        """As written: not yet clipped."""
        return self._importance.values

    @property
    def created(self) -> NDArray[np.int64]:
        """Seconds since the epoch."""
        return self._created.values

    @property
    def updated(self) -> NDArray[np.int64]:
        """Seconds since the epoch."""
        return self._updated.values

    @property
    def nbytes(self) -> int:
        """Bytes held: the arrays exactly, the rest by a measured average."""
        columns = (
            self._live, self._changes, self._importance, self._created, self._updated, self._lengths
        )  # fmt: skip
        arrays = sum(column.nbytes for column in columns) + self._postings.nbytes
        vectors = sum(space.nbytes for space in self._spaces.values())
        return arrays + vectors + _BYTES_PER_ROW * len(self)

    def extend(self, block: EntryBlock) -> range:
        """Add a block's entries as live rows and say which these are."""
        new = range(len(self), len(self) + len(block.entries))
        rows = np.arange(new.start, new.stop, dtype=np.int32)
        lengths = block.lengths()
        self.ids += [entry.memory_id for entry in block.entries]
        self.grounds += [entry.grounds for entry in block.entries]
        self._same += [entry.same for entry in block.entries]
        self._live.extend(np.ones(len(new), dtype=np.bool_))
        self._changes.extend(block.column("change"))
        self._importance.extend(block.importance())
        self._created.extend(block.column("created_at"))
        self._updated.extend(block.column("updated_at"))
        self._lengths.extend(lengths)
        space = self._spaces.setdefault(block.space, SpaceVectors(block.vectors.shape[1]))
        space.extend(block.vectors, rows)
        self._postings.extend(block.stems, rows[block.terms_of], block.counts)
        self._enter_sessions(new)
        self._enter_likenesses(new)
        self._size += len(new)
        self._total_length += int(lengths.sum())
        return new

    def older_than(self, second: int) -> NDArray[np.int64]:
        """The live rows that were updated before that second."""
        return np.flatnonzero(self.live & (self.updated < second))

    def kill(self, row: int) -> None:
        """Take a live row out of every answer."""
        self.live[row] = False
        self._size -= 1
        self._total_length -= int(self._lengths.values[row])
        self._leave_likeness(row)

    def sweep(self) -> bool:
        """Drop the dead rows once they are many; whether it did, and rows have new numbers."""
        dead = len(self) - self._size
        if dead < _SWEEP_AT_LEAST or dead < _SWEEP_SHARE * len(self):
            return False
        kept = self.live.copy()
        numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        for column in (self._changes, self._importance, self._created, self._updated):
            column.keep(kept)
        self._lengths.keep(kept)
        self._live.keep(kept)
        for space in self._spaces.values():
            space.renumber(numbers)
        self._spaces = {name: space for name, space in self._spaces.items() if len(space.rows)}
        self._postings.renumber(numbers)
        at = np.flatnonzero(kept).tolist()
        self.ids = [self.ids[row] for row in at]
        self.grounds = [self.grounds[row] for row in at]
        self._same = [self._same[row] for row in at]
        self._of_session, self._alike, self._twice = {}, {}, set()
        self._enter_sessions(range(len(self.ids)))
        self._enter_likenesses(range(len(self.ids)))
        return True

    def of_sessions(self, sessions: Iterable[str]) -> NDArray[np.int64]:
        """The live rows with a ground in any of these sessions, each once."""
        found = {row for session in sessions for row in self._of_session.get(session, ())}
        rows = np.array(sorted(found), dtype=np.int64)
        return rows[self.live[rows]]

    def stems_held(self, stems: Iterable[int]) -> NDArray[np.int64]:
        """How many of these stems each row holds."""
        held = np.zeros(len(self), dtype=np.int64)
        for stem in set(stems):
            held[self._postings.of(stem).rows] += 1
        return held

    def cosines(self, unit: Vectors, space: str) -> NDArray[np.float32]:
        """Each row's cosine with `unit`; NaN for rows of another space."""
        cosines = np.full(len(self), np.nan, dtype=np.float32)
        if space in self._spaces:
            cosines[self._spaces[space].rows] = self._spaces[space].cosines(unit)
        return cosines

    def outside(self, space: str) -> NDArray[np.int64]:
        """The live rows whose vector is of another space."""
        elsewhere = self.live.copy()
        if space in self._spaces:
            elsewhere[self._spaces[space].rows] = False
        return np.flatnonzero(elsewhere)

    def lexical(self, stems: Iterable[int]) -> NDArray[np.float64]:
        """Each row's share of the best BM25 these stems could reach; meaningless for dead rows."""
        corpus = CorpusStatistics(self.live, self._lengths.values, self._size, self._total_length)
        return bm25_share(self._postings, corpus, stems)

    def equivalents(self) -> list[list[int]]:
        """The live rows that say the same on the same grounds, where there are several."""
        return [self._alike[likeness] for likeness in self._twice]

    def equivalents_of(self, row: int) -> tuple[str, ...]:
        """The ids of the other live rows that say the same on the same grounds, in order."""
        alike = self._alike.get(self._likeness(row), ()) if self._same[row] else ()
        return tuple(sorted(self.ids[other] for other in alike if other != row))

    def _enter_likenesses(self, rows: range) -> None:
        for row in rows:
            if self._same[row]:
                likeness = self._likeness(row)
                alike = self._alike.setdefault(likeness, [])
                alike.append(row)
                if len(alike) > 1:
                    self._twice.add(likeness)

    def _leave_likeness(self, row: int) -> None:
        if not self._same[row]:
            return
        likeness = self._likeness(row)
        alike = self._alike[likeness]
        alike.remove(row)
        if len(alike) < 2:
            self._twice.discard(likeness)
        if not alike:
            del self._alike[likeness]

    def _likeness(self, row: int) -> Likeness:
        turns = sorted((g.session_id, g.sequence_number) for g in self.grounds[row])
        return self._same[row], tuple(turns)

    def _enter_sessions(self, rows: range) -> None:
        for row in rows:
            for session in {ground.session_id for ground in self.grounds[row]}:
                self._of_session.setdefault(session, []).append(row)
