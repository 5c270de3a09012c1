"""What all tests share: AWS is embedded, no credential is real, and sockets stay on loopback."""

from collections.abc import Iterator

import pytest

from infra.local.aws import close_the_way_out
from tests.support.world import World, running

close_the_way_out()
# Steps that many tests share assert for them, and are to say what they saw.
pytest.register_assert_rewrite(
    "tests.support.asking", "tests.support.isolation", "tests.support.isolation_also"
)


@pytest.fixture
def world() -> Iterator[World]:
    """The whole product with scripted models and a frozen clock."""
    with running() as made:
        yield made
