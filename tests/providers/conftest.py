"""What the provider tests share."""

from collections.abc import Iterator

import pytest

from strandline.providers.openai.calls import clients
from tests.support.openai_server import OpenAIServer


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """An OpenAI-compatible server that answers as it is told."""
    with OpenAIServer() as running:
        yield running
    clients().close()
