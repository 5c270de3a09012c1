"""The warm indexes of a process."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.models.index_entry import IndexEntry, LogRecord
from strandline.providers.base import EmbeddingSpace
from strandline.recall.account_index import AccountIndex
from strandline.recall.index_cache import IndexCache, refresh_index
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import rank_memories
from strandline.recall.scoring import ScoringRules
from tests.support.laws import law

MakeEntry = Callable[..., IndexEntry]

PLENTY = 1 << 30


class Log:
    """A stored log that remembers what it was asked."""

    def __init__(self, *records: LogRecord) -> None:
        self.records = list(records)
        self.asked: list[int] = []

    def read(self, after: int) -> Iterable[LogRecord]:
        """What `refresh` is given."""
        self.asked.append(after)
        return [record for record in self.records if record.change > after]


def test_a_warm_index_reads_only_what_changed(entry: MakeEntry, now: datetime) -> None:
    """The first read loads all, each later one asks for what comes after the last change."""
    cache, log = IndexCache(PLENTY), Log(entry(1, "mem_1"), entry(2, "mem_2"))
    first = refresh_index(cache, "ada", log.read, now)
    log.records.append(entry(3, "mem_1", eligible=False))
    assert refresh_index(cache, "ada", log.read, now) is first
    refresh_index(cache, "ada", log.read, now)
    assert log.asked == [0, 2, 3]
    assert first.memory_ids() == {"mem_2"}


def test_an_old_view_is_loaded_afresh(entry: MakeEntry, now: datetime) -> None:
    """Past 23 hours it may have missed a marker that has left the log; before that it is kept."""
    cache, log = IndexCache(PLENTY), Log(entry(1, "mem_1"), entry(2, "mem_2"))
    refresh_index(cache, "ada", log.read, now)
    del log.records[0]
    later = now + timedelta(hours=23)
    assert refresh_index(cache, "ada", log.read, later).memory_ids() == {"mem_1", "mem_2"}
    latest = later + timedelta(hours=23, seconds=1)
    assert refresh_index(cache, "ada", log.read, latest).memory_ids() == {"mem_2"}
    assert log.asked == [0, 2, 0]


@pytest.mark.parametrize("hours", [0, 48])
def test_a_failed_read_raises_and_leaves_the_view(
    entry: MakeEntry, now: datetime, hours: int
) -> None:
    """The index that was there stays as it was, whether it was fresh or old."""
    cache = IndexCache(PLENTY)
    index = refresh_index(cache, "ada", Log(entry(1, "mem_1")).read, now)

    def failing(after: int) -> Iterable[LogRecord]:
        yield entry(after + 1, "mem_1", eligible=False)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        refresh_index(cache, "ada", failing, now + timedelta(hours=hours))
    assert cache.get("ada") is index
    assert (index.memory_ids(), index.refreshed_at) == ({"mem_1"}, now)


def test_accounts_are_held_apart(entry: MakeEntry, now: datetime) -> None:
    """The same memory id under two accounts is two memories; neither account sees the other's."""
    cache = IndexCache(PLENTY)
    ada = refresh_index(
        cache, "ada", Log(entry(1, "mem_1", text="tea"), entry(2, "mem_2")).read, now
    )
    bob = refresh_index(cache, "bob", Log(entry(1, "mem_1", eligible=False)).read, now)
    assert ada.memory_ids() == {"mem_1", "mem_2"}
    assert bob.memory_ids() == frozenset()
    assert cache.get("cleo") is None


@law()
@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 30)), max_size=30),
    st.integers(0, 200_000),
)
def test_the_cache_stays_within_its_bytes_and_drops_the_least_recent(
    entry: MakeEntry, steps: list[tuple[str, int]], max_bytes: int
) -> None:
    """It holds exactly the most recently used accounts that fit."""
    cache = IndexCache(max_bytes)
    used: list[tuple[str, int]] = []
    for account, memories in steps:
        index = AccountIndex()
        index.fold(entry(n, f"mem_{n}") for n in range(1, memories + 1))
        cache.put(account, index)
        used = [one for one in used if one[0] != account]
        if index.nbytes <= max_bytes:
            used.append((account, index.nbytes))
        while sum(size for _, size in used) > max_bytes:
            used.pop(0)
        assert cache.nbytes <= max_bytes
        assert cache.nbytes == sum(size for _, size in used)
    assert {name for name in "abcde" if cache.get(name) is not None} == {name for name, _ in used}


def test_reading_an_account_keeps_it_longer(entry: MakeEntry) -> None:
    """The one that was not used goes first, though it came later."""
    index = AccountIndex()
    index.fold([entry(1, "mem_1")])
    cache = IndexCache(index.nbytes * 2)
    cache.put("ada", index)
    cache.put("bob", index)
    cache.get("ada")
    cache.put("cleo", index)
    assert [cache.get(name) is not None for name in ("ada", "bob", "cleo")] == [True, False, True]


def test_threads_fold_and_rank_at_once(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """A reader never meets half a fold: each memory is found whole or not at all."""
    cache = IndexCache(PLENTY)
    log = [entry(n, f"mem_{n % 50}", text=f"tea {n}", importance=0.5) for n in range(1, 600)]
    query = RecallQuery(np.array([1.0, 0.0], np.float32), space, {}, now, session_id="ses_a")

    def work(step: int) -> int:
        index = refresh_index(cache, "ada", lambda after: log[after : step * 6], now)
        hits = rank_memories(index, query, ScoringRules(limit=50, session_limit=50)).relevant
        assert len({hit.memory_id for hit in hits}) == len(hits)
        assert all(hit.similarity == 1 for hit in hits)
        return len(hits)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(1, 101)))
    index = refresh_index(cache, "ada", lambda after: log[after:], now)
    assert len(index) == 50
