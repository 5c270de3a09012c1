"""The embedded services for a test, and handlers that are no more than a function."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import pytest

from infra.local.aws import Data, close_the_way_out, create
from infra.local.embedded import REGION, EmbeddedAws
from infra.local.template import Function, load_template

ROOT = Path(__file__).parents[2]

Handler = Callable[[dict[str, Any], Any], Any]


@pytest.fixture
def environment() -> Iterator[None]:
    """The environment is put back as it was."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def embedded(environment: None) -> Iterator[EmbeddedAws]:
    """Embedded services, empty."""
    close_the_way_out()
    aws = EmbeddedAws()
    aws.start()
    yield aws
    aws.stop()


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


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Function]:
    """Makes a function of the template out of a Python function."""

    def make(handler: Handler, timeout: int = 5) -> Function:
        module = ModuleType("fake_function")
        vars(module)["handler"] = handler
        monkeypatch.setitem(sys.modules, "fake_function", module)
        return Function("FakeFunction", "fake_function.handler", timeout, 128, {}, {})

    return make
