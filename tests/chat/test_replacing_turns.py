"""A turn's transcript is replaced: the new words stand, the earlier ones stay as evidence."""

import json
from typing import Any

import pytest

from strandline.errors import ModelUnavailable
from strandline.models.memory import Reference
from strandline.models.memory_head import Head
from strandline.store.memories import memory_heads
from tests.support import invariants
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found
from tests.support.feedback_requests import claims
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
MISSING = "trn_01ARZ3NDEKTSV4RRFFQ69G5FAV_00000001"


def replace(world: World, turn_id: str, content: str, **more: Any) -> Reply:
    headers = more.pop("headers", None)
    path = f"/v1/turns/{turn_id}/replacement"
    return world.call("POST", path, {"content": content, **more}, headers=headers)


@pytest.fixture
def said(world: World) -> dict[str, Any]:
    """An exchange that taught where the user lives."""
    answer = world.learn(world.session(), "I live in Oslo, you know.", OSLO)
    turn: dict[str, Any] = answer["user_turn"]
    return turn


def head(world: World, memory_id: str) -> Head:
    found_ = memory_heads.find(world.runtime.table, "ada", memory_id)
    assert isinstance(found_, Head)
    return found_


def test_a_replaced_turn_keeps_its_place_and_counts_its_versions(
    world: World, said: dict[str, Any]
) -> None:
    """The same id, number and time; from then on every read shows the new words."""
    world.clock.advance(minutes=5)
    answer = replace(world, said["id"], "I live in Bergen, you know.")
    assert answer.status == 201
    assert answer.body == said | {
        "content": "I live in Bergen, you know.",
        "version": 2,
        "replaced_at": "2026-09-20T12:05:00.000000Z",
    }
    assert world.call("GET", f"/v1/turns/{said['id']}").body == answer.body
    listed = world.call("GET", f"/v1/sessions/{said['session_id']}/turns")["items"]
    assert listed[0] == answer.body
    world.say(said["session_id"], "Where do I live?")
    assert "Bergen" in world.chat.text(-1)
    assert "Oslo" not in world.chat.text(-1)


def test_what_cites_the_earlier_words_is_stale_at_once(world: World, said: dict[str, Any]) -> None:
    """It and what refers to it leave lists and recall; what it was merely recalled for doesn't."""
    [memory] = world.memories()
    other = world.say(world.session(), "Tea, please.")["user_turn"]["id"]
    pinned = Reference(memory_id=memory["id"], revision=1)
    near = make_memory(world, "near", "What is near Oslo.", other)
    near = near.model_copy(update={"references": (pinned,)})
    aside = make_memory(world, "aside", "What is aside.", other)
    store_memories(world, near, aside)
    world.say(world.session(), "Where do I live?")
    replace(world, said["id"], "I live in Bergen, you know.")
    assert [each["title"] for each in world.memories()] == ["aside"]
    read = world.call("GET", f"/v1/memories/{memory['id']}").body
    assert (read["freshness"], read["text"]) == ("stale", "The user lives in Oslo.")
    assert head(world, near.id).status.stale_since is not None
    assert head(world, aside.id).status.stale_since is None
    found_ = world.call("GET", "/v1/recall?q=Oslo&limit=10")["items"]
    assert [hit["title"] for hit in found_] == []
    invariants.hold(world)


def test_the_earlier_words_stay_as_evidence(world: World, said: dict[str, Any]) -> None:
    """The memory's source is superseded, its quote still what was said then."""
    [memory] = world.memories()
    replace(world, said["id"], "I live in Bergen, you know.")
    path = f"/v1/debug/memories/{memory['id']}/evidence"
    [item] = world.call("GET", path, account=claims())["items"]
    assert item["source"] == {"state": "superseded"}
    assert [each["text"] for each in item["citations"]] == ["I live in Oslo"]
    assert (item["turn_id"], item["turn_version"]) == (said["id"], 1)
    read = world.call("GET", f"/v1/memories/{memory['id']}").body
    assert [each["quote"] for each in read["evidence"]] == ["I live in Oslo"]


