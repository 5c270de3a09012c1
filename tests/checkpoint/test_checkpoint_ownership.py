"""Foreign checkpoints are missing inside a request, too; tests/faults has every route's path."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.checkpoint_requests import commit, new_space
from tests.support.comparisons import assert_problem, state_of
from tests.support.world import World, running_world


@dataclass(frozen=True)
class Things:
    """The ids of one account's things."""

    space_id: str
    session_id: str
    checkpoint_id: str


@pytest.fixture(scope="module")
def place() -> Iterator[World]:
    """One world for all cases, none of which changes anything."""
    with running_world() as world:
        yield world


@pytest.fixture(scope="module")
def foreign(place: World) -> Things:
    """What belongs to grace."""
    space_id = new_space(place, "grace")
    session_id = place.session("grace", space_id=space_id)
    place.say(session_id, "hello", "grace")
    made = commit(place, space_id, account="grace", session_id=session_id, summary="WOMBAT")
    return Things(space_id, session_id, made["id"])


def test_a_foreign_checkpoint_is_missing_inside_a_request(place: World, foreign: Things) -> None:
    """As the other one of a comparison or merge, as a merge's parent, as what to mount."""
    space_id = new_space(place)
    session_id = place.session(space_id=space_id)
    own = commit(place, space_id)["id"]
    before = state_of(place)
    other = foreign.checkpoint_id
    for method, path, body in [
        ("GET", f"/v1/checkpoints/{own}/compare?with={other}", None),
        ("POST", f"/v1/checkpoints/{own}/merge", {"with": other}),
        ("POST", f"/v1/spaces/{space_id}/checkpoints", {"title": "x", "merge_parent_id": other}),
        ("POST", f"/v1/spaces/{space_id}/checkpoints",
         {"title": "x", "session_id": foreign.session_id}),
        ("PUT", f"/v1/sessions/{session_id}/mount", {"checkpoint_id": other}),
    ]:  # fmt: skip
        assert_problem(place.call(method, path, body), 404, "NOT_FOUND")
    assert state_of(place) == before
