"""The composition: template, data, functions, worker and front, started and stopped in order."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import boto3
from starlette.types import ASGIApp

from infra.local.aws_endpoint import Door
from infra.local.embedded_aws import REGION, EmbeddedAws
from infra.local.function_environment import point_to, set_environment
from infra.local.gateway import Gateway
from infra.local.lambda_environments import Lambdas
from infra.local.persistence import KeptMessage, Shelf
from infra.local.queue_worker import Worker
from infra.local.resources import Data, close_the_way_out, create, region_of_endpoint
from infra.local.schedule import Clockwork
from infra.local.server import application
from infra.local.template import (
    Template,
    functions,
    load_template,
    queue_mapping,
    routes,
    schedules,
    variables,
)
from infra.local.tokens import open_tokens


class FolderInUse(Exception):
    """Another runner has this data folder."""


@dataclass(frozen=True, slots=True)
class Home:
    """The data folder, held by one process."""

    folder: Path
    _lock: IO[str]

    @classmethod
    def take(cls, folder: Path) -> "Home":
        """The folder, made if need be, for its owner alone. Raises FolderInUse."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / "lock").open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise FolderInUse(f"{folder} is in use by process {holder}") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        return cls(folder, lock)

    def release(self) -> None:
        """Let another process have it."""
        self._lock.close()


class Storage:
    """The embedded services with their saved data, or those at AWS_ENDPOINT_URL."""

    def __init__(self, data_template: Template, folder: Path) -> None:
        self._embedded: EmbeddedAws | None = None
        self._shelf: Shelf | None = None
        self._door: Door | None = None
        if os.environ.get("AWS_ENDPOINT_URL"):
            self.data = create(data_template, region_of_endpoint())
        else:
            close_the_way_out()
            self._embedded, self._shelf = EmbeddedAws(), Shelf(folder / "strandline.sqlite")
            self._embedded.start()
            self.data = create(data_template, REGION)
            self._restore(self._embedded, self._shelf)
            self._door = Door(self._embedded)

    @property
    def variables(self) -> dict[str, str]:
        """What a function's process needs in its environment to reach the data."""
        return self._door.variables if self._door is not None else {}

    def stop(self) -> None:
        """Save all and let go."""
        if self._door is not None:
            self._door.close()
        if self._embedded is not None and self._shelf is not None:
            self._shelf.keep_messages(list(_messages(self._embedded, self.data)))
            self._shelf.stop()
            self._embedded.stop()

    def _restore(self, embedded: EmbeddedAws, shelf: Shelf) -> None:
        embedded.partition(self.data.table)
        embedded.load(self.data.table, shelf.items())
        embedded.observe(shelf.note)
        sqs = boto3.client("sqs", region_name=REGION)
        for kept in shelf.take_messages():
            group = {"MessageGroupId": kept.group} if kept.group else {}
            url = sqs.get_queue_url(QueueName=kept.queue)["QueueUrl"]
            sent = sqs.send_message(QueueUrl=url, MessageBody=kept.body, **group)
            for message in embedded.queue(kept.queue).messages:
                if message.id == sent["MessageId"]:
                    message.approximate_receive_count = kept.receives
        shelf.start()


def _messages(embedded: EmbeddedAws, data: Data) -> Any:
    for url in (data.queue_url, data.dead_queue_url):
        name = url.rpartition("/")[2]
        for message in list(embedded.queue(name)._messages):  # noqa: SLF001 - hidden ones too
            count = message.approximate_receive_count
            yield KeptMessage(name, message.body, message.group_id, count)


class Runner:
    """Everything that serves, between `start` and `stop`."""

    def __init__(self, root: Path, folder: Path) -> None:
        template = load_template(root / "template.yaml")
        set_environment(variables(template))
        self._home = Home.take(folder)
        self._storage = Storage(load_template(root / "infra/data.yaml"), folder)
        data = self._storage.data
        point_to(data)
        self._lambdas = lambdas = Lambdas(data.region, self._storage.variables)
        tokens = open_tokens(folder)
        sqs = boto3.client("sqs", region_name=data.region)
        self.worker = Worker(sqs, data, queue_mapping(template), lambdas)
        self._clockwork = Clockwork(schedules(template), lambdas, data.region)
        self._functions = functions(template)
        gateway = Gateway(routes(template), self._functions, tokens, lambdas)
        self.application: ASGIApp = application(gateway, tokens, self.worker)

    def start(self) -> None:
        """Begin to work on the queue and the schedules, with every function warm."""
        self._lambdas.warm(self._functions.values())
        self.worker.start()
        self._clockwork.start()

    def stop(self) -> None:
        """End in the order that loses nothing: no new work, then the data, then the folder."""
        self._clockwork.stop()
        self.worker.stop()
        self._lambdas.stop()
        self._storage.stop()
        self._home.release()
