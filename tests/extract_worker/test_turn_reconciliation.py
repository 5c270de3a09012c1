"""A turn was replaced or a memory corrected: what rests on it is brought up to date."""

import json
from typing import Any

import pytest

from strandline.models.memory import Memory, Reference
from tests.support import invariants
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found
from tests.support.feedback_requests import claims, correct, give_feedback, head
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
BERGEN = found("The user lives in Bergen.", "I live in Bergen", topic="home city")
HOME = found("The user lives in the city of Oslo.", "I do live in Oslo", topic="home city")
NUTS = found("The user is allergic to nuts.", "I'm allergic to nuts", topic="allergy")


def learn(world: World, content: str, *memories: dict[str, Any]) -> dict[str, Any]:
    """The question's turn, and what was learned from it."""
    turn: dict[str, Any] = world.learn(world.session(), content, *memories)["user_turn"]
    return turn


def replace(world: World, turn: dict[str, Any], content: str, *memories: dict[str, Any]) -> None:
    """Replace a turn, and let the job read it again."""
    world.background.will(json.dumps({"memories": list(memories)}))
    path = f"/v1/turns/{turn['id']}/replacement"
    assert world.call("POST", path, {"content": content}).status == 201
    drain(world)


def drain(world: World) -> None:
    """All jobs, also those that jobs have made."""
    for _ in range(4):
        assert world.drain() == []


def read(world: World, memory_id: str) -> Any:
    return world.call("GET", f"/v1/memories/{memory_id}").body


def only(world: World) -> Any:
    [memory] = world.memories()
    return memory


def test_what_the_new_words_change_is_revised(world: World) -> None:
    """The next revision has the new words and their source; the old one is history."""
    turn = learn(world, "I live in Oslo, you know.", OSLO)
    before = only(world)
    replace(world, turn, "I live in Bergen, you know.", BERGEN)
    after = only(world)
    assert (after["id"], after["revision"]) == (before["id"], 2)
    assert (after["text"], after["freshness"]) == ("The user lives in Bergen.", "current")
    assert [(e["turn_version"], e["quote"]) for e in after["evidence"]] == [(2, "I live in Bergen")]
    assert after["references"] == [{"memory_id": before["id"], "revision": 1}]
    path = f"/v1/debug/memories/{before['id']}/revisions/1"
    assert world.call("GET", path, account=claims())["text"] == "The user lives in Oslo."
    invariants.hold(world)


def test_what_the_new_words_say_as_well_rests_on_them(world: World) -> None:
    """The same text, a new revision, and no longer the words that were replaced."""
    turn = learn(world, "I live in Oslo.", OSLO)
    replace(world, turn, "Well, I live in Oslo.", OSLO)
    memory = only(world)
    assert (memory["revision"], memory["text"]) == (2, "The user lives in Oslo.")
    assert [(e["turn_version"], e["quote"]) for e in memory["evidence"]] == [(2, "I live in Oslo")]
    assert world.call("GET", "/v1/recall?q=Oslo")["items"][0]["memory_id"] == memory["id"]
    invariants.hold(world)


def test_what_nothing_supports_any_more_is_retracted(world: World) -> None:
    """Its words can still be read by its id; no list and no prompt shows them."""
    turn = learn(world, "I live in Oslo.", OSLO)
    before = only(world)
    replace(world, turn, "Never mind.")
    assert world.memories() == []
    after = read(world, before["id"])
    assert (after["state"], after["freshness"], after["text"]) == (
        "retracted",
        "current",
        before["text"],
    )
    assert world.call("GET", "/v1/recall?q=Oslo")["items"] == []
    assert [m["id"] for m in world.call("GET", "/v1/memories?state=retracted")["items"]] == [
        before["id"]
    ]
    invariants.hold(world)
    learn(world, "I live in Oslo after all.", OSLO)
    assert (only(world)["id"], only(world)["state"]) == (before["id"], "active")
    invariants.hold(world)


def test_what_another_turn_supports_stays(world: World) -> None:
    """A revision without the replaced source, with the very same words."""
    turn = learn(world, "I live in Oslo.", OSLO)
    world.clock.advance(minutes=1)
    other = learn(world, "As I said, I live in Oslo.", OSLO)
    replace(world, turn, "Never mind.")
    memory = only(world)
    assert (memory["text"], memory["freshness"]) == ("The user lives in Oslo.", "current")
    assert [e["turn_id"] for e in memory["evidence"]] == [other["id"]]
    invariants.hold(world)


