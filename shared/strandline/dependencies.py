"""What a use case needs from outside: settings, storage, clock, models and threads."""

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
"""Gives the chat model of a `provider:model` name. Raises ModelNotConfigured."""
Embedders = Callable[[str], Embedder]
"""Gives the embedder of a `provider:model` name. Raises ModelNotConfigured."""


@dataclass(frozen=True)
class Dependencies:
    """Everything a use case needs from outside."""

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
        """The embedder of all memories and questions."""
        return self.embedders(self.settings.embedding_model)

    @property
    def background_model(self) -> ChatModel:
        """The model for extraction and other work nobody waits for."""
        return self.chat_models(self.settings.background_model)
