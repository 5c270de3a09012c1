"""A cache of account indexes in this process, bounded in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from strandline.models.index_entry import LogRecord
from strandline.recall.account_index import AccountIndex

MAX_AGE = timedelta(hours=23)
"""Older indexes are loaded afresh: removal markers leave the log after a day and may be missed."""


class IndexCache:
    """Account indexes, least recently used ones evicted when their sizes pass `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        """Makes an empty cache of at most `max_bytes`."""
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._indexes: OrderedDict[str, AccountIndex] = OrderedDict()
        self._sizes: dict[str, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes held, as measured when each index was put."""
        with self._lock:
            return sum(self._sizes.values())

    def get(self, account: str) -> AccountIndex | None:
        """Returns the account's index if it is cached, and marks it as most recently used."""
        with self._lock:
            index = self._indexes.get(account)
            if index is not None:
                self._indexes.move_to_end(account)
            return index

    def put(self, account: str, index: AccountIndex) -> None:
        """Caches the account's index, unless it is larger than the whole cache."""
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
    """Returns the account's index, brought up to date with the log.

    `read(change)` yields the log's records after that change number. What it raises passes
    through, and the index stays as it was. Memories last updated at or before `horizon` are
    dropped.
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
