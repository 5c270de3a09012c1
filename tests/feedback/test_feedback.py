"""Feedback over the API: its checks and their order, idempotency, events and audit record."""

import json
import uuid
from typing import Any

import pytest

from strandline.memories import visibility
from tests.support import invariants
from tests.support.comparisons import assert_problem
from tests.support.extraction_replies import found
from tests.support.feedback_requests import (
    MISSING,
    claims,
    correct,
    correction_content,
    events_after,
    give_feedback,
    head,
    stored_memory,
)
from tests.support.world import Reply, World


def events(world: World) -> int:
    """How many there are."""
    return len(world.call("GET", "/v1/events?limit=100")["items"])


def post(world: World, memory_id: str, body: Any, account: str = "ada") -> Reply:
    """A feedback body as it is."""
    path = f"/v1/debug/memories/{memory_id}/feedback"
    return world.call("POST", path, body, account=claims(account))


def body(**more: Any) -> dict[str, Any]:
    """A confirmation, but for what is given."""
    made = {"action": "confirm", "expected_revision": 1, "idempotency_key": str(uuid.uuid4())}
    return {name: value for name, value in (made | more).items() if value is not None}


def test_the_answer_tells_how_the_memory_stands_and_none_of_its_words(world: World) -> None:
    """All of it, as documented."""
    memory = stored_memory(world, "The user keeps bees.")
    reply = give_feedback(world, memory.id, "confirm", 1)
    assert (reply.status, reply.body) == (
        200,
        {
            "memory_id": memory.id,
            "revision": 1,
            "action": "confirm",
            "review": "confirmed",
            "saved": False,
            "dismissed": False,
            "state": "active",
            "freshness": "current",
            "changed": ["review"],
            "retracted": [],
            "restored": [],
            "at": "2026-09-20T12:00:00.000000Z",
        },
    )


def test_another_revision_than_expected_is_409_with_the_current_one(world: World) -> None:
    """An earlier one and one that isn't there yet; nothing is written."""
    memory = stored_memory(world, "The user keeps bees.")
    correct(world, memory.id, 1)
    rows = world.rows()
    for expected in (1, 3):
        reply = give_feedback(world, memory.id, "confirm", expected)
        assert_problem(reply, 409, "CONFLICT", "current_revision")
        assert reply["current_revision"] == 2
    assert world.rows() == rows


NOT_BODIES: list[dict[str, Any]] = [
    {"action": "forget"},
    {"action": None},
    {"expected_revision": None},
    {"expected_revision": 0},
    {"expected_revision": "1"},
    {"expected_revision": True},
    {"idempotency_key": None},
    {"idempotency_key": "k-1"},
    {"content": correction_content()},
    {"action": "correct"},
    {"action": "correct", "content": {"text": "Only the text."}},
    {"more": 1},
]


def test_a_body_that_isnt_one_is_400(world: World) -> None:
    """Content belongs to a correction, which says all of it."""
    memory = stored_memory(world, "The user keeps bees.")
    rows = world.rows()
    for wrong in NOT_BODIES:
        assert_problem(post(world, memory.id, body(**wrong)), 400, "INVALID")
    assert world.rows() == rows


NOT_WORDS: list[dict[str, Any]] = [
    {"title": ""},
    {"title": " \u0007 "},
    {"title": "a" * 81},
    {"text": "\n"},
    {"text": "a" * 1001},
    {"text": None},
    {"importance": 1.01},
    {"importance": -0.1},
    {"importance": "high"},
    {"importance": True},
    {"labels": ["a"] * 9},
    {"labels": [""]},
    {"labels": ["a" * 41]},
    {"labels": None},
    {"subject": "a" * 81},
    {"topic": "a" * 61},
    {"kind": "fact"},
    {"author": "model"},
]


def test_words_out_of_bounds_are_400(world: World) -> None:
    """The bounds are extraction's own; nothing is embedded or changed."""
    memory = stored_memory(world, "The user keeps bees.")
    asked = len(world.embedder.asked)
    for wrong in NOT_WORDS:
        assert_problem(correct(world, memory.id, 1, **wrong), 400, "INVALID")
    assert (head(world, memory).memory, len(world.embedder.asked)) == (memory, asked)


