"""A turn is deleted: its words go, with what rests on them alone; its place stays."""

import json
from contextlib import suppress
from typing import Any

import pytest

from strandline.deletion import deletion_requests
from tests.support import invariants
from tests.support.checkpoint_requests import commit, mount, new_space
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found
from tests.support.feedback_requests import claims
from tests.support.world import World

ZEBRA = found("The user keeps a zebra.", "I keep a zebra", topic="pet")
MISSING = "trn_01ARZ3NDEKTSV4RRFFQ69G5FAV_00000001"


@pytest.fixture
def said(world: World) -> dict[str, Any]:
    """An exchange that taught something, in a session with another one before it."""
    session_id = world.session()
    world.say(session_id, "Good morning.")
    world.drain()
    answer = world.learn(session_id, "I keep a zebra at home.", ZEBRA)
    turn: dict[str, Any] = answer["user_turn"]
    return turn


def delete(world: World, turn_id: str, account: str = "ada") -> int:
    return world.call("DELETE", f"/v1/turns/{turn_id}", account=account).status


def traces(world: World) -> str:
    return json.dumps(world.rows(), default=repr)


def test_a_deleted_turns_words_are_nowhere(world: World, said: dict[str, Any]) -> None:
    """Not in the table, nor in a list, a prompt, a memory, a job or an earlier version."""
    path = f"/v1/turns/{said['id']}"
    world.call("POST", f"{path}/notes", {"content": "A striped zebra."})
    world.call("POST", f"{path}/replacement", {"content": "I keep a zebra in the garden."})
    assert delete(world, said["id"]) == 204
    assert "zebra" not in traces(world)
    gone = world.call("GET", path)
    assert (gone.status, gone["code"]) == (410, "CONTENT_DELETED")
    assert gone["removed_at"] == "2026-09-20T12:00:00.000000Z"
    listed = world.call("GET", f"/v1/sessions/{said['session_id']}/turns")["items"]
    assert [turn["sequence_number"] for turn in listed] == [1, 2, 4]
    world.say(said["session_id"], "What do I keep?")
    assert "zebra" not in world.chat.text(-1)
    assert "Good morning." in world.chat.text(-1)
    assert world.memories() == []
    invariants.hold(world)


def test_a_memory_of_a_deleted_turn_reads_as_deleted(world: World, said: dict[str, Any]) -> None:
    """Its history, references and evidence as well."""
    [memory] = world.memories()
    delete(world, said["id"])
    for what in ("", "/revisions", "/references", "/referenced_by", "/evidence"):
        path = f"/v1/debug/memories/{memory['id']}{what}"
        answer = world.call("GET", path, account=claims())
        assert (answer.status, answer["code"]) == (410, "CONTENT_DELETED"), what


def test_a_memory_of_two_turns_keeps_the_other(world: World, said: dict[str, Any]) -> None:
    """As a new revision without the deleted source; its history went with that."""
    world.clock.advance(minutes=1)
    again = world.learn(world.session(), "I keep a zebra, as you know.", ZEBRA)["user_turn"]
    delete(world, said["id"])
    [memory] = world.memories()
    assert [each["turn_id"] for each in memory["evidence"]] == [again["id"]]
    path = f"/v1/debug/memories/{memory['id']}/revisions"
    assert [r["revision"] for r in world.call("GET", path, account=claims())["items"]] == [3]
    invariants.hold(world)


def test_deleting_again_is_fine(world: World, said: dict[str, Any]) -> None:
    """And what is missing or another's is missing."""
    assert [delete(world, said["id"]) for _ in range(2)] == [204, 204]
    assert delete(world, said["id"], "bob") == 404
    assert delete(world, MISSING) == 404


def test_an_answer_whose_question_is_deleted_says_so(world: World, said: dict[str, Any]) -> None:
    """Its receipt shows the question as removed; neither a reply nor a replay brings it back."""
    answer_id = said["id"][:-8] + "00000004"
    delete(world, said["id"])
    receipt = world.call("GET", f"/v1/turns/{answer_id}/receipt").body
    assert receipt["prompt_matches"] is False
    assert "zebra" not in receipt["prompt"]
    for method, what in (("POST", "/reply"), ("GET", "/receipt"), ("GET", "/notes")):
        assert world.call(method, f"/v1/turns/{said['id']}{what}").status == 410
    replaced = world.call("POST", f"/v1/turns/{said['id']}/replacement", {"content": "A dog."})
    assert replaced.status == 410


def test_a_message_sent_again_whose_turn_is_deleted_is_gone(world: World) -> None:
    """The key still stands for the deleted turn: it isn't said a second time."""
    session_id = world.session()
    key = {"Idempotency-Key": "once"}
    path = f"/v1/sessions/{session_id}/messages"
    said = world.call("POST", path, {"content": "I keep a zebra."}, headers=key)
    delete(world, said["user_turn"]["id"])
    again = world.call("POST", path, {"content": "I keep a zebra."}, headers=key)
    assert (again.status, again["code"]) == (410, "CONTENT_DELETED")
    assert "zebra" not in traces(world)


