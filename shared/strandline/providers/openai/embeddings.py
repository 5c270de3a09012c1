"""Embedding models behind OpenAI's Embeddings API.

Source: https://platform.openai.com/docs/api-reference/embeddings
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from strandline.clock import Deadline
from strandline.errors import ModelReplyInvalid
from strandline.providers.base import EmbeddingSpace
from strandline.providers.bounded_call import remaining_or_timeout
from strandline.providers.embedding_checks import checked_unit_vector, truncate_bytes
from strandline.providers.openai.calls import openai_endpoint, send_request
from strandline.providers.openai.errors import error_from_body
from strandline.providers.vector_types import Vectors

if TYPE_CHECKING:
    from openai import OpenAI
    from openai._legacy_response import LegacyAPIResponse

MAX_INPUT_BYTES = 8_000
"""A token has at least one byte: 8,000 bytes never exceed the limit of 8,191 tokens."""

MAX_BATCH_TEXTS = 256
MAX_BATCH_BYTES = 240_000
"""Below OpenAI's limit of 300,000 tokens for a request."""

_FAMILY_WITH_DIMENSIONS = "text-embedding-3-"
_ADA = "text-embedding-ada-002"
_NATIVE_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    _ADA: 1536,
    "all-minilm": 384,
    "bge-m3": 1024,
    "mxbai-embed-large": 1024,
    "nomic-embed-text": 768,
}
"""The dimensions of common models; for models that let one choose, the most dimensions."""


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible server.

    `dimensions` is requested where the model lets one choose. The dimensions of common models
    that don't are known; for any other model, `dimensions` must be the model's own.
    """

    def __init__(self, model: str, dimensions: int, api_key: str, base_url: str = "") -> None:
        """Sends nothing. Raises ModelNotConfigured for an unusable key or address."""
        self._model = model
        self._endpoint = openai_endpoint(base_url, api_key)
        self._space = embedding_space(model, dimensions)

    @property
    def space(self) -> EmbeddingSpace:
        """The space `openai:<model>` with the dimensions of its vectors."""
        return self._space

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        """Returns unit vectors in the order of `texts`: float32 of shape (len(texts), dimensions).

        Texts are truncated after 8,000 bytes. Raises a ModelError: ModelReplyInvalid if a vector
        is missing, zero, not finite or of the wrong size.
        """
        empty = np.empty((0, self._space.dimensions), dtype=np.float32)
        batches = _batches([truncate_bytes(text, MAX_INPUT_BYTES) for text in texts])
        return np.concatenate([empty, *(self._batch(batch, deadline) for batch in batches)])

    def _batch(self, texts: list[str], deadline: Deadline) -> Vectors:
        options: dict[str, Any] = {}
        if _lets_choose_dimensions(self._model):
            options["dimensions"] = self._space.dimensions

        def call(client: "OpenAI") -> "LegacyAPIResponse[Any]":
            return client.embeddings.with_raw_response.create(
                model=self._model,
                input=texts,
                encoding_format="float",
                timeout=remaining_or_timeout(deadline),
                **options,
            )

        rows = _rows(send_request(self._endpoint, call, deadline), len(texts))
        return np.stack([checked_unit_vector(row, self._space.dimensions) for row in rows])


def embedding_space(model: str, dimensions: int) -> EmbeddingSpace:
    """Returns the space of a model's vectors; `dimensions` is the setting EMBEDDING_DIMENSIONS."""
    base = _base_name(model)
    size = _NATIVE_DIMENSIONS.get(base, dimensions)
    if _lets_choose_dimensions(model):
        size = min(dimensions, size)
    if base == _ADA:
        return EmbeddingSpace(f"openai:{model}", size, _ada_to_common_scale)
    return EmbeddingSpace(f"openai:{model}", size)


def _ada_to_common_scale(cosines: Vectors) -> Vectors:
    """Maps ada-002's cosines to the common scale: max(0, (cos - 0.67) / 0.33).

    An estimate, not a fit: ada-002 gives unrelated texts 0.70 to 0.75, later models about 0.1.
    """
    stretched: Vectors = (cosines - np.float32(0.67)) / np.float32(0.33)
    return np.maximum(np.float32(0), stretched)


def _base_name(model: str) -> str:
    """Returns `name` of `vendor/name:tag`: routers add the vendor, local servers a tag."""
    return model.rpartition("/")[2].partition(":")[0]


def _lets_choose_dimensions(model: str) -> bool:
    return _base_name(model).startswith(_FAMILY_WITH_DIMENSIONS)


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == MAX_BATCH_TEXTS or size + length > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def _rows(body: dict[str, Any], count: int) -> list[Any]:
    """Returns the embeddings sorted by their index; servers may send them in any order.

    Raises ModelReplyInvalid unless each index from 0 occurs once.
    """
    data = body.get("data")
    if not isinstance(data, list):
        raise error_from_body(body)
    entries = [entry for entry in data if isinstance(entry, dict)]
    by_index = {str(entry.get("index", at)): entry for at, entry in enumerate(entries)}
    if len(data) != count or by_index.keys() != {str(index) for index in range(count)}:
        raise ModelReplyInvalid("The model's service gave other embeddings than those asked for.")
    return [by_index[str(index)].get("embedding") for index in range(count)]
