"""Models that do as they are told and remember what they were asked."""

import hashlib
import threading
from collections.abc import Callable, Sequence

import numpy as np

from strandline.clock import Deadline
from strandline.providers.base import (
    Completion,
    EmbeddingSpace,
    Finish,
    Message,
    Schema,
    Usage,
)
from strandline.providers.vector_types import Vectors

Reply = str | Completion | Exception | Callable[[Sequence[Message]], str]


class ScriptedChat:
    """Gives its queued replies in order, then `default`; remembers every prompt."""

    def __init__(self, default: Reply = "Understood.", provider: str = "scripted") -> None:
        self.default = default
        self.provider = provider
        self.replies: list[Reply] = []
        self.prompts: list[list[Message]] = []
        self.schemas: list[Schema | None] = []
        self._lock = threading.Lock()

    def will(self, *replies: Reply) -> None:
        """Queue those replies."""
        self.replies.extend(replies)

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        with self._lock:
            self.prompts.append(list(messages))
            self.schemas.append(schema)
            reply = self.replies.pop(0) if self.replies else self.default
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        text = reply if isinstance(reply, str) else reply(messages)
        return Completion(text, self.provider, "model-1", Finish.STOP, Usage(11, 7))

    def text(self, number: int = -1) -> str:
        """Everything in one prompt, as one text."""
        return "\n".join(message.content for message in self.prompts[number])


class ScriptedEmbedder:
    """Gives told vectors, else one from the text's words, so that alike texts are near."""

    def __init__(self, dimensions: int = 64, name: str = "scripted:words") -> None:
        self.space = EmbeddingSpace(name, dimensions)
        self.vectors: dict[str, Sequence[float]] = {}
        self.failure: Exception | None = None
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        self.asked += texts
        if self.failure is not None:
            raise self.failure
        rows = [self.vectors.get(text) or self._of_words(text) for text in texts]
        return np.array(rows, dtype=np.float32)

    def _of_words(self, text: str) -> list[float]:
        vector = np.zeros(self.space.dimensions)
        for word in text.lower().split():
            digest = hashlib.sha256(word.strip(".,:;!?").encode()).digest()
            vector[digest[0] % self.space.dimensions] += 1
        length = float(np.linalg.norm(vector)) or 1.0
        return (vector / length).tolist()
