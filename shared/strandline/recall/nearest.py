"""The memories nearest to a vector."""

from dataclasses import dataclass

import numpy as np

from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall.account_index import AccountIndex
from strandline.recall.scoring import rounded
from strandline.recall.selection import top_positions
from strandline.recall.vectors import unit_vector


@dataclass(frozen=True, slots=True)
class NearestMemory:
    """A memory near a vector.

    `cosine` is their cosine, -1 to 1; `similarity` is that cosine on the common scale of
    `EmbeddingSpace.to_common_scale`. Both are rounded to three decimals.
    """

    memory_id: str
    cosine: float
    similarity: float


def nearest_memories(
    index: AccountIndex, vector: Vectors, space: EmbeddingSpace, limit: int
) -> tuple[NearestMemory, ...]:
    """Returns the `limit` memories nearest to `vector`, nearest first; ties by id.

    `vector` has the shape (dimensions,). Only memories of the same embedding space are compared.
    Returns nothing for a vector that is zero, not finite or of the wrong size.
    """
    unit = unit_vector(vector, space.dimensions)
    if unit is None:
        return ()
    with index.lock:
        rows = index.rows
        cosines = rows.cosines(unit, space.name)
        comparable = np.flatnonzero(rows.live & ~np.isnan(cosines))
        found = comparable[top_positions(limit, rounded(cosines[comparable]))]
        similarities = space.to_common_scale(cosines[found])
        nearest = [
            NearestMemory(rows.ids[row], float(cosine), float(similarity))
            for row, cosine, similarity in zip(
                found, rounded(cosines[found]), rounded(similarities), strict=True
            )
        ]
    return tuple(sorted(nearest, key=lambda each: (-each.cosine, each.memory_id))[:limit])
