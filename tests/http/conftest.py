"""One local runner with models behind a server on loopback, for all tests that need such."""

from collections.abc import Iterator

import pytest

from tests.support.local_runner import Account, Runner
from tests.support.openai_script import Script
from tests.support.openai_server import OpenAIServer

KEY = "sk-loopback-0123456789abcdef"
TIMEOUT_SECONDS = 2


@pytest.fixture(scope="session")
def script() -> Script:
    """What the models reply."""
    return Script()


@pytest.fixture(scope="session")
def server(script: Script) -> Iterator[OpenAIServer]:
    """The models."""
    with OpenAIServer(script) as running:
        yield running


@pytest.fixture(scope="session")
def key() -> str:
    """The key to them."""
    return KEY


@pytest.fixture(scope="session")
def runner(
    server: OpenAIServer, key: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Runner]:
    """A runner that uses them, impatient in everything, with its functions warm."""
    environment = {
        "CHAT_MODEL": "openai:gpt-chat",
        "BACKGROUND_MODEL": "openai:gpt-background",
        "EMBEDDING_MODEL": "openai:text-embedding-3-small",
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": key,
        "CHAT_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS),
        "BACKGROUND_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS),
        "EMBEDDING_TIMEOUT_SECONDS": "1",
        "JOB_RETRY_SECONDS": "0",
        "JOB_MAX_FAILURES": "2",
        "LOG_LEVEL": "DEBUG",
    }
    with Runner(tmp_path_factory.mktemp("runner"), **environment) as running:
        _warm(running.account("warm"))
        yield running


def _warm(account: Account) -> None:
    """The first call of a process loads the SDK, which on a busy machine outlasts time-outs."""
    session_id = account.session()
    said = account.send(session_id, "Hello there")
    for _ in range(3):
        if said.status_code == 201:
            break
        said = account.call("POST", f"/turns/{said.json()['turn_id']}/reply")
    account.ended(said.json())
    for _ in range(3):
        drafted = account.call("POST", "/checkpoints/draft", {"session_id": session_id})
        if drafted.status_code == 200:
            break
