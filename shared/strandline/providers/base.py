"""What a chat model and an embedder are. A model is named `provider:model`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol

from strandline.clock import Deadline

if TYPE_CHECKING:
    # Importing numpy is a fifth of a handler's import, and most routes never need it.
    from strandline.providers.vector_types import Vectors


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model; roles are carried here and nowhere else."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON Schema (draft 2020-12) a reply must follow, and its name."""

    name: str
    definition: dict[str, Any] = field(hash=False)


class Finish(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the provider counts them; None where it doesn't say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply. `provider` and `model` name what answered. A refusal's `text` is its words."""

    text: str
    provider: str
    model: str
    finish: Finish = Finish.STOP
    usage: Usage = Usage()


class ChatModel(Protocol):
    """Something that completes a conversation."""

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """The model's reply.

        Raises a ModelError (timeout, rate limit, unavailable, rejected, unusable reply); an
        empty reply that is neither a refusal nor cut off is ModelReplyInvalid.
        """
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """What makes vectors comparable: the model's name and size.

    `to_common_scale` maps its cosines to those of OpenAI's text-embedding-3-small, elementwise,
    so that one threshold means the same for every model.
    """

    model: str
    dimensions: int
    to_common_scale: Callable[[Vectors], Vectors] = field(
        hash=False, compare=False, repr=False, default=lambda cosines: cosines
    )

    @property
    def name(self) -> str:
        """`provider:model@dimensions`, as stored beside each vector."""
        return f"{self.model}@{self.dimensions}"


class Embedder(Protocol):
    """Something that turns texts into vectors of one space."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space of every vector this gives."""
        ...

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        """Unit vectors of shape (len(texts), dimensions), float32.

        A text longer than the model takes is cut, never refused. Raises a ModelError.
        """
        ...
