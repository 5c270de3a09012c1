"""Equivalent memories compete as one."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strandline.models.index_entry import IndexEntry
from strandline.providers.base import EmbeddingSpace
from strandline.recall import index_rows
from strandline.recall.account_index import AccountIndex
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import RankedMemory, rank_memories
from strandline.recall.scoring import ScoringRules
from strandline.recall.text_search import text_matches
from strandline.store.memories import vector_log
from tests.support.laws import law

MakeEntry = Callable[..., IndexEntry]
NEAR, HALF, FAR = (1.0, 0.0), (0.6, 0.8), (0.0, 1.0)
ALL = ScoringRules(limit=50, session_limit=50)


def index_of(log: list[IndexEntry]) -> AccountIndex:
    """Folded one by one, and swept at once."""
    index = AccountIndex()
    with patch.object(index_rows, "_COMPACT_FROM_ROWS", 2):
        for one in log:
            index.fold([one])
    return index


def asked(space: EmbeddingSpace, now: datetime) -> RecallQuery:
    return RecallQuery(np.array(NEAR, np.float32), space, {}, now, session_id="ses_a")


@st.composite
def logs(draw: st.DrawFn, entry: MakeEntry) -> list[IndexEntry]:
    """A few memories that are written, written anew and hidden, many of them alike."""
    return [
        entry(
            change,
            f"mem_{draw(st.integers(0, 7))}",
            draw(st.sampled_from([NEAR, HALF, FAR])),
            terms=draw(st.dictionaries(st.integers(1, 2), st.just(1))),
            importance=draw(st.sampled_from([0.2, 0.8])),
            age_days=draw(st.integers(0, 1)),
            sessions=draw(st.permutations(["ses_a", "ses_b"]))[: draw(st.integers(1, 2))],
            eligible=draw(st.integers(0, 4)) > 0,
            equivalence_key=draw(st.sampled_from(["", "tea", "tea", "rain"])),
        )
        for change in range(1, draw(st.integers(2, 16)))
    ]


def alike(log: list[IndexEntry]) -> dict[str, frozenset[str]]:
    """By memory, all that say the same on the same grounds, itself among them."""
    there = {one.memory_id: one for one in log}
    there = {name: one for name, one in there.items() if one.eligible}

    def key(one: IndexEntry) -> tuple[object, ...]:
        grounds = frozenset((each.session_id, each.sequence_number) for each in one.source_turns)
        return (one.equivalence_key, grounds) if one.equivalence_key else (one.memory_id,)

    return {
        name: frozenset(other for other in there if key(there[other]) == key(one))
        for name, one in there.items()
    }


def collapsed(
    hits: tuple[RankedMemory, ...], groups: dict[str, frozenset[str]], limit: int
) -> list[RankedMemory]:
    """The first of each group, with the ids of the others, and then so many."""
    kept: list[RankedMemory] = []
    for hit in hits:
        group = groups[hit.memory_id]
        if not any(other.memory_id in group for other in kept):
            kept.append(replace(hit, equivalents=tuple(sorted(group - {hit.memory_id}))))
    return kept[:limit]


@law(60)
@given(st.data(), st.integers(1, 4))
def test_of_each_group_the_best_hit_competes(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime, data: st.DataObject, limit: int
) -> None:
    """In both branches: what is found without collapsing, the first of each group, and then cut."""
    log = data.draw(logs(entry))
    groups, query = alike(log), asked(space, now)
    apart = rank_memories(index_of([replace(one, equivalence_key="") for one in log]), query, ALL)
    found = rank_memories(index_of(log), query, replace(ALL, limit=limit, session_limit=limit))
    assert list(found.relevant) == collapsed(apart.relevant, groups, limit)
    assert list(found.session) == collapsed(apart.session, groups, limit)
    merged = [groups[hit.memory_id] for hit in found.merged]
    assert len(set(merged)) == len(merged)


@law(40)
@given(st.data())
def test_a_search_keeps_equivalents_together(entry: MakeEntry, data: st.DataObject) -> None:
    """Each match is in one group, which stands where its best does."""
    log = data.draw(logs(entry))
    groups = alike(log)
    apart = [
        match
        for (match,) in text_matches(
            index_of([replace(o, equivalence_key="") for o in log]), {1, 2}
        )
    ]
    found = text_matches(index_of(log), {1, 2})
    leaders = [match.memory_id for match, *_ in found]
    assert leaders == [
        match.memory_id
        for number, match in enumerate(apart)
        if not any(other.memory_id in groups[match.memory_id] for other in apart[:number])
    ]
    every = sorted(
        (match for together in found for match in together),
        key=lambda match: [one.memory_id for one in apart].index(match.memory_id),
    )
    assert every == [
        replace(one, equivalents=tuple(sorted(groups[one.memory_id] - {one.memory_id})))
        for one in apart
    ]


def test_an_equivalent_below_the_threshold_does_not_come_by_the_session(
    entry: MakeEntry, space: EmbeddingSpace, now: datetime
) -> None:
    """It may be more important: the prompt has said already what it says."""
    index = index_of(
        [
            entry(1, "mem_near", importance=0.1, equivalence_key="tea"),
            entry(2, "mem_far", FAR, importance=0.9, equivalence_key="tea"),
        ]
    )
    [hit] = rank_memories(index, asked(space, now), ScoringRules()).merged
    assert (hit.memory_id, hit.equivalents) == ("mem_near", ("mem_far",))


def test_a_match_counts_however_small_its_share(entry: MakeEntry) -> None:
    """One word of very many is still a word in common."""
    log = [entry(1, "mem_one", terms={1: 1, 9: 255})]
    log += [entry(n, f"mem_{n}", terms={n: 1}) for n in range(1_000, 2_000)]
    index = AccountIndex()
    index.fold(log)
    asked_for = [1, *range(1_000, 2_000)]
    found = {match.memory_id: match for (match,) in text_matches(index, asked_for)}
    assert (found["mem_one"].score, found["mem_one"].matched) == (0, 1)
    assert len(found) == 1_001


def test_an_entry_from_before_equivalents_were_told_is_like_no_other(entry: MakeEntry) -> None:
    """The log keeps what was written by earlier versions."""
    log = [entry(1, "mem_1", equivalence_key="tea"), entry(2, "mem_2", equivalence_key="tea")]
    items = [vector_log.record_to_item(one) | {"sk": f"{one.change:012d}"} for one in log]
    for item in items:
        del item["w"]
    assert [vector_log.record_from_item(item) for item in items] == [
        replace(one, equivalence_key="") for one in log
    ]
