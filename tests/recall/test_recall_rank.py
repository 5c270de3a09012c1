"""Ranking: the two branches, their rule and their order."""

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.models.index_entry import IndexEntry, SessionRemoved
from strandline.providers.base import EmbeddingSpace
from strandline.recall.account_index import AccountIndex
from strandline.recall.nearest import nearest_memories
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import RankedMemory, RecallSelection, rank_memories
from strandline.recall.scoring import (
    ScoringRules,
    capped_relevance,
    recency,
    score,
    scoring_rules,
    uncapped_relevance,
)
from strandline.recall.stemming import stem_counts
from strandline.settings import Settings
from tests.support.laws import law

MakeEntry = Callable[..., IndexEntry]

FIXTURES = Path(__file__).parents[1] / "fixtures"


def fixture(name: str) -> dict[str, Any]:
    """One of the acceptance fixtures."""
    loaded: dict[str, Any] = json.loads((FIXTURES / name).read_text(encoding="utf-8"))
    return loaded


def index_of(*entries: IndexEntry | SessionRemoved) -> AccountIndex:
    """An index that holds these."""
    index = AccountIndex()
    index.fold(entries)
    return index


def asked(space: EmbeddingSpace, now: datetime, text: str = "", **changes: Any) -> RecallQuery:
    """A question along the first axis, with the stems of `text`."""
    along = np.array([1.0, 0.0], np.float32)
    return replace(RecallQuery(along, space, stem_counts(text, "en"), now), **changes)


def at_cosine(cosine: float) -> tuple[float, float]:
    """The unit vector with that cosine to the first axis."""
    return cosine, (1 - cosine**2) ** 0.5


def ids(hits: tuple[RankedMemory, ...]) -> list[str]:
    """The memories of hits, in order."""
    return [hit.memory_id for hit in hits]


def test_seven_rows_by_the_formula_alone() -> None:
    """The scores and the order of the seed's arithmetic example; G is dropped before scoring."""
    given_rule, rows = (
        fixture("ranking-seven-rows.json"),
        fixture("ranking-seven-rows.json")["rows"],
    )
    similarity = np.array([row["similarity"] for row in rows])
    found = capped_relevance(uncapped_relevance(similarity, np.zeros(len(rows)), ScoringRules()))
    ages = np.array([row["age_days"] for row in rows])
    fresh = recency(-86_400 * ages, 0, ScoringRules())
    scores = score(found, np.array([row["importance"] for row in rows]), fresh, ScoringRules())
    kept = {
        row["id"]: value
        for row, value, passes in zip(rows, scores.tolist(), found >= 0.3, strict=True)
        if passes
    }
    assert kept == {row["id"]: row["score"] for row in rows if row["score"] is not None}
    assert sorted(kept, key=kept.__getitem__, reverse=True) == given_rule["descending"]


@pytest.mark.parametrize("limit", [5, 7])
def test_seven_rows_through_the_index(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime, limit: int
) -> None:
    """As memories with float16 vectors the rows give the same order; F stands on the threshold."""
    example = fixture("ranking-seven-rows.json")
    index = index_of(
        *(
            entry(
                change,
                row["id"],
                at_cosine(row["similarity"]),
                importance=row["importance"],
                age_days=row["age_days"],
            )
            for change, row in enumerate(example["rows"], start=1)
        )
    )
    hits = rank_memories(index, asked(space, now), ScoringRules(limit=limit)).relevant
    assert ids(hits) == (example["selected"] if limit == 5 else example["descending"])
    expected = {row["id"]: row["score"] for row in example["rows"]}
    assert all(hit.score == pytest.approx(expected[hit.memory_id], abs=1e-3) for hit in hits)


