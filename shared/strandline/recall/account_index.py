"""One account's recall index: the fold of its vector log.

Its state depends on which records were folded, never on their order or on how often: a reader
may fold overlapping answers, single items or whole segments alike.
"""

import math
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime

from strandline.models.index_entry import IndexEntry, LogRecord, SessionRemoved, SourceTurn
from strandline.providers.base import EmbeddingSpace
from strandline.recall.entry_block import decode_entries
from strandline.recall.index_rows import IndexRows

_BYTES_PER_NAME = 150
"""A memory or session that the index remembers by name, from tracemalloc."""

_BYTES_EMPTY = 4096
"""An index that holds nothing: a cache of many of them is bounded, too."""


class AccountIndex:
    """What recall knows of an account's memories.

    Who reads `rows` holds `lock`, so that no fold comes between two answers.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rows = IndexRows()
        self.last_change = 0
        self.refreshed_at: datetime | None = None
        self._newest: dict[str, int] = {}
        self._row_of: dict[str, int] = {}
        self._unusable: dict[str, IndexEntry] = {}
        self._gone: set[str] = set()

    def __len__(self) -> int:
        """How many memories can be ranked."""
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """Bytes held, near enough to bound a cache by."""
        with self.lock:
            names = len(self._newest) + len(self._gone)
            vectors = sum(len(entry.vector) for entry in self._unusable.values())
            return _BYTES_EMPTY + self.rows.nbytes + names * _BYTES_PER_NAME + vectors

    def memory_ids(self) -> frozenset[str]:
        """The memories that can be ranked."""
        with self.lock:
            return frozenset(self._row_of)

    def needs_embedding(self, space: EmbeddingSpace | None = None) -> tuple[str, ...]:
        """Eligible memories whose vector is unusable or, if `space` is given, of another space."""
        with self.lock:
            found = {
                name for name, entry in self._unusable.items() if not self._all_gone(entry.grounds)
            }
            if space is not None:
                found.update(self.rows.ids[row] for row in self.rows.outside(space.name))
            return tuple(sorted(found))

    def fold(self, records: Iterable[LogRecord]) -> None:
        """Take in log records, in any order; those known already change nothing.

        Nothing is taken in if reading or decoding any of them raises.
        """
        read = list(records)
        with self.lock:
            gone = {record.session_id for record in read if isinstance(record, SessionRemoved)}
            newer = self._newer(record for record in read if isinstance(record, IndexEntry))
            blocks, unusable = decode_entries([entry for entry in newer.values() if entry.eligible])
            self._replace(newer)
            for block in blocks:
                for entry, row in zip(block.entries, self.rows.extend(block), strict=True):
                    self._row_of[entry.memory_id] = row
            self._unusable.update((entry.memory_id, entry) for entry in unusable)
            self._leave_sessions(gone, newer)
            self.last_change = max([self.last_change, *(record.change for record in read)])
            self._sweep()

    def expire(self, horizon: datetime) -> None:
        """Drop what was last updated at or before then: expired for good.

        Rows know whole seconds, so one may stay for a second too long; its head says so.
        """
        with self.lock:
            for row in self.rows.older_than(math.floor(horizon.timestamp())).tolist():
                self._drop(self.rows.ids[row])
            self._unusable = {
                name: entry
                for name, entry in self._unusable.items()
                if entry.updated_at >= math.floor(horizon.timestamp())
            }
            self._sweep()

    def _newer(self, entries: Iterable[IndexEntry]) -> Mapping[str, IndexEntry]:
        """The newest of these entries for each memory, where it is news to the index."""
        newest: dict[str, IndexEntry] = {}
        for entry in entries:
            known = newest.get(entry.memory_id)
            seen = self._newest.get(entry.memory_id, -1) if known is None else known.change
            if entry.change > seen:
                newest[entry.memory_id] = entry
        return newest

    def _replace(self, newer: Mapping[str, IndexEntry]) -> None:
        for memory_id, entry in newer.items():
            self._newest[memory_id] = entry.change
            self._unusable.pop(memory_id, None)
            self._drop(memory_id)

    def _drop(self, memory_id: str) -> None:
        row = self._row_of.pop(memory_id, None)
        if row is not None:
            self.rows.kill(row)

    def _leave_sessions(self, gone: set[str], newer: Mapping[str, IndexEntry]) -> None:
        """Drop what rests on gone sessions alone: old rows by the news, new rows by all that is."""
        touched = [self.rows.ids[row] for row in self.rows.of_sessions(gone - self._gone)]
        self._gone |= gone
        for memory_id in {*touched, *newer}:
            row = self._row_of.get(memory_id)
            if row is not None and self._all_gone(self.rows.grounds[row]):
                self._drop(memory_id)

    def _all_gone(self, grounds: tuple[SourceTurn, ...]) -> bool:
        """A memory without grounds rests on no session, so none takes it along."""
        return bool(grounds) and all(g.session_id in self._gone for g in grounds)

    def _sweep(self) -> None:
        if self.rows.sweep():
            self._row_of = {name: row for row, name in enumerate(self.rows.ids)}
