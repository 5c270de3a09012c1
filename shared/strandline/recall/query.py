"""The query that recall ranks memories for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from strandline.context.boundary import Boundary
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors


@dataclass(frozen=True, slots=True, eq=False)
class RecallQuery:
    """A question and the limits of the search.

    `vector` is the question's embedding, of shape (dimensions,), in `space`. Both are None when
    the embedder failed: then the words alone decide, as they do for a vector that is zero, not
    finite or of the wrong size. `terms` is `stemming.stem_counts` of the question. Only memories
    that rest on a session in `scope` are ranked; None means the whole account. The memories of
    `session_id` are selected as well. What `boundary` hides is never selected.
    """

    vector: Vectors | None
    space: EmbeddingSpace | None
    terms: Mapping[int, int]
    now: datetime
    scope: frozenset[str] | None = None
    session_id: str | None = None
    boundary: Boundary | None = None