def test_consumer_trace(entry: MakeEntry, space: EmbeddingSpace) -> None:
    """The seed's four records: A, C, B by relevance, D and B by session, B only once."""
    trace = fixture("consumer-trace.json")
    now = datetime.fromisoformat(trace["now"])

    def days(text: str) -> float:
        return (now - datetime.fromisoformat(text)) / timedelta(days=1)

    index = index_of(
        *(
            replace(
                entry(change, row["id"], row["vector"], text=f"{row['title']}: {row['text']}"),
                importance=row["importance"],
                created_at=int(datetime.fromisoformat(row["created_at"]).timestamp()),
                updated_at=int(datetime.fromisoformat(row["updated_at"]).timestamp()),
                source_turns=entry(1, "x", sessions=(row["session"],)).source_turns,
            )
            for change, row in enumerate(trace["memories"], start=1)
        )
    )
    vector = np.array(trace["query_vector"], np.float32)
    query = RecallQuery(vector, space, stem_counts(trace["query"], "en"), now, session_id="this")
    selection = rank_memories(index, query, scoring_rules(Settings()))
    assert ids(selection.relevant) == trace["expected"]["relevant"]
    assert ids(selection.session) == trace["expected"]["session"]
    assert ids(selection.merged) == trace["expected"]["merged"]
    dropped = selection.session[0]
    assert (dropped.similarity, dropped.relevance, dropped.selected_by) == (0.29, 0.29, "session")


@pytest.mark.parametrize("case", ["nothing near", "no memories"])
def test_no_match_is_an_empty_selection_without_a_warning(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime, case: str
) -> None:
    """Neither an empty account nor one with nothing near is an error."""
    index = index_of(*([entry(1, "mem_1", (0, 1))] if case == "nothing near" else []))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            rank_memories(index, asked(space, now, session_id="ses_z"), ScoringRules())
            == RecallSelection()
        )


@pytest.mark.parametrize(
    "vector",
    [(0, 0), (float("nan"), 1), (float("inf"), 1), (1, 0, 0), (1,), ()],
    ids=["zero", "NaN", "infinite", "larger", "smaller", "none"],
)
def test_an_unusable_vector_is_never_ranked_and_is_reported(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime, vector: tuple[float, ...]
) -> None:
    """In neither branch, even where words match; it is listed as needing embedding."""
    index = index_of(entry(1, "mem_bad", vector, text="green tea"), entry(2, "mem_good"))
    query = asked(space, now, "green tea", session_id="ses_a")
    selection = rank_memories(index, query, ScoringRules())
    assert ids(selection.merged) == ["mem_good"]
    assert index.needs_embedding(space) == ("mem_bad",)