def test_earlier_prompts_are_rebuilt_from_the_words_they_held(world: World) -> None:
    """A receipt's prompt still is, by its hash, the one that was sent; of each version's time."""
    session_id = world.session()
    first = world.say(session_id, "My boat is red.")
    second = world.say(session_id, "Which colour is it?")
    replace(world, first["user_turn"]["id"], "My boat is green.")
    third = world.say(session_id, "And now?")
    replace(world, first["user_turn"]["id"], "My boat is blue.")
    replace(world, third["user_turn"]["id"], "And today?")
    for answer, colour in ((first, "red"), (second, "red"), (third, "green")):
        receipt = world.call("GET", f"/v1/turns/{answer['assistant_turn']['id']}/receipt")
        assert receipt["prompt_matches"] is True
        assert f"My boat is {colour}." in receipt["prompt"]


def test_the_same_words_make_no_version(world: World, said: dict[str, Any]) -> None:
    """Nothing becomes stale by them."""
    before = len(world.rows())
    assert replace(world, said["id"], said["content"]).body == said
    assert len(world.rows()) == before


def test_a_version_that_is_not_expected_conflicts(world: World, said: dict[str, Any]) -> None:
    """409 with the version there is; the one there is goes through."""
    replace(world, said["id"], "Second.", expected_version=1)
    refused = replace(world, said["id"], "Third.", expected_version=1)
    assert (refused.status, refused["code"], refused["current_version"]) == (409, "CONFLICT", 2)
    assert replace(world, said["id"], "Third.", expected_version=2)["version"] == 3


def test_a_replacement_sent_twice_is_made_once(world: World, said: dict[str, Any]) -> None:
    """The same key and body: the version it made then; another body: 422."""
    key = {"Idempotency-Key": "again"}
    first = replace(world, said["id"], "Second.", headers=key)
    replace(world, said["id"], "Third.")
    assert replace(world, said["id"], "Second.", headers=key).body == first.body
    other = replace(world, said["id"], "Fourth.", headers=key)
    assert (other.status, other["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert world.call("GET", f"/v1/turns/{said['id']}")["content"] == "Third."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"content": "  "}, 400),
        ({"content": 7}, 400),
        ({}, 400),
        ({"content": "x" * 100_001}, 413),
        ({"content": "x", "expected_version": 0}, 400),
        ({"content": "x", "expected_version": "1"}, 400),
    ],
    ids=["blank", "a number", "nothing", "too long", "version 0", "a version as text"],
)
def test_content_is_held_to_what_a_message_is(
    world: World, said: dict[str, Any], body: dict[str, Any], status: int
) -> None:
    """And of a turn that isn't there nothing is said but that."""
    path = f"/v1/turns/{said['id']}/replacement"
    assert world.call("POST", path, body).status == status
    foreign = world.call("POST", path, body, account="bob")
    missing = world.call("POST", f"/v1/turns/{MISSING}/replacement", body)
    assert (foreign.status, missing.status) == (404, 404)
    assert world.call("GET", f"/v1/turns/{said['id']}")["version"] == 1


def test_a_question_that_is_being_answered_is_left_alone(world: World) -> None:
    """409 with Retry-After; it could be replaced under the model's hands."""
    session_id = world.session()
    seen: list[Reply] = []

    def meanwhile(_: Any) -> str:
        [turn] = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
        seen.append(replace(world, turn["id"], "Something else."))
        return "Understood."

    world.chat.will(meanwhile)
    world.say(session_id, "Wait for it.")
    assert (seen[0].status, seen[0]["code"]) == (409, "REQUEST_IN_PROGRESS")
    assert "retry-after" in seen[0].headers