def test_new_words_teach_new_facts(world: World) -> None:
    """What was never said before is learned; the rest stays as it is."""
    turn = learn(world, "I live in Oslo.", OSLO)
    replace(world, turn, "I live in Oslo and I'm allergic to nuts.", OSLO, NUTS)
    assert {m["text"] for m in world.memories()} == {
        "The user lives in Oslo.",
        "The user is allergic to nuts.",
    }
    invariants.hold(world)


@pytest.mark.parametrize("guard", ["confirm", "correct"])
def test_what_the_user_decided_keeps_its_words(world: World, guard: str) -> None:
    """It is flagged, and current again; what the new words say waits for the user."""
    turn = learn(world, "I live in Oslo.", OSLO)
    memory_id = only(world)["id"]
    if guard == "confirm":
        give_feedback(world, memory_id, "confirm", 1)
    else:
        correct(world, memory_id, 1, text="The user lives in Oslo.", topic="home city")
    replace(world, turn, "I live in Bergen.", BERGEN)
    memory = read(world, memory_id)
    assert (memory["text"], memory["freshness"]) == ("The user lives in Oslo.", "current")
    assert set(memory["flags"]) == {"source_replaced", "challenged"}
    [other] = [m for m in world.memories() if m["id"] != memory_id]
    assert other["text"] == "The user lives in Bergen."
    assert other["challenges"]["memory_id"] == memory_id
    found_ = world.call("GET", "/v1/recall?q=user+lives+in&limit=9")["items"]
    assert [hit["memory_id"] for hit in found_] == [memory_id]
    invariants.hold(world)


def test_what_refers_to_a_corrected_memory_refers_to_what_it_says_now(world: World) -> None:
    """One after the other along the references; no model is asked."""
    turn = world.say(world.session(), "Some words.")["user_turn"]["id"]
    world.drain()
    memories: list[Memory] = []
    for name in ("target", "near", "far"):
        links = tuple(Reference(memory_id=m.id, revision=1) for m in memories[-1:])
        memory = make_memory(world, name, f"What {name} says.", turn)
        memories.append(memory.model_copy(update={"references": links}))
        store_memories(world, memories[-1])
    target, near, far = memories
    asked = len(world.background.prompts)
    correct(world, target.id, 1)
    assert read(world, near.id)["freshness"] == "stale"
    drain(world)
    assert len(world.background.prompts) == asked
    for memory, source in ((near, target), (far, near)):
        after = read(world, memory.id)
        assert (after["freshness"], after["revision"]) == ("current", 2)
        assert after["references"] == [{"memory_id": source.id, "revision": 2}]
        assert after["text"] == memory.text
    invariants.hold(world)


def test_what_keeps_replaced_words_follows_what_it_refers_to(world: World) -> None:
    """Flagged once, it doesn't wait for its own source any more."""
    turn = world.say(world.session(), "Near Oslo.")["user_turn"]
    world.drain()
    learn(world, "I live in Oslo.", OSLO)
    target = only(world)["id"]
    near = make_memory(world, "near", "What is near Oslo.", turn["id"]).model_copy(
        update={"references": (Reference(memory_id=target, revision=1),)}
    )
    store_memories(world, near)
    give_feedback(world, near.id, "confirm", 1)
    replace(world, turn, "Never mind.")
    assert read(world, near.id)["flags"] == ["source_replaced"]
    correct(world, target, 1)
    assert read(world, near.id)["freshness"] == "stale"
    drain(world)
    after = read(world, near.id)
    assert (after["freshness"], after["text"]) == ("current", "What is near Oslo.")
    assert after["references"] == [{"memory_id": target, "revision": 2}]
    assert (after["review"], after["flags"]) == ("confirmed", ["source_replaced"])
    invariants.hold(world)


