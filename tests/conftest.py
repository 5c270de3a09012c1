"""What all tests share: AWS is embedded, no credential is real, and sockets stay on loopback."""

from collections.abc import Iterator

import pytest

from infra.local.resources import close_the_way_out
from tests.support.world import World, running_world, stop_shared_services

close_the_way_out()
# Steps that many tests share assert for them, and are to say what they saw.
pytest.register_assert_rewrite(
    "tests.support.scenario_steps",
    "tests.support.isolation_scenario",
    "tests.support.isolation_edge_cases",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks property tests; those that share a running local runner stay on one worker."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.law)
        if item.path.parent.name == "http":
            offline = item.path.name == "test_local_lifecycle.py"
            item.add_marker(pytest.mark.xdist_group("offline" if offline else "openai"))


@pytest.fixture(scope="module")
def no_world() -> None:
    """The module's tests start services of their own, or are to meet none."""
    stop_shared_services()


@pytest.fixture
def world() -> Iterator[World]:
    """The whole product with scripted models and a frozen clock."""
    with running_world() as made:
        yield made
