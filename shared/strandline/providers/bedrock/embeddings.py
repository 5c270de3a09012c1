"""Embeddings by InvokeModel, whose bodies are each vendor's own.

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
from strandline.providers.bedrock.calls import MAX_AT_A_TIME, BedrockEndpoint, send_request
from strandline.providers.bounded_call import remaining_or_timeout
from strandline.providers.embedding_checks import checked_unit_vector, truncate_bytes
from strandline.providers.reply_checks import parse_json_object
from strandline.providers.vector_types import Vectors

TITAN_BYTES = 8_000
"""A token has at least a byte: 8,000 never pass Titan's limit of 8,192."""

COHERE_CHARACTERS = 2_048
COHERE_TEXTS = 96
_TITAN_SIZES = (1024, 512, 256)
_COHERE_SIZE = 1024


@dataclass(frozen=True, slots=True)
class _Family:
    """How models of one vendor are asked: `body` of that many texts, `rows` of the answer."""

    dimensions: int
    texts: int
    cut: Callable[[str], str]
    body: Callable[[list[str]], dict[str, Any]]
    rows: Callable[[dict[str, Any]], Any]


class BedrockEmbedder:
    """Titan Text Embeddings V2, or Cohere Embed v3.

    Titan's size is the largest of 1024, 512 and 256 that is at most `dimensions`, or 256. Cohere
    makes vectors of a document and of a query; all of them are a document's here, since what is
    compared is compared both ways.
    """

    def __init__(self, model: str, dimensions: int, place: BedrockEndpoint | None = None) -> None:
        """Raises ModelNotConfigured for a model of another family. Nothing is sent."""
        self._model = model
        self._family = _family(model, dimensions)
        self._place = place or BedrockEndpoint()
        # The identity is no fit: nobody measured these models' cosines against OpenAI's.
        self._space = EmbeddingSpace(f"bedrock:{model}", self._family.dimensions)

    @property
    def space(self) -> EmbeddingSpace:
        """`bedrock:<model>` with the size its vectors have."""
        return self._space

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        """Unit vectors in the order of `texts`, of each text as much as the model takes.

        Raises a ModelError: ModelReplyInvalid if a vector is missing, zero, NaN or of other size.
        """
        none = np.empty((0, self._space.dimensions), dtype=np.float32)
        if not texts:
            return none
        family = self._family
        cuts = [family.cut(text) for text in texts]
        batches = [cuts[at : at + family.texts] for at in range(0, len(cuts), family.texts)]

        def call(client: Any) -> list[bytes]:
            with ThreadPoolExecutor(min(MAX_AT_A_TIME, len(batches))) as pool:
                return list(pool.map(lambda batch: self._invoke(client, batch, deadline), batches))

        answers = send_request(self._place, call, deadline)
        pairs = zip(answers, batches, strict=True)
        return np.concatenate([none, *(self._vectors(answer, len(b)) for answer, b in pairs)])

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
    """By the model's name, which an inference profile's and an ARN hold as well."""
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
        texts=1,
        cut=lambda text: truncate_bytes(text, TITAN_BYTES),
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
        texts=COHERE_TEXTS,
        cut=lambda text: text[:COHERE_CHARACTERS] or " ",
        body=lambda texts: {
            "texts": texts,
            "input_type": "search_document",
            "truncate": "END",
        },
        rows=lambda answer: answer.get("embeddings"),
    )
