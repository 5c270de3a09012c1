"""The fold of the vector log."""

from collections.abc import Callable, Iterator
from datetime import datetime
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.models.index_entry import IndexEntry, LogRecord, SessionRemoved, SourceTurn
from strandline.providers.base import EmbeddingSpace
from strandline.recall import bm25, index_rows
from strandline.recall.account_index import AccountIndex
from strandline.recall.bm25 import K1, B
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import RecallSelection, rank_memories
from strandline.recall.scoring import ScoringRules
from strandline.recall.stemming import pack_terms
from tests.support.laws import law

MakeEntry = Callable[..., IndexEntry]

SESSIONS = ("ses_a", "ses_b", "ses_c")
VECTORS = (b"", bytes(4), np.array([1, 0.5], "<f2").tobytes(), np.array([0, 1], "<f2").tobytes())


def folded(*records: LogRecord) -> AccountIndex:
    """An index that has seen these records."""
    index = AccountIndex()
    index.fold(records)
    return index


@st.composite
def logs(draw: st.DrawFn) -> list[LogRecord]:
    """A log of a few memories that come, change and go, and of sessions that are deleted."""
    records: list[LogRecord] = []
    for change in range(1, draw(st.integers(1, 25))):
        if draw(st.integers(0, 9)) == 0:
            records.append(SessionRemoved(change, draw(st.sampled_from(SESSIONS))))
            continue
        sessions = sorted(draw(st.sets(st.sampled_from(SESSIONS))))
        eligible = draw(st.integers(0, 4)) > 0
        terms = draw(st.dictionaries(st.integers(1, 6), st.integers(1, 4), max_size=4))
        records.append(
            IndexEntry(
                change=change,
                memory_id=f"mem_{draw(st.integers(0, 5))}",
                eligible=eligible,
                space=draw(st.sampled_from(["test:flat@2", "test:other@2"])) if eligible else "",
                vector=draw(st.sampled_from(VECTORS)) if eligible else b"",
                terms=pack_terms(terms) if eligible else b"",
                importance=draw(st.sampled_from([0.1, 0.5])),
                created_at=change // 3,
                updated_at=change // 3,
                source_turns=tuple(
                    SourceTurn(session, 1, 0) for session in draw(st.permutations(sessions))
                ),
                equivalence_key=draw(st.sampled_from(["", "tea", "rain"])) if eligible else "",
            )
        )
    return records


def eligible_of(log: list[LogRecord]) -> dict[str, IndexEntry]:
    """The same fold by dictionaries: the newest entry of each memory that still counts."""
    gone = {record.session_id for record in log if isinstance(record, SessionRemoved)}
    entries = (record for record in log if isinstance(record, IndexEntry))
    newest = {one.memory_id: one for one in sorted(entries, key=lambda one: one.change)}
    return {
        name: one
        for name, one in newest.items()
        if one.eligible
        and (
            not one.source_turns
            or any(ground.session_id not in gone for ground in one.source_turns)
        )
    }


def selected(index: AccountIndex, space: EmbeddingSpace, now: datetime) -> RecallSelection:
    """Everything both branches find for one fixed question."""
    query = RecallQuery(
        np.array([1.0, 1.0], np.float32), space, {1: 1, 2: 1, 9: 1}, now, None, "ses_a"
    )
    return rank_memories(index, query, ScoringRules(threshold=0.0, limit=50, session_limit=50))


@law()
@given(logs(), st.randoms(use_true_random=False), st.integers(1, 5))
def test_folding_is_the_same_in_any_order_and_number_of_times(
    space: EmbeddingSpace, now: datetime, log: list[LogRecord], random: object, parts: int
) -> None:
    """Shuffled, doubled and split into several folds, a log gives what it gives in order."""
    whole = folded(*log)
    shuffled = log + log[::2]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    pieces = AccountIndex()
    with patch.object(index_rows, "_COMPACT_FROM_ROWS", 2), patch.object(bm25, "_MIN_TAIL", 3):
        for part in range(parts):
            pieces.fold(shuffled[part::parts])
    assert pieces.memory_ids() == whole.memory_ids()
    assert pieces.last_change == whole.last_change
    assert pieces.needs_embedding(space) == whole.needs_embedding(space)
    assert selected(pieces, space, now) == selected(whole, space, now)


@law()
@given(logs())
def test_an_index_holds_the_newest_entry_of_each_eligible_memory(
    space: EmbeddingSpace, log: list[LogRecord]
) -> None:
    """It agrees with a fold by dictionaries on what is ranked and what needs embedding."""
    index = folded(*log)
    expected = eligible_of(log)
    unusable = {name for name, one in expected.items() if one.vector in VECTORS[:2]}
    outside = {name for name, one in expected.items() if one.space != space.name}
    assert index.memory_ids() == expected.keys() - unusable
    assert len(index) == len(index.memory_ids())
    assert index.needs_embedding() == tuple(sorted(unusable))
    assert index.needs_embedding(space) == tuple(sorted(unusable | outside))