def test_a_correction_with_what_cant_be_stored_is_400(world: World) -> None:
    """NUL, half a character, no number; the path's memory is looked at first."""
    memory = stored_memory(world, "The user keeps bees.")
    whole = json.dumps(body(action="correct", content=correction_content(text="HERE")))
    for raw in ('"\\u0000"', '"\\ud800"', "NaN"):
        sent = whole.replace('"HERE"', raw).encode()
        path = f"/v1/debug/memories/{memory.id}/feedback"
        assert_problem(world.call("POST", path, body=sent, account=claims()), 400, "INVALID")
        missing = path.replace(memory.id, MISSING)
        assert_problem(world.call("POST", missing, body=sent, account=claims()), 404, "NOT_FOUND")


def test_a_foreign_memory_is_a_missing_one_whatever_the_body(world: World) -> None:
    """404, before the body, the key or the revision is looked at."""
    memory = stored_memory(world, "The user keeps bees.")
    for sent in (body(), body(expected_revision=7), {"nonsense": 1}, None):
        answers = [
            post(world, memory.id, sent, account="lin"),
            post(world, MISSING, sent, account="lin"),
        ]
        assert {answer.status for answer in answers} == {404}
        assert len({str(a.body | {"request_id": ""}) for a in answers}) == 1


def test_a_removed_memory_is_410_whatever_the_body(world: World) -> None:
    """Also for the key of a verdict that was given, whose answer is gone with it."""
    memory = stored_memory(world, "The user keeps bees.")
    first = body()
    assert post(world, memory.id, first).status == 200
    world.call("DELETE", f"/v1/memories/{memory.id}")
    rows = world.rows()
    for sent in (first, body(), body(expected_revision=7), {"nonsense": 1}):
        reply = post(world, memory.id, sent)
        assert_problem(reply, 410, "CONTENT_DELETED", "removed_at")
        assert reply["removed_at"] == "2026-09-20T12:00:00.000000Z"
    assert world.rows() == rows


def test_a_memory_of_a_session_that_is_being_removed_is_410(world: World) -> None:
    """From the moment the deletion was asked for."""
    session_id = world.session()
    memory = stored_memory(world, "The user keeps bees.", session_id=session_id)
    visibility.hide_sessions(world.runtime.table, "ada", [session_id], world.clock(), ())
    for sent in (body(), {"nonsense": 1}):
        assert_problem(post(world, memory.id, sent), 410, "CONTENT_DELETED", "removed_at")


def test_the_same_key_and_body_gives_the_first_answer(world: World) -> None:
    """Whatever has become of the memory since; nothing is done again."""
    memory = stored_memory(world, "The user keeps bees.")
    first = body(action="save")
    given = post(world, memory.id, first)
    world.clock.advance(hours=1)
    give_feedback(world, memory.id, "unsave", 1)
    correct(world, memory.id, 1)
    rows = world.rows()
    again = post(world, memory.id, first | {"idempotency_key": first["idempotency_key"].upper()})
    assert (again.status, again.body) == (200, given.body)
    assert world.rows() == rows


@pytest.mark.parametrize(
    "other", [{"action": "save"}, {"expected_revision": 2}, {"action": "correct"}], ids=str
)
def test_the_same_key_with_another_body_is_422(world: World, other: dict[str, Any]) -> None:
    """Also for another memory."""
    memory, second = (
        stored_memory(world, "The user keeps bees."),
        stored_memory(world, "The user rows."),
    )
    first = body()
    post(world, memory.id, first)
    rows = world.rows()
    sent = (
        first
        | other
        | ({"content": correction_content()} if other.get("action") == "correct" else {})
    )
    assert_problem(post(world, memory.id, sent), 422, "IDEMPOTENCY_KEY_REUSED")
    assert_problem(post(world, second.id, first), 422, "IDEMPOTENCY_KEY_REUSED")
    assert world.rows() == rows


def test_a_key_of_a_message_is_another_key(world: World) -> None:
    """A message and a verdict may have the same one; so may two accounts."""
    memory = stored_memory(world, "The user keeps bees.")
    sent = body()
    session_id = world.session()
    said = world.call(
        "POST",
        f"/v1/sessions/{session_id}/messages",
        {"content": "hello"},
        headers={"Idempotency-Key": sent["idempotency_key"]},
    )
    assert said.status == 201
    assert post(world, memory.id, sent).status == 200


