"""The protocols of chat models and embedders. A model is named `provider:model`."""

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
    """One message to a model. The role is given here only, never in the content."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON Schema (draft 2020-12) that a reply must follow, and the schema's name."""

    name: str
    definition: dict[str, Any] = field(hash=False)


class Finish(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reports them; None where it reports none."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply. `provider` and `model` name the model that answered.

    The `text` of a refusal is the model's explanation.
    """

    text: str
    provider: str
    model: str
    finish: Finish = Finish.STOP
    usage: Usage = Usage()


class ChatModel(Protocol):
    """A model that completes a conversation. Safe to call from several threads."""

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """Returns the model's reply.

        With a `schema`, the reply should be JSON that follows it; the caller has to check that.
        Raises a ModelError: a time-out, a rate limit, an unavailable service, a rejected request
        or an unusable reply. An empty reply that is neither a refusal nor truncated is
        ModelReplyInvalid.
        """
        ...


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """A model and the dimensions of its vectors. Only vectors of the same space are comparable.

    `to_common_scale` maps the space's cosines, elementwise and in any shape, to the scale of
    OpenAI's text-embedding-3-small, so that one threshold fits every model. The default is the
    identity.
    """

    model: str
    dimensions: int
    to_common_scale: Callable[[Vectors], Vectors] = field(
        hash=False, compare=False, repr=False, default=lambda cosines: cosines
    )

    @property
    def name(self) -> str:
        """`provider:model@dimensions`, as it is stored with each vector."""
        return f"{self.model}@{self.dimensions}"


class Embedder(Protocol):
    """A model that turns texts into vectors of one space. Safe to call from several threads."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the vectors."""
        ...

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:
        """Returns unit vectors in the order of `texts`: float32 of shape (len(texts), dimensions).

        A text longer than the model takes is truncated, not refused. Raises a ModelError.
        """
        ...
