"""An account with many memories on embedded AWS, and stub models: what the benches measure on."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import numpy as np

from infra.local.embedded_aws import REGION, EmbeddedAws
from infra.local.resources import Data, close_the_way_out, create
from infra.local.template import load_template
from strandline import ids, keys, runtime
from strandline.clock import Deadline, utc_now
from strandline.dependencies import Dependencies
from strandline.models.index_entry import IndexEntry
from strandline.models.memory import Citation, Kind, Memory
from strandline.models.memory_head import Head
from strandline.models.turn import Role
from strandline.providers.base import Completion, EmbeddingSpace, Finish, Message, Schema, Usage
from strandline.providers.vector_types import Vectors
from strandline.queue import Queue
from strandline.recall import stemming
from strandline.recall.index_cache import IndexCache
from strandline.recall.index_entries import equivalence_key, source_turns
from strandline.settings import Settings
from strandline.store.accounts import profiles
from strandline.store.memories import vector_log
from strandline.store.memories.memory_heads import head_item
from strandline.table import Table

ACCOUNT = "bench"
DIMENSIONS = 512
ROOT = Path(__file__).parents[2]
_SPACE = EmbeddingSpace("bench:stub", DIMENSIONS)
_WORDS = (
    "tea",
    "rowing",
    "garden",
    "train",
    "allergy",
    "budget",
    "winter",
    "meeting",
    "violin",
    "harbour",
    "project",
    "recipe",
)


@dataclass
class StubChat:
    """Answers at once; as a background model, with the reply it is given."""

    reply: str = "An answer of about three hundred characters, as a model would give it. " * 4

    def complete(
        self,
        messages: Sequence[Message],  # noqa: ARG002  the protocol's
        *,
        schema: Schema | None = None,  # noqa: ARG002
        deadline: Deadline,  # noqa: ARG002
    ) -> Completion:
        """The reply."""
        return Completion(self.reply, "bench", "stub", Finish.STOP, Usage(100, 20))


class StubEmbedder:
    """Vectors drawn from the text's hash."""

    space = _SPACE

    def embed(self, texts: Sequence[str], *, deadline: Deadline) -> Vectors:  # noqa: ARG002
        """Unit vectors."""
        return np.stack([_vector(sum(text.encode())) for text in texts])


@dataclass
class Stage:
    """Where a bench plays."""

    data: Data
    client: Any
    sqs: Any
    background: StubChat

    def install(self, client: Any | None = None, queue: Any | None = None) -> None:
        """A fresh process: nothing warm. Other clients may be put in to watch calls."""
        settings = Settings(
            table_name=self.data.table,
            job_queue_url=self.data.queue_url,
            chat_model="bench:chat",
            background_model="bench:background",
            embedding_model="bench:stub",
            auto_titles=False,  # made once a session, not in the turns that are measured
        )
        models = {"bench:chat": StubChat(), "bench:background": self.background}
        made = Dependencies(
            settings=settings,
            table=Table(client or self.client, self.data.table),
            queue=Queue(queue or self.sqs, self.data.queue_url),
            clock=utc_now,
            chat_models=lambda name: models[name],
            embedders=lambda _: StubEmbedder(),
            indexes=IndexCache(10**9),
            threads=ThreadPoolExecutor(max_workers=8),
        )
        runtime.install(made)

    def fill(self, count: int, first: int = 0) -> None:
        """Give the account `count` more memories, heads and log, when it has `first` already."""
        items = [item for number in range(first, first + count) for item in _items(number)]
        for start in range(0, len(items), 25):
            batch = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
            self.client.batch_write_item(RequestItems={self.data.table: batch})
        if count:
            counting = profiles.counter_write(ACCOUNT, first, first + count)
            Table(self.client, self.data.table).transact([counting])


@contextmanager
def stage(memories: int) -> Iterator[Stage]:
    """A stage with an account of so many memories."""
    close_the_way_out()
    aws = EmbeddedAws()
    aws.start()
    try:
        data = create(load_template(ROOT / "infra" / "data.yaml"), REGION)
        aws.partition(data.table)
        client = boto3.resource("dynamodb", region_name=REGION).Table(data.table).meta.client
        made = Stage(
            data, client, boto3.client("sqs", region_name=REGION), StubChat('{"memories":[]}')
        )
        made.fill(memories)
        made.install()
        yield made
    finally:
        runtime.uninstall()
        aws.stop()


def _vector(seed: int) -> Vectors:
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def _items(number: int) -> list[dict[str, Any]]:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number)
    session_id = ids.derived_id("ses", at, f"session {number // 20}")
    said = Citation(
        turn_id=ids.turn_id(session_id, 1), role=Role.USER, word_start=0, word_end=9, said_at=at
    )
    first, second = _WORDS[number % 12], _WORDS[number // 12 % 12]
    text = (
        f"The user told about {first} and {second}, number {number}, in some more words than that."
    )
    memory = Memory(
        id=ids.derived_id("mem", at, f"memory {number}"),
        revision=1,
        kind=Kind.OBSERVATION,
        title=f"{first} {number}",
        text=text,
        importance=0.5,
        evidence=(said,),
        created_at=at,
        updated_at=at,
    )
    entry = IndexEntry(
        change=number + 1,
        memory_id=memory.id,
        eligible=True,
        space=_SPACE.name,
        vector=_vector(number).astype("<f2").tobytes(),
        terms=stemming.pack_terms(stemming.stem_counts(text, "en")),
        importance=0.5,
        created_at=int(at.timestamp()),
        updated_at=int(at.timestamp()),
        source_turns=source_turns(memory),
        equivalence_key=equivalence_key(memory),
    )
    log = vector_log.record_write(ACCOUNT, entry, at)
    head_key = keys.memory(ACCOUNT, memory.id)
    head = head_item(Head(memory=memory, change=entry.change, log_change=entry.change))
    return [
        {"pk": log.key.pk, "sk": log.key.sk, **(log.item or {})},
        {"pk": head_key.pk, "sk": head_key.sk, **head},
    ]
