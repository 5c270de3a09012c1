"""One account's recall index: its vector log, folded into memory.

The index depends only on which records were folded, not on their order or on how often: folding
is idempotent and commutative. So a reader may fold overlapping pages of the log.
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
"""Bytes of a memory's or session's id in the index's dictionaries, measured by tracemalloc."""

_BYTES_EMPTY = 4096
"""Bytes of an empty index, so that a cache of many empty ones is bounded as well."""


class AccountIndex:
    """The memories of one account that recall can rank.

    Readers of `rows` hold `lock`, so that no fold changes the rows between two reads.
    `last_change` is the highest change number that was folded.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rows = IndexRows()
        self.last_change = 0
        self.refreshed_at: datetime | None = None
        self._latest_change: dict[str, int] = {}
        self._row_of: dict[str, int] = {}
        self._unusable: dict[str, IndexEntry] = {}
        self._removed_sessions: set[str] = set()

    def __len__(self) -> int:
        """Returns how many memories can be ranked."""
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """Bytes held, exact enough to bound a cache."""
        with self.lock:
            names = len(self._latest_change) + len(self._removed_sessions)
            vectors = sum(len(entry.vector) for entry in self._unusable.values())
            return _BYTES_EMPTY + self.rows.nbytes + names * _BYTES_PER_NAME + vectors

    def memory_ids(self) -> frozenset[str]:
        """Returns the ids of the memories that can be ranked."""
        with self.lock:
            return frozenset(self._row_of)

    def needs_embedding(self, space: EmbeddingSpace | None = None) -> tuple[str, ...]:
        """Returns the ids of eligible memories that need a new vector, sorted.

        Their vector is unusable (zero, not finite or of the wrong size) or, if `space` is given,
        of another space.
        """
        with self.lock:
            found = {
                name
                for name, entry in self._unusable.items()
                if not self._all_removed(entry.source_turns)
            }
            if space is not None:
                found.update(self.rows.ids[row] for row in self.rows.outside(space.name))
            return tuple(sorted(found))

    def fold(self, records: Iterable[LogRecord]) -> None:
        """Applies log records, in any order. Records that were folded already change nothing.

        If reading or decoding any of them raises, the index stays as it was.
        """
        read = list(records)
        with self.lock:
            removed = {record.session_id for record in read if isinstance(record, SessionRemoved)}
            newer = self._newer(record for record in read if isinstance(record, IndexEntry))
            blocks, unusable = decode_entries([entry for entry in newer.values() if entry.eligible])
            self._replace(newer)
            for block in blocks:
                for entry, row in zip(block.entries, self.rows.extend(block), strict=True):
                    self._row_of[entry.memory_id] = row
            self._unusable.update((entry.memory_id, entry) for entry in unusable)
            self._remove_sessions(removed, newer)
            self.last_change = max([self.last_change, *(record.change for record in read)])
            self._compact()

    def expire(self, horizon: datetime) -> None:
        """Drops the memories that were last updated at or before `horizon`: they have expired.

        Rows hold whole seconds, so one may stay for up to a second too long. The memory's head,
        which is read later, has the exact time.
        """
        with self.lock:
            for row in self.rows.older_than(math.floor(horizon.timestamp())).tolist():
                self._drop(self.rows.ids[row])
            self._unusable = {
                name: entry
                for name, entry in self._unusable.items()
                if entry.updated_at >= math.floor(horizon.timestamp())
            }
            self._compact()

    def _newer(self, entries: Iterable[IndexEntry]) -> Mapping[str, IndexEntry]:
        """Returns each memory's newest entry, if it is newer than what the index holds."""
        newest: dict[str, IndexEntry] = {}
        for entry in entries:
            known = newest.get(entry.memory_id)
            latest = self._latest_change.get(entry.memory_id, -1) if known is None else known.change
            if entry.change > latest:
                newest[entry.memory_id] = entry
        return newest

    def _replace(self, newer: Mapping[str, IndexEntry]) -> None:
        for memory_id, entry in newer.items():
            self._latest_change[memory_id] = entry.change
            self._unusable.pop(memory_id, None)
            self._drop(memory_id)

    def _drop(self, memory_id: str) -> None:
        row = self._row_of.pop(memory_id, None)
        if row is not None:
            self.rows.remove(row)

    def _remove_sessions(self, removed: set[str], newer: Mapping[str, IndexEntry]) -> None:
        """Drops the memories that rest on removed sessions alone.

        Looks at the rows of newly removed sessions, and at new rows for all removed sessions.
        """
        rows = self.rows.of_sessions(removed - self._removed_sessions)
        touched = [self.rows.ids[row] for row in rows]
        self._removed_sessions |= removed
        for memory_id in {*touched, *newer}:
            row = self._row_of.get(memory_id)
            if row is not None and self._all_removed(self.rows.source_turns[row]):
                self._drop(memory_id)

    def _all_removed(self, turns: tuple[SourceTurn, ...]) -> bool:
        """Whether all of these turns' sessions were removed; not if there are no turns."""
        return bool(turns) and all(turn.session_id in self._removed_sessions for turn in turns)

    def _compact(self) -> None:
        if self.rows.compact():
            self._row_of = {name: row for row, name in enumerate(self.rows.ids)}
