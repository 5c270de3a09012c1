"""How near memories are to what was said: those that recall finds, and those it may not show."""

from collections.abc import Iterable, Mapping

import numpy as np

from strandline.models.index_entry import IndexEntry
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall.nearest import NearestMemory
from strandline.recall.vectors import unit_vector, unpack_vectors

Score = tuple[float, float]
"""Cosine, and similarity on the common scale."""
Scores = Mapping[str, Score]
"""By memory id."""
FAR: Score = (0.0, 0.0)


def indexed_similarity(near: Iterable[NearestMemory]) -> dict[str, Score]:
    """The scores of what the index found."""
    return {one.memory_id: (one.cosine, one.similarity) for one in near}


def parked_similarity(
    entries: Mapping[str, IndexEntry], vector: Vectors, space: EmbeddingSpace
) -> dict[str, Score]:
    """The scores of parked entries, where their vectors can be compared."""
    unit = unit_vector(vector, space.dimensions)
    own = {name: entry for name, entry in entries.items() if entry.space == space.name}
    if unit is None or not own:
        return {}
    vectors, usable = unpack_vectors([each.vector for each in own.values()], space.dimensions)
    cosines = np.asarray(vectors @ unit, dtype=np.float32)
    similar = space.to_common_scale(cosines)
    pairs = zip(own, usable, cosines, similar, strict=True)
    return {name: (float(c), float(s)) for name, good, c, s in pairs if good}
