"""PATCH /v1/memories/{memory_id}: the same verdicts for users without developer access."""

from typing import Any

from tests.support import invariants
from tests.support.comparisons import assert_problem
from tests.support.feedback_requests import MISSING, give_feedback, head, recalled, stored_memory
from tests.support.world import Reply, World


def patch(
    world: World, memory_id: str, key: str | None = None, account: str = "ada", **body: Any
) -> Reply:
    """One verdict as a change of the memory."""
    headers = {"Idempotency-Key": key} if key else None
    path = f"/v1/memories/{memory_id}"
    return world.call("PATCH", path, body, account=account, headers=headers)


def test_each_verdict_answers_with_the_memory_after_it(world: World) -> None:
    """Reviews, saving and dismissing, each and its taking back; the revision stays."""
    memory = stored_memory(world, "The user keeps bees.")
    for name, values in {
        "review": ("confirmed", "rejected", "unreviewed"),
        "saved": (True, False),
        "dismissed": (True, False),
    }.items():
        for value in values:
            reply = patch(world, memory.id, expected_revision=1, **{name: value})
            assert (reply.status, reply[name], reply["revision"]) == (200, value, 1)
            assert reply.body == world.call("GET", f"/v1/memories/{memory.id}").body
    invariants.hold(world)


def test_words_that_are_left_out_stay(world: World) -> None:
    """Those that are given are the user's; so are the others then."""
    memory = stored_memory(world, "The user keeps bees.", "hobby")
    reply = patch(world, memory.id, expected_revision=1, text="The user keeps wasps.")
    assert reply.status == 200
    expected = {"title": memory.title, "text": "The user keeps wasps.", "topic": "hobby"}
    assert {name: reply[name] for name in expected} == expected
    assert (reply["revision"], reply["author"], reply["importance"]) == (2, "user", 0.5)
    reply = patch(world, memory.id, expected_revision=2, labels=["hive"], importance=0, topic="")
    assert (reply["labels"], reply["importance"], reply["topic"]) == (["hive"], 0.0, "")
    assert reply["text"] == "The user keeps wasps."
    assert recalled(world, "user keeps wasps") == {memory.title}
    invariants.hold(world)


def test_more_or_less_than_one_verdict_is_400(world: World) -> None:
    """So are nulls, unknown fields and words out of bounds."""
    memory = stored_memory(world, "The user keeps bees.")
    rows = world.rows()
    for wrong in (
        {"expected_revision": 1},
        {"saved": True},
        {"expected_revision": 1, "saved": True, "dismissed": True},
        {"expected_revision": 1, "saved": True, "text": "The user keeps wasps."},
        {"expected_revision": 1, "saved": None},
        {"expected_revision": 1, "text": None},
        {"expected_revision": 1, "saved": "yes"},
        {"expected_revision": 1, "review": "confirm"},
        {"expected_revision": 1, "text": " "},
        {"expected_revision": 1, "state": "retracted"},
    ):
        assert_problem(patch(world, memory.id, **wrong), 400, "INVALID")
    assert world.rows() == rows


def test_404_and_410_come_before_the_body(world: World) -> None:
    """Foreign is missing; what was removed says when."""
    memory = stored_memory(world, "The user keeps bees.")
    for body in ({"expected_revision": 1, "saved": True}, {"nonsense": True}):
        for name, account in ((memory.id, "lin"), (MISSING, "ada")):
            assert_problem(patch(world, name, account=account, **body), 404, "NOT_FOUND")
    world.call("DELETE", f"/v1/memories/{memory.id}")
    for body in ({"expected_revision": 9, "saved": True}, {"nonsense": True}):
        assert_problem(patch(world, memory.id, **body), 410, "CONTENT_DELETED", "removed_at")


def test_another_revision_is_409(world: World) -> None:
    """With the current one."""
    memory = stored_memory(world, "The user keeps bees.")
    reply = patch(world, memory.id, expected_revision=2, saved=True)
    assert_problem(reply, 409, "CONFLICT", "current_revision")
    assert reply["current_revision"] == 1


def test_a_key_gives_a_change_once_by_either_door(world: World) -> None:
    """Sent again, it answers with the memory as it is now; with another body it is refused."""
    memory = stored_memory(world, "The user keeps bees.")
    key = "0d9c9e3e-8a57-4d3c-9a52-4b1a7d6a7f10"
    assert patch(world, memory.id, key, expected_revision=1, saved=True)["saved"] is True
    assert give_feedback(world, memory.id, "save", 1, idempotency_key=key)["changed"] == ["saved"]
    patch(world, memory.id, expected_revision=1, saved=False)
    rows = world.rows()
    assert patch(world, memory.id, key, expected_revision=1, saved=True)["saved"] is False
    refused = patch(world, memory.id, key, expected_revision=1, dismissed=True)
    assert_problem(refused, 422, "IDEMPOTENCY_KEY_REUSED")
    assert world.rows() == rows
    words = {"expected_revision": 1, "text": "The user keeps wasps."}
    assert patch(world, memory.id, "words", **words)["revision"] == 2
    assert patch(world, memory.id, "words", **words)["revision"] == 2
    assert head(world, memory).memory.revision == 2