def test_a_memory_that_extraction_revises_takes_along_what_refers_to_it(world: World) -> None:
    """Stale at once, and current again with a reference to the new revision."""
    learn(world, "I live in Oslo.", OSLO)
    target = head(world, only(world)["id"]).memory
    turn = world.say(world.session(), "Some words.")["user_turn"]["id"]
    near = make_memory(world, "near", "What near says.", turn).model_copy(
        update={"references": (Reference(memory_id=target.id, revision=1),)}
    )
    store_memories(world, near)
    drain(world)
    world.clock.advance(days=1)
    learn(
        world,
        "I live in Bergen now.",
        found("The user lives in Bergen.", "I live in Bergen", topic="home city"),
    )
    assert read(world, target.id)["revision"] == 2
    drain(world)
    after = read(world, near.id)
    assert after["references"] == [{"memory_id": target.id, "revision": 2}]
    assert after["freshness"] == "current"
    invariants.hold(world)


def test_a_turn_replaced_while_its_job_runs_is_read_again(world: World) -> None:
    """What the model was asked about first is never stored."""
    session_id = world.session()
    answer = world.say(session_id, "I live in Oslo.")
    path = f"/v1/turns/{answer['user_turn']['id']}/replacement"

    def meanwhile(_: Any) -> str:
        world.background.will(json.dumps({"memories": [BERGEN]}))
        assert world.call("POST", path, {"content": "I live in Bergen."}).status == 201
        return json.dumps({"memories": [OSLO]})

    world.background.will(meanwhile)
    drain(world)
    assert [m["text"] for m in world.memories()] == ["The user lives in Bergen."]
    assert {e["turn_version"] for e in only(world)["evidence"]} == {2}
    invariants.hold(world)


def test_a_turn_deleted_while_its_job_runs_teaches_nothing(world: World) -> None:
    """The job is cancelled, and no word of the turn is left."""
    answer = world.say(world.session(), "I live in Oslo.")

    def meanwhile(_: Any) -> str:
        turn_id = answer["user_turn"]["id"]
        assert world.call("DELETE", f"/v1/turns/{turn_id}").status == 204
        return json.dumps({"memories": [OSLO]})

    world.background.will(meanwhile)
    world.drain()
    assert world.memories() == []
    assert world.job(answer["extraction"]["job_id"])["state"] == "cancelled"
    assert "Oslo" not in json.dumps(world.rows(), default=repr)
    invariants.hold(world)


def test_the_job_says_what_it_did_and_is_done_once(world: World) -> None:
    """Its end state names what changed; delivered again, it asks no model."""
    turn = learn(world, "I live in Oslo.", OSLO)
    memory = only(world)
    replace(world, turn, "Never mind.")
    [job] = [r for r in world.rows() if r.get("kind") == "reconciliation" and "state" in r]
    shown = world.job(job["id"])
    assert (shown["state"], shown["result"]["stored"]) == ("stored", [memory["id"]])
    asked = len(world.background.prompts)
    assert world.deliver({"account": "ada", "job_id": job["id"]}) == []
    assert len(world.background.prompts) == asked
    assert read(world, memory["id"])["state"] == "retracted"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_reconciliation_killed_anywhere_ends_in_the_same_memories(
    world: World, after: bool
) -> None:
    """After its redelivery, whichever write the worker ended at."""
    turn = learn(world, "I live in Oslo and I'm allergic to nuts.", OSLO, NUTS)
    path = f"/v1/turns/{turn['id']}/replacement"
    world.call("POST", path, {"content": "I live in Bergen."})
    [job] = [r for r in world.rows() if r.get("kind") == "reconciliation" and "state" in r]
    message = {"account": "ada", "job_id": job["id"]}
    start = world.rows()
    client = CrashingClient(world.client, at=0, after=False)
    world.go_through(client)
    world.background.will(json.dumps({"memories": [BERGEN]}))
    world.deliver(message)
    whole = _memories(world)
    assert set(whole.values()) == {
        ("The user lives in Bergen.", "active"),
        ("The user is allergic to nuts.", "retracted"),
    }
    for number in range(1, client.writes + 1):
        world.go_through(world.client)
        world.put_back(start)
        world.go_through(CrashingClient(world.client, at=number, after=after))
        world.background.will(json.dumps({"memories": [BERGEN]}))
        try:
            world.deliver(message)
        except Crashed:
            world.clock.advance(minutes=3)
            world.background.will(json.dumps({"memories": [BERGEN]}))
            world.go_through(world.client)
            world.deliver(message)
        assert _memories(world) == whole, number
        invariants.hold(world)


def _memories(world: World) -> dict[str, tuple[str, str]]:
    shown = world.call("GET", "/v1/memories?state=any&freshness=any&limit=100")["items"]
    return {m["id"]: (m["text"], m["state"]) for m in shown}