def test_vectors_of_another_model_are_found_by_words_only(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """They have no similarity, and are reported for the query's space."""
    index = index_of(
        entry(1, "mem_old", text="green tea", space="test:other@2"), entry(2, "mem_new")
    )
    selection = rank_memories(index, asked(space, now, "tea"), ScoringRules())
    found = {hit.memory_id: hit for hit in selection.relevant}
    assert found["mem_old"].similarity is None
    assert found["mem_old"].relevance == found["mem_old"].lexical > 0
    assert found["mem_new"].similarity == 1
    assert index.needs_embedding(space) == ("mem_old",)
    assert index.needs_embedding() == ()


@pytest.mark.parametrize(
    "vector",
    [None, np.zeros(2, np.float32), np.array([np.nan, 1], np.float32), np.ones(3, np.float32)],
    ids=["none", "zero", "NaN", "larger"],
)
def test_without_a_usable_query_vector_the_words_alone_find(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime, vector: Any
) -> None:
    """What shares no word isn't found, however near it would have been."""
    index = index_of(entry(1, "mem_tea", text="green tea"), entry(2, "mem_near"))
    (hit,) = rank_memories(index, asked(space, now, "tea?", vector=vector), ScoringRules()).relevant
    assert (hit.memory_id, hit.similarity) == ("mem_tea", None)
    assert hit.relevance == hit.lexical >= 0.3


def test_words_add_to_similarity_up_to_one(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """Relevance is similarity plus the weighted lexical share, up to 1; weight 0 ignores words."""
    index = index_of(entry(1, "mem_1", at_cosine(0.4), text="tea"), entry(2, "mem_2", (0, 1)))
    (hit,) = rank_memories(index, asked(space, now, "tea"), ScoringRules()).relevant
    assert hit.relevance == pytest.approx(hit.similarity + hit.lexical)
    (hit,) = rank_memories(
        index, asked(space, now, "tea"), ScoringRules(lexical_weight=10)
    ).relevant
    assert hit.relevance == 1
    (hit,) = rank_memories(index, asked(space, now, "tea"), ScoringRules(lexical_weight=0)).relevant
    assert hit.relevance == hit.similarity == 0.4


def test_among_equal_scores_what_was_cut_more_comes_first(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """Both are relevant to the full, and the one nearer to the question is named first."""
    index = index_of(
        entry(1, "mem_newer", at_cosine(0.8), text="green tea", age_days=40),
        entry(2, "mem_nearer", at_cosine(0.9), text="green tea", age_days=50),
        entry(3, "mem_same", at_cosine(0.9), text="green tea", age_days=60),
    )
    hits = rank_memories(index, asked(space, now, "green tea"), ScoringRules()).relevant
    assert {(hit.relevance, hit.score) for hit in hits} == {(1.0, 0.75)}
    assert ids(hits) == ["mem_nearer", "mem_same", "mem_newer"]


def test_a_memory_from_the_future_is_as_recent_as_one_of_today(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """Recency never passes 1."""
    (hit,) = rank_memories(
        index_of(entry(1, "mem_1", age_days=-400)), asked(space, now), ScoringRules()
    ).relevant
    assert hit.recency == 1


def test_importance_does_not_make_up_for_relevance(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """Cosine 0.05 with importance 1 today is not selected; 0.55 with 0.1 and old is."""
    index = index_of(
        entry(1, "mem_loud", at_cosine(0.05), importance=1),
        entry(2, "mem_right", at_cosine(0.55), importance=0.1, age_days=400),
    )
    assert ids(rank_memories(index, asked(space, now), ScoringRules()).relevant) == ["mem_right"]


@pytest.mark.parametrize(
    ("given_importance", "used"), [(float("nan"), 0), (float("inf"), 1), (-1, 0), (7, 1)]
)
def test_importance_out_of_range_is_clipped(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime, given_importance: float, used: float
) -> None:
    """A score is always a number, in both branches."""
    index = index_of(entry(1, "mem_1", importance=given_importance))
    selection = rank_memories(index, asked(space, now, session_id="ses_a"), ScoringRules())
    assert [hit.importance for hit in selection.relevant + selection.session] == [used, used]
    assert selection.relevant[0].score == pytest.approx(0.6 + 0.3 * used + 0.1)


def test_embedding_again_keeps_the_order(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """New entries with the same vectors and times rank as the old ones did."""
    log = [entry(n, f"mem_{n}", at_cosine(0.5 + n / 40), age_days=n) for n in range(1, 9)]
    index = index_of(*log)
    before = ids(rank_memories(index, asked(space, now), ScoringRules()).relevant)
    index.fold(replace(one, change=one.change + 100) for one in reversed(log))
    assert ids(rank_memories(index, asked(space, now), ScoringRules()).relevant) == before


def test_scope_binds_both_branches(entry: MakeEntry, space: EmbeddingSpace, now: datetime) -> None:
    """Only memories with a ground in a session of the scope are found."""
    index = index_of(
        entry(1, "mem_in", sessions=("ses_b",)),
        entry(2, "mem_both", sessions=("ses_a", "ses_b"), importance=0.4),
        entry(3, "mem_out", sessions=("ses_a",)),
    )
    query = asked(space, now, scope=frozenset({"ses_b"}), session_id="ses_a")
    selection = rank_memories(index, query, ScoringRules())
    assert ids(selection.relevant) == ["mem_in", "mem_both"]
    assert ids(selection.session) == ["mem_both"]
    assert (
        rank_memories(index, replace(query, scope=frozenset()), ScoringRules()) == RecallSelection()
    )


@law()
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.1, 0.29, 0.3, 0.6, 0.9]),
            st.sampled_from([0.2, 0.2, 0.8]),
            st.integers(0, 2),
            st.integers(0, 2),
            st.sampled_from(["ses_a", "ses_b"]),
        ),
        max_size=14,
    ),
    st.integers(0, 6),
)
def test_order_is_by_the_rule_and_ties_break_by_time_then_id(
    entry: MakeEntry,
    space: EmbeddingSpace,
    now: datetime,
    rows: list[tuple[float, float, int, int, str]],
    limit: int,
) -> None:
    """Both branches agree with sorting everything by the stated keys."""
    index = index_of(
        *(
            entry(
                change,
                f"mem_{change}",
                at_cosine(similarity),
                importance=weight,
                age_days=age,
                created_days=created,
                sessions=(session,),
            )
            for change, (similarity, weight, age, created, session) in enumerate(rows, start=1)
        )
    )
    named = [(f"mem_{change}", *row) for change, row in enumerate(rows, start=1)]

    def relevant_key(row: tuple[str, float, float, int, int, str]) -> tuple[float, int, str]:
        total = 0.6 * row[1] + 0.3 * row[2] + 0.1 * (1 - row[3] / 30)
        return -round(total, 9), row[3], row[0]

    passing = sorted((row for row in named if row[1] >= 0.3), key=relevant_key)
    own = sorted((r for r in named if r[5] == "ses_a"), key=lambda r: (-r[2], r[4], r[0]))
    query = asked(space, now, session_id="ses_a")
    selection = rank_memories(index, query, ScoringRules(limit=limit, session_limit=limit))
    assert ids(selection.relevant) == [row[0] for row in passing][:limit]
    assert ids(selection.session) == [row[0] for row in own][:limit]


def test_hits_hold_plain_numbers(entry: MakeEntry, space: EmbeddingSpace, now: datetime) -> None:
    """Every term is a Python number, so that a receipt can be written without conversion."""
    (hit,) = rank_memories(index_of(entry(7, "mem_1")), asked(space, now), ScoringRules()).relevant
    terms = (hit.similarity, hit.lexical, hit.relevance, hit.importance, hit.recency, hit.score)
    assert {type(term) for term in terms} == {float}
    assert (hit.change, type(hit.change)) == (7, int)


def test_similarity_is_on_the_common_scale(entry: MakeEntry, now: datetime) -> None:
    """Each space's own map is applied to its cosines, and only to those."""

    def halved(cosines: np.ndarray) -> np.ndarray:
        assert not np.isnan(cosines).any()
        return cosines / 2

    space = EmbeddingSpace("test:flat", 2, halved)
    index = index_of(entry(1, "mem_1"), entry(2, "mem_2", space="test:other@2"))
    (hit,) = rank_memories(index, asked(space, now), ScoringRules()).relevant
    assert hit.similarity == 0.5


def test_nearest_gives_cosines_of_one_space(entry: MakeEntry, now: datetime) -> None:
    """Nearest first, both scales, no threshold, nothing dead and nothing of another space."""
    space = EmbeddingSpace("test:flat", 2, lambda cosines: cosines / 2)
    index = index_of(
        entry(1, "mem_far", (0, 1)),
        entry(2, "mem_near", at_cosine(0.9)),
        entry(3, "mem_gone"),
        entry(4, "mem_gone", eligible=False),
        entry(5, "mem_other", space="test:other@2"),
    )
    vector = np.array([2.0, 0.0], np.float32)
    found = [
        (n.memory_id, n.cosine, n.similarity) for n in nearest_memories(index, vector, space, 5)
    ]
    assert found == [("mem_near", 0.9, 0.45), ("mem_far", 0.0, 0.0)]
    assert [n.memory_id for n in nearest_memories(index, vector, space, 1)] == ["mem_near"]
    assert nearest_memories(index, np.zeros(2, np.float32), space, 5) == ()
    assert nearest_memories(AccountIndex(), vector, space, 5) == ()


def test_rules_come_from_the_settings() -> None:
    """Each weight, limit and threshold has its own setting; the defaults are the design's."""
    assert scoring_rules(Settings()) == ScoringRules()
    changed = Settings(
        recall_threshold=0.1,
        recall_weight_relevance=0.2,
        recall_weight_importance=0.4,
        recall_weight_recency=0.5,
        recall_lexical_weight=0.6,
        recall_limit=7,
        recall_session_limit=8,
    )
    assert scoring_rules(changed) == ScoringRules(0.1, 0.2, 0.4, 0.5, 30, 0.6, 7, 8)


def test_whole_days_count() -> None:
    """A memory of 23 hours is of today; one of 24 hours is a thirtieth less recent."""
    now = int(datetime(2026, 9, 20, 12, tzinfo=UTC).timestamp())
    ages = np.array([now - 23 * 3600, now - 24 * 3600, now - 31 * 86_400])
    assert recency(ages, now, ScoringRules()).tolist() == pytest.approx([1, 29 / 30, 0])
