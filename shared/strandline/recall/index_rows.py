"""The rows of an index, stored in columns: one row for each log entry."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from strandline.models.index_entry import SourceTurn
from strandline.providers.vector_types import Vectors
from strandline.recall.bm25 import CorpusStatistics, Postings, bm25_share
from strandline.recall.entry_block import EntryBlock
from strandline.recall.growable_array import GrowableArray
from strandline.recall.vectors import SpaceVectors

_COMPACT_FROM_ROWS = 256
_COMPACT_FROM_SHARE = 0.25
"""Dead rows are dropped once they are at least so many and such a share of all rows."""

_BYTES_PER_ROW = 900
"""Bytes of a row in Python objects (id, source turns, dictionaries), measured by tracemalloc."""

EquivalenceClass = tuple[str, tuple[tuple[str, int], ...]]
"""The equivalence key of a row's statement, and the turns the row rests on, sorted."""


class IndexRows:
    """The memories of an index by row number.

    All column arrays have the shape (rows,). A removed row stays as a dead row until `compact`
    drops it, which changes the row numbers. Only live rows have a meaning.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.source_turns: list[tuple[SourceTurn, ...]] = []
        self._live = GrowableArray(np.bool_)
        self._changes = GrowableArray(np.int64)
        self._importance = GrowableArray(np.float64)
        self._created = GrowableArray(np.int64)
        self._updated = GrowableArray(np.int64)
        self._lengths = GrowableArray(np.int32)
        self._spaces: dict[str, SpaceVectors] = {}
        self._postings = Postings()
        self._equivalence_keys: list[str] = []
        self._rows_of_session: dict[str, list[int]] = {}
        self._classes: dict[EquivalenceClass, list[int]] = {}
        self._shared_classes: set[EquivalenceClass] = set()
        self._size = 0
        self._total_length = 0

    def __len__(self) -> int:
        """Returns the number of rows, dead ones included."""
        return len(self.ids)

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which rows are live."""
        return self._live.values

    @property
    def changes(self) -> NDArray[np.int64]:
        """The change number of each row's log entry."""
        return self._changes.values

    @property
    def importance(self) -> NDArray[np.float64]:
        """The importance of each row as it was stored, not clipped to 0 to 1."""
        return self._importance.values

    @property
    def created(self) -> NDArray[np.int64]:
        """When each memory was created, in seconds since 1970."""
        return self._created.values

    @property
    def updated(self) -> NDArray[np.int64]:
        """When each memory was last updated, in seconds since 1970."""
        return self._updated.values

    @property
    def nbytes(self) -> int:
        """Bytes held: the arrays exactly, Python objects by a measured average per row."""
        columns = (
            self._live, self._changes, self._importance, self._created, self._updated, self._lengths
        )  # fmt: skip
        arrays = sum(column.nbytes for column in columns) + self._postings.nbytes
        vectors = sum(space.nbytes for space in self._spaces.values())
        return arrays + vectors + _BYTES_PER_ROW * len(self)

    def extend(self, block: EntryBlock) -> range:
        """Adds a block's entries as live rows and returns their row numbers."""
        new = range(len(self), len(self) + len(block.entries))
        rows = np.arange(new.start, new.stop, dtype=np.int32)
        lengths = block.lengths()
        self.ids += [entry.memory_id for entry in block.entries]
        self.source_turns += [entry.source_turns for entry in block.entries]
        self._equivalence_keys += [entry.equivalence_key for entry in block.entries]
        self._live.extend(np.ones(len(new), dtype=np.bool_))
        self._changes.extend(block.column("change"))
        self._importance.extend(block.importance())
        self._created.extend(block.column("created_at"))
        self._updated.extend(block.column("updated_at"))
        self._lengths.extend(lengths)
        space = self._spaces.setdefault(block.space, SpaceVectors(block.vectors.shape[1]))
        space.extend(block.vectors, rows)
        self._postings.extend(block.stems, rows[block.terms_of], block.counts)
        self._add_to_sessions(new)
        self._add_to_classes(new)
        self._size += len(new)
        self._total_length += int(lengths.sum())
        return new

    def older_than(self, second: int) -> NDArray[np.int64]:
        """Returns the live rows that were updated before `second` (since 1970), ascending."""
        return np.flatnonzero(self.live & (self.updated < second))

    def remove(self, row: int) -> None:
        """Makes a live row dead: no method returns it any more."""
        self.live[row] = False
        self._size -= 1
        self._total_length -= int(self._lengths.values[row])
        self._remove_from_class(row)

    def compact(self) -> bool:
        """Drops the dead rows if they are many. Returns whether it did and row numbers changed."""
        dead = len(self) - self._size
        if dead < _COMPACT_FROM_ROWS or dead < _COMPACT_FROM_SHARE * len(self):
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
        kept_rows = np.flatnonzero(kept).tolist()
        self.ids = [self.ids[row] for row in kept_rows]
        self.source_turns = [self.source_turns[row] for row in kept_rows]
        self._equivalence_keys = [self._equivalence_keys[row] for row in kept_rows]
        self._rows_of_session, self._classes, self._shared_classes = {}, {}, set()
        self._add_to_sessions(range(len(self.ids)))
        self._add_to_classes(range(len(self.ids)))
        return True

    def of_sessions(self, sessions: Iterable[str]) -> NDArray[np.int64]:
        """Returns the live rows that rest on any of these sessions, each once, ascending."""
        found = {row for session in sessions for row in self._rows_of_session.get(session, ())}
        rows = np.array(sorted(found), dtype=np.int64)
        return rows[self.live[rows]]

    def stems_held(self, stems: Iterable[int]) -> NDArray[np.int64]:
        """Returns how many of these stems each row holds, of shape (rows,)."""
        held = np.zeros(len(self), dtype=np.int64)
        for stem in set(stems):
            held[self._postings.of(stem).rows] += 1
        return held

    def cosines(self, unit: Vectors, space: str) -> NDArray[np.float32]:
        """Returns each row's cosine with `unit`, of shape (rows,); NaN for rows of other spaces.

        `unit` is a unit vector of shape (dimensions,) in `space` (EmbeddingSpace.name).
        """
        cosines = np.full(len(self), np.nan, dtype=np.float32)
        if space in self._spaces:
            cosines[self._spaces[space].rows] = self._spaces[space].cosines(unit)
        return cosines

    def outside(self, space: str) -> NDArray[np.int64]:
        """Returns the live rows whose vectors are in other spaces, ascending."""
        elsewhere = self.live.copy()
        if space in self._spaces:
            elsewhere[self._spaces[space].rows] = False
        return np.flatnonzero(elsewhere)

    def lexical(self, stems: Iterable[int]) -> NDArray[np.float64]:
        """Returns each row's lexical score, 0 to 1, of shape (rows,): see `bm25_share`."""
        corpus = CorpusStatistics(self.live, self._lengths.values, self._size, self._total_length)
        return bm25_share(self._postings, corpus, stems)

    def equivalents(self) -> list[list[int]]:
        """Returns each group of two or more live rows with the same statement and source turns."""
        return [self._classes[shared] for shared in self._shared_classes]

    def equivalents_of(self, row: int) -> tuple[str, ...]:
        """Returns the ids of the row's equivalents, sorted, without its own."""
        equal = self._classes.get(self._class_of(row), ()) if self._equivalence_keys[row] else ()
        return tuple(sorted(self.ids[other] for other in equal if other != row))

    def _add_to_classes(self, rows: range) -> None:
        for row in rows:
            if self._equivalence_keys[row]:
                key = self._class_of(row)
                members = self._classes.setdefault(key, [])
                members.append(row)
                if len(members) > 1:
                    self._shared_classes.add(key)

    def _remove_from_class(self, row: int) -> None:
        if not self._equivalence_keys[row]:
            return
        key = self._class_of(row)
        members = self._classes[key]
        members.remove(row)
        if len(members) < 2:
            self._shared_classes.discard(key)
        if not members:
            del self._classes[key]

    def _class_of(self, row: int) -> EquivalenceClass:
        turns = sorted((turn.session_id, turn.sequence_number) for turn in self.source_turns[row])
        return self._equivalence_keys[row], tuple(turns)

    def _add_to_sessions(self, rows: range) -> None:
        for row in rows:
            for session in {turn.session_id for turn in self.source_turns[row]}:
                self._rows_of_session.setdefault(session, []).append(row)
