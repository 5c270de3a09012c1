"""One deployed stack for all tests here; without one they are skipped, and say so."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.api_clients import HttpClient
from tests.support.deployment import Account, Control, Deployment, deployed, emulated

HERE = Path(__file__).parent
WHICH = os.environ.get("STRANDLINE_E2E", "")
SKIPPED = "needs a deployed stack: make stack-test, or make e2e with STRANDLINE_URL and a token"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The plain suite has no stack."""
    if not WHICH:
        for item in items:
            if item.path.is_relative_to(HERE):
                item.add_marker(pytest.mark.skip(reason=SKIPPED))


@pytest.fixture(scope="session")
def target(pytestconfig: pytest.Config) -> Iterator[Deployment]:
    """The stack; what is done with it is shown as it happens."""
    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")

    def tell(line: str) -> None:
        reporter.write_line(f"    {line}")

    reporter.write_line("")
    if WHICH == "deployed":
        yield deployed(os.environ, tell)
    else:
        with emulated(os.environ, tell) as made:
            yield made


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest, target: Deployment) -> None:
    """The test's sentence, above what it does."""
    target.tell("")
    target.tell(request.node.name.removeprefix("test_").replace("_", " "))


@pytest.fixture
def control(target: Deployment) -> Control:
    """What only an emulated stack lets a test do."""
    if target.control is None:
        pytest.skip("looks into the stack: only with make stack-test")
    return target.control


@pytest.fixture
def ada(target: Deployment) -> Account:
    """An account; in an emulated stack a new one for each test."""
    return target.account(_new("ada", target))


@pytest.fixture
def bob(target: Deployment) -> Account:
    """Another account."""
    try:
        return target.account(_new("bob", target))
    except LookupError:
        pytest.skip("needs a second account: STRANDLINE_OTHER_TOKEN")


@pytest.fixture
def client(
    target: Deployment, ada: Account, request: pytest.FixtureRequest
) -> Iterator[HttpClient]:
    """Ada's client. The spaces made through it are deleted again, with all that was learned there.

    A deployed stack's account is the same in every test: what one leaves, the next would recall.
    """
    made: list[str] = []
    yield _door(target, ada, request, made)
    for space_id in made:
        ada.call("DELETE", f"/v1/spaces/{space_id}")


def _door(
    target: Deployment, account: Account, request: pytest.FixtureRequest, made: list[str]
) -> HttpClient:
    def ask(method: str, path: str, body: Any) -> httpx.Response:
        answer = account.call(method, path, body)
        if (method, path) == ("POST", "/v1/spaces"):
            made.append(answer.json()["id"])
        return answer

    return HttpClient(
        request=ask,
        ended=account.ended,
        others=lambda: _door(target, request.getfixturevalue("bob"), request, []),
        models=target.control and target.control.models,
        script=target.control and target.control.script,
    )


def _new(name: str, target: Deployment) -> str:
    return name if target.control is None else f"{name}-{uuid.uuid4().hex[:8]}"
