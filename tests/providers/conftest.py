"""What the provider tests share."""

from collections.abc import Iterator

import pytest

from strandline.providers.anthropic import calls as anthropic_calls
from strandline.providers.bedrock import calls as bedrock_calls
from strandline.providers.openai import calls as openai_calls
from tests.support.openai_server import OpenAIServer


@pytest.fixture(autouse=True, scope="module")
def no_embedded_service(no_world: None) -> None:
    """No embedded service answers in a provider's place."""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A server on loopback that answers as it is told, in whatever API's JSON."""
    with OpenAIServer() as running:
        yield running
    for calls in (openai_calls, anthropic_calls, bedrock_calls):
        calls.clients().close()
