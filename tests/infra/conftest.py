"""The embedded services for a test, and a stand-in for the processes functions run in."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.local.embedded_aws import REGION, EmbeddedAws
from infra.local.lambda_environments import FunctionFailed
from infra.local.resources import Data, close_the_way_out, create
from infra.local.template import Function, load_template

ROOT = Path(__file__).parents[2]

Handler = Callable[[dict[str, Any], Any], Any]


@contextmanager
def kept_environment() -> Iterator[None]:
    """The environment is put back as it was."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def environment(no_world: None) -> Iterator[None]:
    """A test may change the environment and run services of its own."""
    with kept_environment():
        yield


@pytest.fixture(scope="module")
def services(no_world: None) -> Iterator[EmbeddedAws]:
    """Embedded services for a module's tests: making clients is what costs time."""
    with kept_environment():
        close_the_way_out()
        aws = EmbeddedAws()
        aws.start()
        yield aws
        aws.stop()


@pytest.fixture
def embedded(services: EmbeddedAws) -> EmbeddedAws:
    """Embedded services, empty, with nobody watching."""
    services._mock.reset()
    services._observer = None
    return services


@pytest.fixture
def data(embedded: EmbeddedAws) -> Data:
    """The table and queues of infra/data.yaml, embedded."""
    made = create(load_template(ROOT / "infra/data.yaml"), REGION)
    embedded.partition(made.table)
    return made


@pytest.fixture
def dynamodb(data: Data) -> Any:
    """A client of the embedded table."""
    return boto3.client("dynamodb", region_name=data.region)


@pytest.fixture
def sqs(data: Data) -> Any:
    """A client of the embedded queues."""
    return boto3.client("sqs", region_name=data.region)


class InProcess:
    """Stands in for Lambdas where not the processes but what is around them is tested."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def submit(self, function: Function, event: dict[str, Any]) -> Future[Any]:
        """The handler's result, through JSON as it would have come."""
        future: Future[Any] = Future()
        try:
            future.set_result(json.loads(json.dumps(self._handler(event, None))))
        except (FunctionFailed, TimeoutError) as error:
            future.set_exception(error)
        return future

    def call(self, function: Function, event: dict[str, Any]) -> Any:
        """As Lambdas does."""
        return self.submit(function, event).result()


@pytest.fixture
def in_process() -> Callable[[Handler], Any]:
    """Makes the stand-in of a handler."""
    return InProcess


@pytest.fixture
def function() -> Function:
    """A function as the template would name it."""
    return Function("FakeFunction", "fake.handler", 5, 128, {}, {})