def test_a_refused_verdict_doesnt_take_its_key(world: World) -> None:
    """It may be given with the same key on the revision that is current."""
    memory = stored_memory(world, "The user keeps bees.")
    sent = body(expected_revision=2)
    assert post(world, memory.id, sent).status == 409
    assert post(world, memory.id, sent | {"expected_revision": 1}).status == 200


def test_what_is_kept_under_a_key_holds_no_words(world: World) -> None:
    """Words don't outlive the deletion of what they were about."""
    memory = stored_memory(world, "The user keeps bees.")
    correct(world, memory.id, 1, text="The user keeps wasps.", title="Wasps", labels=["vespa"])
    [record] = [row for row in world.rows() if row["sk"].startswith("ONCE#")]
    assert not [word for word in ("wasps", "Wasps", "vespa", "bees") if word in str(record)]
    world.call("DELETE", f"/v1/memories/{memory.id}")
    invariants.hold(world, removed=["wasps", "Wasps", "vespa"])


def test_events_name_what_changed_and_tell_no_text(world: World) -> None:
    """One for each change, none for a verdict that changes nothing."""
    memory = stored_memory(world, "The user keeps bees.")
    before = events(world)
    for action in ("save", "save", "dismiss", "undismiss", "reject", "confirm", "unreview"):
        give_feedback(world, memory.id, action, 1)
    correct(world, memory.id, 1, title="Wasps", text="The user keeps wasps.", labels=[], topic="")
    updated, name = "memory.updated", memory.id
    assert events_after(world, before) == [
        (updated, name, 1, ("saved",)),
        (updated, name, 1, ("dismissed",)),
        (updated, name, 1, ("dismissed",)),
        (updated, name, 1, ("review",)),
        (updated, name, 1, ("review",)),
        (updated, name, 1, ("review",)),
        (updated, name, 2, ("title", "text", "importance", "author", "references")),
    ]
    told = str(world.call("GET", "/v1/events?limit=100").body)
    assert "wasps" not in told
    assert "bees" not in told


def test_each_judgment_stays_beside_the_revision_it_was_given_on(world: World) -> None:
    """A later one of another revision leaves it; one that was taken back says so."""
    memory = stored_memory(world, "The user keeps bees.")

    def kept() -> dict[str, str]:
        rows = world.rows()
        return {r["sk"]: r["review"] for r in rows if r["sk"].startswith("REVIEW#")}

    give_feedback(world, memory.id, "reject", 1)
    correct(world, memory.id, 1)
    assert kept() == {"REVIEW#000001": "rejected"}
    give_feedback(world, memory.id, "confirm", 2)
    assert kept() == {"REVIEW#000001": "rejected", "REVIEW#000002": "confirmed"}
    give_feedback(world, memory.id, "unreview", 2)
    assert kept() == {"REVIEW#000001": "rejected", "REVIEW#000002": "unreviewed"}


def test_a_judgment_outlives_more_evidence_for_the_same_words(world: World) -> None:
    """It holds for the next revision too, and given anew it is kept beside that."""
    session_id = world.session()
    tea = found("The user loves tea.", "I love tea")
    world.learn(session_id, "I love tea.", tea)
    [memory] = world.memories()
    give_feedback(world, memory["id"], "confirm", 1)
    give_feedback(world, memory["id"], "save", 1)
    world.learn(world.session(), "Yes, I love tea!", found("The user loves tea.", "I love tea"))
    [memory] = world.memories()
    assert (memory["revision"], memory["review"], memory["saved"]) == (2, "confirmed", True)
    assert give_feedback(world, memory["id"], "confirm", 2)["changed"] == ["review"]
    reviews = [row["sk"] for row in world.rows() if row["sk"].startswith("REVIEW#")]
    assert reviews == ["REVIEW#000001", "REVIEW#000002"]
    invariants.hold(world)


def test_only_content_moves_updated_at(world: World) -> None:
    """Saving, dismissing and judging leave it; a correction is new content."""
    memory = stored_memory(world, "The user keeps bees.")
    world.clock.advance(days=1)
    for action in ("save", "dismiss", "reject", "confirm"):
        give_feedback(world, memory.id, action, 1)
    assert head(world, memory).memory == memory
    correct(world, memory.id, 1)
    assert head(world, memory).memory.updated_at == world.clock()