@law()
@given(logs(), st.sets(st.integers(1, 8), min_size=1))
def test_postings_give_the_bm25_that_counting_gives(log: list[LogRecord], asked: set[int]) -> None:
    """After inserts, updates and deletes a score is that of a naive BM25 over what is left."""
    index = AccountIndex()
    with patch.object(index_rows, "_COMPACT_FROM_ROWS", 2), patch.object(bm25, "_MIN_TAIL", 3):
        for record in log:
            index.fold([record])
    texts = {
        name: dict(np.frombuffer(one.terms, dtype=[("id", "<u4"), ("count", "u1")]).tolist())
        for name, one in eligible_of(log).items()
        if one.vector in VECTORS[2:]
    }
    scores = index.rows.lexical(asked)
    found = {index.rows.ids[row]: scores[row] for row in np.flatnonzero(index.rows.live)}
    assert found == pytest.approx(naive_bm25(texts, asked))


def naive_bm25(texts: dict[str, dict[int, int]], asked: set[int]) -> dict[str, float]:
    """BM25 of each text as a share of the best that the stems in use could reach."""
    average = sum(sum(terms.values()) for terms in texts.values()) / max(1, len(texts))
    scores = dict.fromkeys(texts, 0.0)
    best = 0.0
    for stem in asked:
        holding = {name: terms for name, terms in texts.items() if stem in terms}
        if not holding:
            continue
        idf = np.log(1 + (len(texts) - len(holding) + 0.5) / (len(holding) + 0.5))
        best += idf * (K1 + 1)
        for name, terms in holding.items():
            norm = K1 * (1 - B + B * sum(terms.values()) / average)
            scores[name] += idf * terms[stem] * (K1 + 1) / (terms[stem] + norm)
    return {name: score / best if best else 0.0 for name, score in scores.items()}


def test_an_older_entry_that_arrives_late_changes_nothing(entry: MakeEntry) -> None:
    """A deleted memory doesn't come back with an entry from before its deletion."""
    index = folded(entry(2, "mem_1", eligible=False))
    index.fold([entry(1, "mem_1")])
    assert index.memory_ids() == frozenset()


def test_a_deleted_session_takes_what_rests_on_nothing_else(entry: MakeEntry) -> None:
    """Memories with a ground elsewhere stay, those without go, whichever was folded first."""
    only, both = entry(1, "mem_only"), entry(2, "mem_both", sessions=("ses_a", "ses_b"))
    gone = SessionRemoved(3, "ses_a")
    late = entry(4, "mem_late")
    assert folded(only, both, gone, late).memory_ids() == {"mem_both"}
    assert folded(gone, late, both, only).memory_ids() == {"mem_both"}


def test_a_memory_said_anew_elsewhere_comes_back(entry: MakeEntry) -> None:
    """A newer entry with a ground in a living session counts again."""
    index = folded(entry(1, "mem_1"), SessionRemoved(2, "ses_a"))
    index.fold([entry(3, "mem_1", sessions=("ses_a", "ses_b"))])
    assert index.memory_ids() == {"mem_1"}


def test_a_fold_that_fails_takes_nothing_in(entry: MakeEntry) -> None:
    """Neither a read that breaks off nor an entry with broken terms leaves half a fold."""
    index = folded(entry(1, "mem_1"))

    def breaking_off() -> Iterator[LogRecord]:
        yield entry(2, "mem_1", eligible=False)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        index.fold(breaking_off())
    broken = IndexEntry(3, "mem_2", True, "test:flat@2", VECTORS[2], terms=b"123")
    with pytest.raises(ValueError, match="fives"):
        index.fold([entry(2, "mem_1", eligible=False), broken])
    assert (index.memory_ids(), index.last_change) == ({"mem_1"}, 1)


def test_rewriting_memories_does_not_make_an_index_grow(entry: MakeEntry) -> None:
    """Dead rows are swept: 200 revisions of ten memories weigh no more than 300 rows do."""
    index = folded(*(entry(n, f"mem_{n}", text="green tea") for n in range(10)))
    index.fold([])
    small = index.nbytes
    for revision in range(1, 200):
        index.fold(entry(revision * 10 + n, f"mem_{n}", text="green tea") for n in range(10))
    assert len(index) == 10
    assert index.nbytes < small + 300 * 1_000


def test_an_index_weighs_at_least_its_vectors(entry: MakeEntry) -> None:
    """The bytes it reports grow with what it holds."""
    wide = [1.0] * 384
    log = [entry(n, f"mem_{n}", wide, space="test:wide@384") for n in range(1, 101)]
    assert folded(*log).nbytes >= 100 * 384 * 4
