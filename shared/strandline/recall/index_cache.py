"""The warm indexes of this process: one for each account, bounded in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from strandline.models.index_entry import LogRecord
from strandline.recall.account_index import AccountIndex

MAX_AGE = timedelta(hours=23)
"""Markers leave the log after a day; a view that might have missed one is loaded afresh."""


class IndexCache:
    """Indexes by account; the least recently used leave when together they pass `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._indexes: OrderedDict[str, AccountIndex] = OrderedDict()
        self._sizes: dict[str, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes held, as measured when each index was put in."""
        with self._lock:
            return sum(self._sizes.values())

    def get(self, account: str) -> AccountIndex | None:
        """That account's index, if it is warm; it is the most recently used one now."""
        with self._lock:
            index = self._indexes.get(account)
            if index is not None:
                self._indexes.move_to_end(account)
            return index

    def put(self, account: str, index: AccountIndex) -> None:
        """Keep that account's index; one too big for the whole cache is not kept at all."""
        size = index.nbytes
        with self._lock:
            self._indexes[account] = index
            self._indexes.move_to_end(account)
            self._sizes[account] = size
            if size > self.max_bytes:
                self._drop(account)
            while sum(self._sizes.values()) > self.max_bytes:
                self._drop(next(iter(self._indexes)))

    def _drop(self, account: str) -> None:
        del self._indexes[account]
        del self._sizes[account]


def refresh_index(
    cache: IndexCache,
    account: str,
    read: Callable[[int], Iterable[LogRecord]],
    now: datetime,
    horizon: datetime | None = None,
) -> AccountIndex:
    """The account's index with everything the log holds now, without what is older than `horizon`.

    `read(change)` gives the log's records after that change. What it raises is raised, and the
    index is left as it was.
    """
    index = cache.get(account)
    if index is None or index.refreshed_at is None or now - index.refreshed_at > MAX_AGE:
        index = AccountIndex()
    index.fold(read(index.last_change))
    if horizon is not None:
        index.expire(horizon)
    index.refreshed_at = now
    cache.put(account, index)
    return index