def test_a_job_that_comes_late_teaches_nothing_of_a_deleted_turn(world: World) -> None:
    """It was waiting in the queue: it ends without asking a model."""
    world.background.will(json.dumps({"memories": [ZEBRA]}))
    answer = world.say(world.session(), "I keep a zebra at home.")
    delete(world, answer["user_turn"]["id"])
    asked = len(world.background.prompts)
    world.drain()
    assert world.job(answer["extraction"]["job_id"])["state"] == "cancelled"
    assert len(world.background.prompts) == asked
    assert world.memories() == []


@pytest.mark.parametrize("what", ["question", "answer", "session"])
def test_what_a_reconciliation_dropped_goes_as_well(
    world: World, said: dict[str, Any], what: str
) -> None:
    """Its result quotes the exchange, whichever of the two turns was replaced or is deleted."""
    answer_id = said["id"][:-8] + "00000004"
    unsaid = found("The user keeps a giraffe.", "I keep a giraffe")
    for turn_id, content in ((said["id"], "I keep a zebra here."), (answer_id, "Noted.")):
        world.background.will(json.dumps({"memories": [unsaid]}))
        world.call("POST", f"/v1/turns/{turn_id}/replacement", {"content": content})
        world.drain()
    assert traces(world).count("giraffe") == 2
    whole = f"/v1/sessions/{said['session_id']}"
    paths = {"question": f"/v1/turns/{said['id']}", "answer": f"/v1/turns/{answer_id}"}
    assert world.call("DELETE", paths.get(what, whole)).status == 204
    assert "giraffe" not in traces(world)


def test_a_question_deleted_while_it_is_answered_stays_deleted(world: World) -> None:
    """410: the answer to it isn't stored, nor is anything learned from it."""
    session_id = world.session()

    def meanwhile(_: Any) -> str:
        [turn] = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
        assert delete(world, turn["id"]) == 204
        return "A zebra it is."

    world.chat.will(meanwhile)
    answer = world.say(session_id, "I keep a zebra at home.")
    assert (answer.status, answer["code"]) == (410, "CONTENT_DELETED")
    assert world.call("GET", f"/v1/sessions/{session_id}/turns")["items"] == []
    assert "zebra" not in traces(world)
    assert world.waiting() == 0
    assert world.say(session_id, "And now?")["user_turn"]["sequence_number"] == 3


def test_a_draft_and_a_boundary_keep_their_numbers(world: World) -> None:
    """A deleted turn leaves its place: the window after a checkpoint begins where it did."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    turns = [world.say(session_id, content) for content in ("One.", "A zebra.", "Three.")]
    made = commit(world, space_id, session_id=session_id, to_sequence=2)
    assert mount(world, session_id, made["id"])["mount"]["history_base_seq"] == 6
    for index in (0, 1):
        delete(world, turns[index]["user_turn"]["id"])
    covered = world.call("GET", f"/v1/checkpoints/{made['id']}/turns")["items"]
    assert [turn["sequence_number"] for turn in covered] == [2]
    world.say(session_id, "Seven.")
    assert world.chat.text(-1).count("Three.") == 0
    world.call("DELETE", f"/v1/sessions/{session_id}/mount")
    world.background.default = json.dumps({"title": "Trip", "decisions": [], "tasks": []})
    draft = world.call("POST", "/v1/checkpoints/draft", {"session_id": session_id})
    assert (draft["from_sequence"], draft["to_sequence"]) == (4, 8)
    seen = json.loads(world.background.prompts[-1][-1].content)["turns"]
    assert "A zebra." not in json.dumps(seen)
    assert "Three." in json.dumps(seen)


def test_a_deletion_asked_for_again_is_finished(world: World, said: dict[str, Any]) -> None:
    """The first was interrupted right after it was accepted."""
    world.go_through(CrashingClient(world.client, at=2, after=False))
    with pytest.raises(Crashed):
        deletion_requests.delete_turn(world.runtime, "ada", said["id"])
    world.go_through(world.client)
    assert "zebra" in traces(world)
    assert delete(world, said["id"]) == 204
    assert "zebra" not in traces(world)
    invariants.hold(world)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_deletion_killed_anywhere_is_finished(
    world: World, said: dict[str, Any], after: bool
) -> None:
    """Accepted, it ends without a trace of the words, whichever write the process ended at."""
    start = world.rows()
    client = CrashingClient(world.client, at=0, after=False)
    world.go_through(client)
    deletion_requests.delete_turn(world.runtime, "ada", said["id"])
    for number in range(1, client.writes + 1):
        world.go_through(world.client)
        world.put_back(start)
        world.go_through(CrashingClient(world.client, at=number, after=after))
        # A write that is refused ends nothing after it.
        with suppress(Crashed):
            deletion_requests.delete_turn(world.runtime, "ada", said["id"])
        world.go_through(world.client)
        world.clock.advance(minutes=2)
        world.maintain()
        accepted = world.call("GET", f"/v1/turns/{said['id']}").status == 410
        assert accepted is ((number, after) != (1, False))
        assert ("zebra" in traces(world)) is not accepted
        invariants.hold(world)
