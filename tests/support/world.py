"""The whole product in one process: real handlers, embedded AWS, scripted models, frozen clock."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import boto3
import botocore.session
from botocore.loaders import Loader, create_loader

from functions.chat.app import handler as chat_handler
from functions.checkpoint.draft_app import handler as draft_handler
from functions.checkpoint.mount_app import handler as mount_handler
from functions.diagnostics.app import handler as diagnostics_handler
from functions.extract.app import handler as extract_handler
from functions.maintenance.app import handler as maintenance_handler
from infra.local.api_events import Request, api_event, decoded_path
from infra.local.embedded_aws import EmbeddedAws
from infra.local.queue_worker import sqs_record
from infra.local.resources import QUEUES, Data, create
from infra.local.template import Route, load_template, routes, serving
from strandline import runtime as runtimes
from strandline.dependencies import Dependencies
from strandline.providers.base import ChatModel, Embedder
from strandline.queue import Queue
from strandline.recall.index_cache import IndexCache
from strandline.settings import Settings
from strandline.table import Table
from tests.support import table_rows
from tests.support.scripted_models import ScriptedChat, ScriptedEmbedder

ROOT = Path(__file__).parents[2]
ROUTES = routes(load_template(ROOT / "template.yaml"))
DATA = load_template(ROOT / "infra" / "data.yaml")
HANDLERS = {
    "ChatFunction": chat_handler,
    "DiagnosticsFunction": diagnostics_handler,
    "DraftFunction": draft_handler,
    "MountFunction": mount_handler,
}
START = datetime(2026, 9, 20, 12, 0, tzinfo=UTC)
REGION = "us-east-1"


class FrozenClock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def advance(self, **span: float) -> None:
        self.at += timedelta(**span)


class Context:
    """What Lambda tells a handler about itself."""

    function_name = "test"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:test"
    aws_request_id = "request"

    def __init__(self, seconds: float = 29.0) -> None:
        self._seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(self._seconds * 1000)


@dataclass(frozen=True)
class Reply:
    """A response: status, headers in lower case, and the body as JSON where it is JSON."""

    status: int
    headers: dict[str, str]
    body: Any

    def __getitem__(self, name: str) -> Any:
        return self.body[name]


@dataclass
class World:
    """One account of everything: use `call` for HTTP, `drain` for the queue."""

    data: Data
    runtime: Dependencies
    clock: FrozenClock
    chat: ScriptedChat
    background: ScriptedChat
    embedder: ScriptedEmbedder
    client: Any
    sqs: Any
    models: dict[str, ChatModel] = field(default_factory=dict)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        account: str | dict[str, Any] | None = "ada",
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """One HTTP request through the handler its route names.

        `body` is sent as JSON, or as it is when it is bytes. `account` is the token's `sub` or
        all of its claims; None sends no token.
        """
        path, _, query = path.partition("?")
        raw = body is None or isinstance(body, bytes)
        sent = (body or b"") if raw else json.dumps(body).encode()
        given = ({} if raw else {"content-type": "application/json"}) | (headers or {})
        request = Request(method, path, query, list(given.items()), sent)
        route, parameters = self._route(method, decoded_path(path))
        claims = {"sub": account} if isinstance(account, str) else account
        event = api_event(request, route, parameters, claims, self.clock())
        answer = HANDLERS[route.function](event, Context())
        text = answer.get("body") or ""
        return Reply(
            answer["statusCode"],
            {k.lower(): v for k, v in (answer.get("headers") or {}).items()},
            json.loads(text) if text else None,
        )

    def session(self, account: str = "ada", **fields: Any) -> str:
        """A new session's id."""
        return str(self.call("POST", "/v1/sessions", fields, account=account)["id"])

    def say(self, session_id: str, content: str, account: str = "ada", **fields: Any) -> Reply:
        """A message and its answer."""
        path = f"/v1/sessions/{session_id}/messages"
        return self.call("POST", path, {"content": content, **fields}, account=account)

    def job(self, job_id: str, account: str = "ada") -> Any:
        """A job as its owner sees it."""
        return self.call("GET", f"/v1/jobs/{job_id}", account=account).body

    def memories(self, account: str = "ada") -> list[Any]:
        """All memories of an account, oldest first."""
        found = self.call("GET", "/v1/memories?limit=100", account=account)["items"]
        return list(reversed(found))

    def deliver(self, *bodies: Any) -> list[str]:
        """Hand those message bodies to the extract function; the ids it reports as failed."""
        messages = [_message(str(n), body) for n, body in enumerate(bodies)]
        return self._extract(messages)

    def drain(self, rounds: int = 1) -> list[str]:
        """Deliver what waits in the queue, removing what succeeds; the ids reported as failed."""
        failed: list[str] = []
        for _ in range(rounds):
            url = self.data.queue_url
            received = self.sqs.receive_message(
                QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"]
            ).get("Messages", [])
            if not received:
                break
            failed = self._extract(received)
            for message in received:
                if message["MessageId"] not in failed:
                    self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return failed

    def learn(self, session_id: str, content: str, *found: dict[str, Any], **how: Any) -> Reply:
        """Say something that the background model finds those memories in, and learn them."""
        self.background.will(json.dumps({"memories": list(found)}))
        answer = self.say(session_id, content, **how)
        self.drain()
        return answer

    def maintain(self) -> Any:
        """Run the maintenance function once."""
        return maintenance_handler({"source": "aws.events"}, Context(120))

    def rows(self) -> list[dict[str, Any]]:
        """The whole table, in key order."""
        return table_rows.rows(self.data.table)

    def put(self, rows: Sequence[dict[str, Any]]) -> None:
        """Rows straight into the table, for tests that need many."""
        for start in range(0, len(rows), 25):
            batch = [{"PutRequest": {"Item": row}} for row in rows[start : start + 25]]
            self.client.batch_write_item(RequestItems={self.data.table: batch})

    def waiting(self) -> int:
        """How many messages are in the queue, seen or not."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = self.sqs.get_queue_attributes(QueueUrl=self.data.queue_url, AttributeNames=names)
        return sum(int(found["Attributes"][name]) for name in names)

    def use(self, **settings: Any) -> None:
        """Change settings from now on."""
        changed = self.runtime.settings.model_copy(update=settings)
        self.runtime = replace(self.runtime, settings=changed)
        runtimes.install(self.runtime)

    def go_through(self, client: Any) -> None:
        """Reach the table through this client from now on."""
        table = Table(client, self.data.table, pause=lambda _: None, clock=self.clock)
        self.runtime = replace(self.runtime, table=table)
        runtimes.install(self.runtime)

    def put_back(self, rows: Sequence[dict[str, Any]]) -> None:
        """Make the table hold just these rows, and forget what a warm process knows."""
        wanted = {(row["pk"], row["sk"]): row for row in rows}
        there = {(row["pk"], row["sk"]): row for row in self.rows()}
        writes: list[dict[str, Any]] = [
            {"DeleteRequest": {"Key": {"pk": pk, "sk": sk}}} for pk, sk in there.keys() - wanted
        ]
        writes += [
            {"PutRequest": {"Item": row}} for key, row in wanted.items() if there.get(key) != row
        ]
        for start in range(0, len(writes), 25):
            batch = {self.data.table: writes[start : start + 25]}
            self.client.batch_write_item(RequestItems=batch)
        self.cold()

    def cold(self) -> None:
        """Forget what a warm process knows."""
        self.runtime = replace(self.runtime, indexes=IndexCache(10**8))
        runtimes.install(self.runtime)

    def _extract(self, messages: Sequence[dict[str, Any]]) -> list[str]:
        event = {"Records": [sqs_record(message, self.data) for message in messages]}
        result = extract_handler(event, Context(60))
        return [failure["itemIdentifier"] for failure in result["batchItemFailures"]]

    def _route(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        found = serving(ROUTES, method, path)
        if found is not None:
            return found
        return Route(method, path, "ChatFunction", needs_token=True), {}


def _message(message_id: str, body: Any) -> dict[str, Any]:
    return {
        "MessageId": message_id,
        "ReceiptHandle": f"handle-{message_id}",
        "Body": body if isinstance(body, str) else json.dumps(body),
        "MD5OfBody": "",
        "Attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "0"},
    }


@dataclass(frozen=True)
class SharedServices:
    """The embedded services with their table and queues, and clients of both."""

    aws: EmbeddedAws
    data: Data
    client: Any
    sqs: Any

    @classmethod
    def started(cls) -> "SharedServices":
        aws = EmbeddedAws()
        aws.start()
        _share_what_botocore_has_read()
        data = create(DATA, REGION)
        aws.partition(data.table)
        client = boto3.resource("dynamodb", region_name=REGION).Table(data.table).meta.client
        return cls(aws, data, client, boto3.client("sqs", region_name=REGION))

    def emptied(self) -> "SharedServices":
        """Without any item and any message."""
        table_rows.clear(self.data.table)
        for name in QUEUES.values():
            queue = self.aws.queue(name)
            # AWS takes one PurgeQueue a minute, and moto is as strict.
            queue._messages = []
            queue._pending_messages = set()
            queue.last_purged_at = None
        return self


_kept: list[SharedServices] = []
"""Started by the first world of a process and used by all: starting takes longer than a test."""


def stop_shared_services() -> None:
    """End the services that worlds share, for tests that start their own."""
    while _kept:
        _kept.pop().aws.stop()


@contextmanager
def running_world() -> Iterator[World]:
    """A world of its own; one at a time."""
    if not _kept:
        _kept.append(SharedServices.started())
    embedded = _kept[0].emptied()
    data, client, sqs = embedded.data, embedded.client, embedded.sqs
    clock, chat, background = FrozenClock(), ScriptedChat(), ScriptedChat('{"memories": []}')
    embedder = ScriptedEmbedder()
    models: dict[str, ChatModel] = {"scripted:chat": chat, "scripted:background": background}
    embedders: dict[str, Embedder] = {"scripted:words": embedder}
    settings = Settings(
        table_name=data.table,
        job_queue_url=data.queue_url,
        chat_model="scripted:chat",
        background_model="scripted:background",
        embedding_model="scripted:words",
        # Titles would be further calls to the background model: tests of titles switch it on.
        auto_titles=False,
    )
    threads = ThreadPoolExecutor(max_workers=8)
    made = Dependencies(
        settings=settings,
        table=Table(client, data.table, pause=lambda _: None, clock=clock),
        queue=Queue(sqs, data.queue_url),
        clock=clock,
        chat_models=lambda name: _named(models, name),
        embedders=lambda name: embedders[name],
        indexes=IndexCache(10**8),
        threads=threads,
    )
    runtimes.install(made)
    try:
        yield World(data, made, clock, chat, background, embedder, client, sqs, models)
    finally:
        runtimes.uninstall()
        threads.shutdown()


def _share_what_botocore_has_read() -> None:
    """A new session reads AWS's service descriptions again, for longer than most tests run."""
    session = botocore.session.get_session()
    session.register_component("data_loader", _loader())
    boto3.setup_default_session(botocore_session=session)


@lru_cache(maxsize=1)
def _loader() -> Loader:
    return create_loader()


def _named(models: dict[str, ChatModel], name: str) -> ChatModel:
    from strandline.errors import ModelNotConfigured

    if name not in models:
        raise ModelNotConfigured
    return models[name]
