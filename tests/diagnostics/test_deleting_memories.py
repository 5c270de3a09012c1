"""Deleting by diagnostics: each of the memory's routes says 410, and no list or search has it."""

import json

import pytest

from infra.local.template import Route
from tests.support.feedback_requests import claims, give_feedback, head, stored_memory
from tests.support.world import ROUTES, World

OF_A_MEMORY = [
    route
    for route in ROUTES
    if "{memory_id}" in route.path and route.method != "DELETE" and "debug" in route.path
]
FEEDBACK = {
    "action": "save",
    "expected_revision": 1,
    "idempotency_key": "6a1f3f9e-5b0f-4b7e-9d3c-0d5f6f1f2a3b",
}


def asked(world: World, route: Route, memory_id: str, body: object = None) -> tuple[int, object]:
    """The status, and when the memory was removed."""
    path = route.path.format(memory_id=memory_id, revision=1)
    answer = world.call(route.method, path, body, account=claims())
    return answer.status, answer.body.get("removed_at")


def test_a_deleted_memory_is_gone_from_everywhere(world: World) -> None:
    """204 each time; 410 with the time, whatever is sent; the turn stays, and so does the event."""
    session_id = world.session()
    memory = stored_memory(world, "The user keeps zebras.", session_id=session_id)
    other = stored_memory(world, "The user keeps bees.")
    path = f"/v1/debug/memories/{memory.id}"
    removed_at = "2026-09-20T12:00:00.000000Z"
    for _ in range(2):
        assert world.call("DELETE", path, account=claims()).status == 204
        world.clock.advance(minutes=5)
    for route in OF_A_MEMORY:
        bodies = [None] if route.method == "GET" else [None, {"nonsense": 1}, FEEDBACK]
        for body in bodies:
            assert asked(world, route, memory.id, body) == (410, removed_at), route.key
    for listed in (
        "memories",
        "debug/memories",
        "recall?q=zebras",
        "debug/memories/search?q=keeps",
    ):
        found = world.call("GET", f"/v1/{listed}", account=claims())
        assert found.status == 200
        assert "zebra" not in json.dumps(found.body)
    assert head(world, other).recallable
    turns = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
    assert turns[0]["content"] == "The user keeps zebras."
    events = world.call("GET", "/v1/events")["items"]
    assert [event["type"] for event in events if event["memory_id"] == memory.id] == [
        "memory.created",
        "memory.deleted",
    ]


def test_what_was_deleted_as_a_product_is_deleted_in_diagnostics(world: World) -> None:
    """One use case behind both routes: either finds the other's work done."""
    first, second = (
        stored_memory(world, "The user keeps zebras."),
        stored_memory(world, "The user keeps bees."),
    )
    assert world.call("DELETE", f"/v1/memories/{first.id}").status == 204
    assert world.call("DELETE", f"/v1/debug/memories/{second.id}", account=claims()).status == 204
    for memory_id in (first.id, second.id):
        assert world.call("GET", f"/v1/memories/{memory_id}").status == 410
        assert world.call("DELETE", f"/v1/memories/{memory_id}").status == 204
        path = f"/v1/debug/memories/{memory_id}"
        assert world.call("GET", path, account=claims()).status == 410
        assert world.call("DELETE", path, account=claims()).status == 204


@pytest.mark.parametrize("action", ["reject", "dismiss", "save", "confirm"])
def test_a_memory_of_any_standing_can_be_deleted(world: World, action: str) -> None:
    """Also one that recall doesn't show any more."""
    memory = stored_memory(world, "The user keeps zebras.")
    assert give_feedback(world, memory.id, action, 1).status == 200
    path = f"/v1/debug/memories/{memory.id}"
    assert world.call("DELETE", path, account=claims()).status == 204
    assert world.call("GET", path, account=claims()).status == 410
