"""Embedding models on Amazon Bedrock, through InvokeModel with each vendor's own bodies.

Sources: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
and https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from strandline.clock import Deadline
from strandline.errors import ModelNotConfigured, ModelReplyInvalid
from strandline.providers.base import EmbeddingSpace
from strandline.providers.bedrock.calls import (
    MAX_CONCURRENT_REQUESTS,
    BedrockEndpoint,
    send_request,
)
from strandline.providers.bounded_call import remaining_or_timeout
from strandline.providers.embedding_checks import checked_unit_vector, truncate_bytes
from strandline.providers.reply_checks import parse_json_object
from strandline.providers.vector_types import Vectors

TITAN_BYTES = 8_000
"""A token has at least one byte: 8,000 bytes never exceed Titan's limit of 8,192 tokens."""

COHERE_CHARACTERS = 2_048
COHERE_TEXTS = 96
_TITAN_SIZES = (1024, 512, 256)
_COHERE_SIZE = 1024


@dataclass(frozen=True, slots=True)
class _Family:
    """The request format of one vendor's models.

    `batch_size` is the most texts of a request, `truncate` shortens a text to what the model
    takes, `body` makes a request's body, and `rows` reads the vectors from a reply.
    """

    dimensions: int
    batch_size: int
    truncate: Callable[[str], str]
    body: Callable[[list[str]], dict[str, Any]]
    rows: Callable[[dict[str, Any]], Any]


class BedrockEmbedder:
    """Titan Text Embeddings V2, or Cohere Embed v3.

    Titan's vectors have the largest of 1024, 512 and 256 dimensions that is at most `dimensions`,
    or 256. Cohere has different vectors for documents and for queries; here all texts are
    documents, because each text is compared with each other.
    """

    def __init__(
        self, model: str, dimensions: int, endpoint: BedrockEndpoint | None = None
    ) -> None:
        """Sends nothing. Raises ModelNotConfigured for any other model."""
        self._model = model
        self._family = _family(model, dimensions)
        self._endpoint = endpoint or BedrockEndpoint()
        # The identity, unfitted: these models' cosines were never measured against OpenAI's.
        self._space = EmbeddingSpace(f"bedrock:{model}", self._family.dimensions)

    @property
    def space(self) -> EmbeddingSpace:
        """The space `bedrock:<model>` with the dimensions of its vectors."""
        return self._space

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        """Returns unit vectors in the order of `texts`: float32 of shape (len(texts), dimensions).

        Texts are truncated to what the model takes. Raises a ModelError: ModelReplyInvalid if a
        vector is missing, zero, not finite or of the wrong size.
        """
        empty = np.empty((0, self._space.dimensions), dtype=np.float32)
        if not texts:
            return empty
        family = self._family
        inputs = [family.truncate(text) for text in texts]
        batches = [
            inputs[at : at + family.batch_size] for at in range(0, len(inputs), family.batch_size)
        ]

        def call(client: Any) -> list[bytes]:
            with ThreadPoolExecutor(min(MAX_CONCURRENT_REQUESTS, len(batches))) as pool:
                return list(pool.map(lambda batch: self._invoke(client, batch, deadline), batches))

        answers = send_request(self._endpoint, call, deadline)
        pairs = zip(answers, batches, strict=True)
        return np.concatenate([empty, *(self._vectors(answer, len(b)) for answer, b in pairs)])

    def _invoke(self, client: Any, texts: list[str], deadline: Deadline) -> bytes:
        remaining_or_timeout(deadline)
        answer = client.invoke_model(
            modelId=self._model,
            body=json.dumps(self._family.body(texts)).encode(),
            contentType="application/json",
            accept="application/json",
        )
        content: bytes = answer["body"].read()
        return content

    def _vectors(self, answer: bytes, count: int) -> Vectors:
        rows = self._family.rows(parse_json_object(answer))
        if not isinstance(rows, list) or len(rows) != count:
            raise ModelReplyInvalid("The model's service gave other embeddings than asked for.")
        return np.stack([checked_unit_vector(row, self._space.dimensions) for row in rows])


def _family(model: str, dimensions: int) -> _Family:
    """Returns the format by the model's name, which inference profiles and ARNs contain as well."""
    if "amazon.titan-embed-text-v2" in model:
        return _titan(next((size for size in _TITAN_SIZES if size <= dimensions), _TITAN_SIZES[-1]))
    if "cohere.embed-" in model and model.partition("cohere.embed-")[2].endswith("-v3"):
        return _cohere()
    raise ModelNotConfigured(
        "Of Bedrock's embedding models, Titan Text V2 and Cohere v3 are known."
    )


def _titan(dimensions: int) -> _Family:
    return _Family(
        dimensions,
        batch_size=1,
        truncate=lambda text: truncate_bytes(text, TITAN_BYTES),
        body=lambda texts: {
            "inputText": texts[0],
            "dimensions": dimensions,
            "normalize": True,
        },
        rows=lambda answer: [answer.get("embedding")],
    )


def _cohere() -> _Family:
    return _Family(
        _COHERE_SIZE,
        batch_size=COHERE_TEXTS,
        truncate=lambda text: text[:COHERE_CHARACTERS] or " ",
        body=lambda texts: {
            "texts": texts,
            "input_type": "search_document",
            "truncate": "END",
        },
        rows=lambda answer: answer.get("embeddings"),
    )
