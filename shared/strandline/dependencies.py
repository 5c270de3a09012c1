"""The dependencies of use cases: settings, storage, clock, models and threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strandline.clock import Clock
from strandline.providers.base import ChatModel, Embedder
from strandline.queue import Queue
from strandline.settings import Settings
from strandline.table import Table

if TYPE_CHECKING:
    from strandline.recall.index_cache import IndexCache

ChatModels = Callable[[str], ChatModel]
"""Returns the chat model of a `provider:model` name. Raises ModelNotConfigured."""
Embedders = Callable[[str], Embedder]
"""Returns the embedder of a `provider:model` name. Raises ModelNotConfigured."""


@dataclass(frozen=True)
class Dependencies:
    """Everything that a use case needs from outside. Made once per process.

    `indexes` caches the accounts' recall indexes. `threads` runs calls that overlap.
    """

    settings: Settings
    table: Table
    queue: Queue
    clock: Clock
    chat_models: ChatModels
    embedders: Embedders
    indexes: "IndexCache"
    threads: ThreadPoolExecutor

    @property
    def embedder(self) -> Embedder:
        """The embedder of memories and questions. Raises ModelNotConfigured."""
        return self.embedders(self.settings.embedding_model)

    @property
    def background_model(self) -> ChatModel:
        """The chat model for extraction and other background work. Raises ModelNotConfigured."""
        return self.chat_models(self.settings.background_model)
