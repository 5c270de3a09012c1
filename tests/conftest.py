"""What all tests share: AWS is embedded, no credential is real, and sockets stay on loopback."""

from collections.abc import Iterator

import pytest

from infra.local.aws import close_the_way_out
from tests.support.world import World, running

close_the_way_out()


@pytest.fixture
def world() -> Iterator[World]:
    """The whole product with scripted models and a frozen clock."""
    with running() as made:
        yield made