def test_an_answer_can_be_replaced_too(world: World, said: dict[str, Any]) -> None:
    """Whoever spoke: it is the transcript that was wrong."""
    answer_id = said["id"][:-8] + "00000002"
    assert replace(world, answer_id, "Noted.")["role"] == "assistant"
    jobs = [row for row in world.rows() if row.get("kind") == "reconciliation"]
    assert [int(job["sequence_number"]) for job in jobs if "state" in job] == [1]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_replacement_killed_anywhere_happens_whole_or_not_at_all(
    world: World, said: dict[str, Any], after: bool
) -> None:
    """Once the words are there, the job that reads them again is as well."""
    start = world.rows()
    client = CrashingClient(world.client, at=0, after=False)
    world.go_through(client)
    replace(world, said["id"], "I live in Bergen, you know.")
    for number in range(1, client.writes + 1):
        world.go_through(world.client)
        world.put_back(start)
        world.go_through(CrashingClient(world.client, at=number, after=after))
        with pytest.raises(Crashed):
            replace(world, said["id"], "I live in Bergen, you know.")
        world.go_through(world.client)
        version = world.call("GET", f"/v1/turns/{said['id']}")["version"]
        jobs = [row for row in world.rows() if row.get("kind") == "reconciliation"]
        assert bool(jobs) is (version == 2)
        assert json.dumps(world.rows(), default=repr).count("Bergen, you") == version - 1
        invariants.hold(world)


def test_a_replacement_asked_for_again_is_finished(world: World, said: dict[str, Any]) -> None:
    """The first was interrupted once the words were there: by now the memory is stale, too."""
    [memory] = world.memories()
    world.go_through(CrashingClient(world.client, at=1, after=True))
    with pytest.raises(Crashed):
        replace(world, said["id"], "I live in Bergen, you know.")
    world.go_through(world.client)
    assert head(world, memory["id"]).status.stale_since is None
    assert replace(world, said["id"], "I live in Bergen, you know.")["version"] == 2
    assert head(world, memory["id"]).status.stale_since is not None
    assert world.waiting() == 1
    world.drain()
    after = world.rows()
    assert replace(world, said["id"], "I live in Bergen, you know.")["version"] == 2
    assert world.rows() == after


def test_a_key_stands_for_the_words_that_were_there_already(
    world: World, said: dict[str, Any]
) -> None:
    """Sent again after others were given, it doesn't bring them back."""
    key = {"Idempotency-Key": "as it is"}
    assert replace(world, said["id"], said["content"], headers=key).body == said
    replace(world, said["id"], "I live in Bergen, you know.")
    assert replace(world, said["id"], said["content"], headers=key).body == said
    assert world.call("GET", f"/v1/turns/{said['id']}")["version"] == 2


def test_an_unanswered_question_is_answered_as_it_was_replaced(world: World) -> None:
    """Nothing was learned from it, so there is nothing to read again."""
    world.chat.will(ModelUnavailable())
    session_id = world.session()
    failed = world.say(session_id, "Where is Oslo?")
    assert replace(world, failed["turn_id"], "Where is Bergen?").status == 201
    assert world.waiting() == 0
    answer = world.call("POST", f"/v1/turns/{failed['turn_id']}/reply")
    assert world.chat.text(-1) == "Where is Bergen?"
    assert (answer["user_turn"]["version"], answer["user_turn"]["status"]) == (2, "answered")
    receipt = world.call("GET", f"/v1/turns/{failed['turn_id']}/receipt")
    assert receipt["prompt_matches"] is True


def test_memories_of_a_replaced_turn_go_with_its_session(
    world: World, said: dict[str, Any]
) -> None:
    """Earlier versions are no less deleted than the last."""
    replace(world, said["id"], "I live in Bergen, you know.")
    world.call("DELETE", f"/v1/sessions/{said['session_id']}")
    rows = json.dumps(world.rows(), default=repr)
    assert "Oslo" not in rows
    assert "Bergen" not in rows
