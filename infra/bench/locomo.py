"""Evidence recall on LoCoMo: python -m infra.bench.locomo PATH.

Recall@k of a question is the share of its evidence turns that its k best memories come from;
printed is the mean over questions. It is the product's own recall that is measured: the same
embedder, terms, index and ranking, with the limit raised to 20.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from infra.bench.locomo_dataset import CATEGORIES, Conversation, Item, Question, load
from strandline.clock import Deadline
from strandline.models.index_entry import IndexEntry
from strandline.providers.minilm import MiniLMEmbedder
from strandline.providers.vector_types import Vectors
from strandline.recall.account_index import AccountIndex
from strandline.recall.nearest import nearest_memories
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import rank_memories
from strandline.recall.scoring import ScoringRules
from strandline.recall.stemming import pack_terms, stem_counts
from strandline.recall.vectors import pack_vector

RESULTS = Path("bench-results/locomo.json")
DEPTHS = (5, 10, 20)
IMPORTANCE = 0.5

PRODUCT = ScoringRules(limit=max(DEPTHS))
SEED = replace(PRODUCT, lexical_weight=0.0)
WORDS = replace(
    PRODUCT, threshold=0.001, weight_relevance=1.0, weight_importance=0.0, weight_recency=0.0
)
"""Orders by BM25 alone, of all that share a stem with the question."""

ABOUT = (
    "Recall@k: the share of a question's evidence turns that its k best memories come from, mean "
    "over questions of categories 1 to 4. Turns are indexed as the set's own code renders them "
    "(X said, \"…\" and shared CAPTION.), observations as they stand. The product's and the seed's "
    f"rule: importance {IMPORTANCE} for all, updated_at = the session's time, now = the last "
    "session's time, threshold 0.3. Cosine alone and BM25 alone know no recency and no threshold."
)

Rank = Callable[[AccountIndex, RecallQuery], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The recall of one question by one rule, at each depth."""

    category: int
    recall: tuple[float, ...]


def by_rules(rules: ScoringRules) -> Rank:
    """The product's ranking under these rules."""
    return lambda index, query: [
        hit.memory_id for hit in rank_memories(index, query, rules).relevant
    ]


def by_cosine(index: AccountIndex, query: RecallQuery) -> Sequence[str]:
    """The nearest vectors, whatever the words."""
    if query.vector is None or query.space is None:
        return ()
    return [
        one.memory_id for one in nearest_memories(index, query.vector, query.space, max(DEPTHS))
    ]


def by_words(index: AccountIndex, query: RecallQuery) -> Sequence[str]:
    """BM25, whatever the vectors."""
    return by_rules(WORDS)(index, replace(query, vector=None))


RANKINGS: dict[str, Rank] = {
    "product": by_rules(PRODUCT),
    "seed's rule": by_rules(SEED),
    "cosine alone": by_cosine,
    "BM25 alone": by_words,
}


def build(items: Sequence[Item], embedder: MiniLMEmbedder, deadline: Deadline) -> AccountIndex:
    """The items as an account's memories; the memories' ids follow the items' order."""
    vectors = embedder.embed([item.text for item in items], deadline=deadline)
    index = AccountIndex()
    index.fold(_entry(at, item, vectors[at]) for at, item in enumerate(items))
    return index


def _entry(position: int, item: Item, vector: Vectors) -> IndexEntry:
    time = int(item.at.timestamp())
    return IndexEntry(
        change=position + 1,
        memory_id=f"mem_{position:05d}",
        eligible=True,
        space=MiniLMEmbedder.space.name,
        vector=pack_vector(vector),
        terms=pack_terms(stem_counts(item.text, "en")),
        importance=IMPORTANCE,
        created_at=time,
        updated_at=time,
    )


def _position(memory_id: str) -> int:
    return int(memory_id.removeprefix("mem_"))


def recall_of(found: Sequence[str], items: Sequence[Item], question: Question) -> Measured:
    """How much of the question's evidence the best of `found` come from."""
    reached = [
        frozenset[str]().union(*(items[_position(name)].turns for name in found[:depth]))
        for depth in DEPTHS
    ]
    shares = (len(question.evidence & turns) / len(question.evidence) for turns in reached)
    return Measured(question.category, tuple(shares))


def measure(conversations: Iterable[Conversation]) -> dict[str, dict[str, list[Measured]]]:
    """Kind of memory → ranking → one measurement for each question."""
    embedder, deadline = MiniLMEmbedder(), Deadline.after(3600)
    results: dict[str, dict[str, list[Measured]]] = {
        kind: {name: [] for name in RANKINGS} for kind in ("turns", "observations")
    }
    for number, conversation in enumerate(conversations, start=1):
        print(f"conversation {number}: {len(conversation.turns)} turns", file=sys.stderr)
        asked = conversation.questions
        vectors = embedder.embed([question.text for question in asked], deadline=deadline)
        for kind, by_ranking in results.items():
            items = conversation.turns if kind == "turns" else conversation.observations
            index = build(items, embedder, deadline)
            for question, vector in zip(asked, vectors, strict=True):
                terms = stem_counts(question.text, "en")
                query = RecallQuery(vector, embedder.space, terms, conversation.ended_at)
                for name, ranking in RANKINGS.items():
                    by_ranking[name].append(recall_of(ranking(index, query), items, question))
    return results


def summary(results: dict[str, dict[str, list[Measured]]]) -> list[dict[str, Any]]:
    """One row for each kind, ranking and category, "all" first."""
    return [
        {
            "memories": kind,
            "ranking": name,
            "category": "all" if category is None else CATEGORIES[category],
            "questions": len(chosen),
            **{
                f"recall@{k}": round(float(r), 4)
                for k, r in zip(DEPTHS, _means(chosen), strict=True)
            },
        }
        for kind, by_ranking in results.items()
        for name, measured in by_ranking.items()
        for category in (None, *CATEGORIES)
        if (chosen := [one for one in measured if category in (None, one.category)])
    ]


def _means(measured: Sequence[Measured]) -> list[float]:
    return [float(mean) for mean in np.mean([one.recall for one in measured], axis=0)]


def print_table(rows: Iterable[dict[str, Any]]) -> None:
    """The rows, a blank line before each ranking."""
    for row in rows:
        if row["category"] == "all":
            print(f"\n{row['memories']}, {row['ranking']}")
        shares = "  ".join(f"@{depth} {row[f'recall@{depth}']:6.1%}" for depth in DEPTHS)
        print(f"  {row['category']:<12}{row['questions']:>5} questions  {shares}")


def main(arguments: Sequence[str]) -> int:
    """Measure, print, write the results; 2 if there is no such file."""
    path = Path(arguments[0]) if arguments and arguments[0] else None
    if path is None or not path.is_file():
        named = f"There is no file {path}." if path else "No file was named."
        print(f"{named} Pass the path of a locomo10.json: https://github.com/snap-research/locomo")
        return 2
    rows = summary(measure(load(path)))
    print(ABOUT)
    print_table(rows)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"about": ABOUT, "rows": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
