"""A world and a session that the cases of one file share."""

from collections.abc import Iterator

import pytest

from tests.support.world import World, running_world


@pytest.fixture(scope="module")
def place() -> Iterator[World]:
    """One world for all requests of a file: none depends on another."""
    with running_world() as world:
        yield world


@pytest.fixture(scope="module")
def session_id(place: World) -> str:
    """A session with one answered message."""
    made = place.session()
    place.say(made, "first")
    return made
