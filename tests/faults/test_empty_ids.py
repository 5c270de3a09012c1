"""An id that is empty names nothing; it is not the same as no id."""

from typing import Any

import pytest

from tests.support.comparisons import assert_problem
from tests.support.world import World


def test_a_session_in_the_space_of_no_name_is_not_made(world: World) -> None:
    """It would be in a space that isn't there, and no message of it could be answered."""
    refused = world.call("POST", "/v1/sessions", {"space_id": ""})
    assert_problem(refused, 404, "NOT_FOUND")
    assert world.call("GET", "/v1/sessions")["items"] == []


def test_a_session_doesnt_move_to_the_space_of_no_name(world: World) -> None:
    """It stays where it is and goes on."""
    session_id = world.session()
    refused = world.call("PATCH", f"/v1/sessions/{session_id}", {"space_id": ""})
    assert_problem(refused, 404, "NOT_FOUND")
    assert world.say(session_id, "hello").status == 201


def test_the_sessions_of_no_space_are_none(world: World) -> None:
    """A client that lost the id doesn't get the sessions of all spaces."""
    world.session()
    assert world.call("GET", "/v1/sessions?space_id=")["items"] == []


@pytest.mark.parametrize("field", ["mounted_checkpoint_id", "provider", "model", "recall"])
def test_an_empty_choice_of_a_message_is_none(world: World, field: str) -> None:
    """It is refused, and nothing of the message is stored."""
    session_id = world.session()
    body: dict[str, Any] = {"content": "hello", field: ""}
    if field == "mounted_checkpoint_id":
        body["history_base_seq"] = 0
    answer = world.call("POST", f"/v1/sessions/{session_id}/messages", body)
    assert answer.status in (400, 404)
    assert world.call("GET", f"/v1/sessions/{session_id}/turns")["items"] == []
