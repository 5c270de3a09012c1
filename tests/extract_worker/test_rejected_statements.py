"""What the user rejected or decided isn't learned away: said anew it is learned beside it."""

import json
from typing import Any

import pytest

from tests.support import invariants
from tests.support.extraction_replies import found
from tests.support.feedback_requests import correct, give_feedback
from tests.support.world import World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
TOWN = found("The user lives in Oslo city.", "I do live in Oslo city", topic="home city")
BERGEN = found("The user lives in Bergen.", "I live in Bergen", topic="home city")
TEA = found("The user likes tea.", "I like tea", topic="tea")


def learn(world: World, content: str, *memories: dict[str, Any]) -> Any:
    """The exchange, once it was learned from."""
    world.clock.advance(minutes=1)
    return world.learn(world.session(), content, *memories)


def reasons(world: World, answer: Any) -> list[str]:
    job = world.job(answer["extraction"]["job_id"])
    return [each["reason"] for each in job["result"]["dropped"]]


def every(world: World) -> dict[str, Any]:
    path = "/v1/memories?review=any&state=any&freshness=any&dismissed=any&limit=100"
    return {memory["id"]: memory for memory in world.call("GET", path)["items"]}


@pytest.fixture
def rejected(world: World) -> dict[str, Any]:
    """A rejected memory, and the exchange it was learned in."""
    answer = learn(world, "I live in Oslo.", OSLO)
    [memory] = world.memories()
    world.clock.advance(minutes=1)
    assert give_feedback(world, memory["id"], "reject", 1).status == 200
    return {"id": memory["id"], "answer": answer}


def test_redelivery_teaches_nothing_that_was_rejected(world: World, rejected: Any) -> None:
    """Nor is a model asked: the job has ended."""
    job_id = rejected["answer"]["extraction"]["job_id"]
    assert world.deliver({"account": "ada", "job_id": job_id}) == []
    assert list(every(world)) == [rejected["id"]]
    assert every(world)[rejected["id"]]["revision"] == 1
    invariants.hold(world)


@pytest.mark.parametrize(
    ("content", "memory"),
    [("Well, I live in Oslo.", OSLO), ("I do live in Oslo city.", TOWN)],
    ids=["the same words", "other words"],
)
def test_a_replaced_turn_teaches_nothing_that_was_rejected_from_it(
    world: World, rejected: Any, content: str, memory: dict[str, Any]
) -> None:
    """The same in the same words or in other ones: it was said then, not anew."""
    world.clock.advance(minutes=1)
    world.background.will(json.dumps({"memories": [memory]}))
    path = f"/v1/turns/{rejected['answer']['user_turn']['id']}/replacement"
    world.call("POST", path, {"content": content})
    world.drain()
    assert list(every(world)) == [rejected["id"]]
    [job] = [r for r in world.rows() if r.get("kind") == "reconciliation" and "state" in r]
    dropped = world.job(job["id"])["result"]["dropped"]
    assert dropped == [{"text": "", "reason": "rejected: the user said that this is wrong"}]
    invariants.hold(world)


def test_a_replaced_turn_teaches_what_is_another_statement(world: World, rejected: Any) -> None:
    """Another city is what the user means to say instead."""
    world.background.will(json.dumps({"memories": [BERGEN]}))
    path = f"/v1/turns/{rejected['answer']['user_turn']['id']}/replacement"
    world.call("POST", path, {"content": "I live in Bergen."})
    world.drain()
    assert [m["text"] for m in world.memories()] == ["The user lives in Bergen."]


def test_an_import_teaches_nothing_that_was_rejected(world: World, rejected: Any) -> None:
    """A transcript without times isn't the user saying it anew; the rest of it is learned."""
    messages = [
        {"role": "user", "content": "I live in Oslo and I like tea."},
        {"role": "assistant", "content": "Good."},
    ]
    world.background.will(json.dumps({"memories": [OSLO, TEA]}))
    body = {"messages": messages, "extract": True}
    assert world.call("POST", "/v1/sessions:import", body).status == 201
    for _ in range(3):
        world.drain()
    assert [memory["text"] for memory in world.memories()] == ["The user likes tea."]
    assert rejected["id"] in every(world)


def test_what_the_user_says_anew_is_learned_with_a_reference(world: World, rejected: Any) -> None:
    """In a later turn: a memory of its own, which names the revision that was rejected."""
    learn(world, "I live in Oslo.", OSLO)
    [memory] = world.memories()
    assert memory["id"] != rejected["id"]
    assert memory["references"] == [{"memory_id": rejected["id"], "revision": 1}]
    assert every(world)[rejected["id"]]["review"] == "rejected"
    assert world.call("GET", "/v1/recall?q=Oslo")["items"][0]["memory_id"] == memory["id"]
    invariants.hold(world)


def test_taking_a_rejection_back_lets_it_be_learned(world: World, rejected: Any) -> None:
    """The same statement again is more evidence for it."""
    give_feedback(world, rejected["id"], "unreview", 1)
    learn(world, "I live in Oslo.", OSLO)
    [memory] = world.memories()
    assert (memory["id"], memory["revision"], len(memory["evidence"])) == (rejected["id"], 2, 2)
    invariants.hold(world)


def test_a_dismissed_memory_is_not_held_twice(world: World) -> None:
    """Said again it has more evidence, and stays dismissed."""
    learn(world, "I like tea.", TEA)
    [memory] = world.memories()
    give_feedback(world, memory["id"], "dismiss", 1)
    learn(world, "I like tea, by the way.", TEA)
    [only] = every(world).values()
    assert (only["id"], len(only["evidence"]), only["dismissed"]) == (memory["id"], 2, True)
    invariants.hold(world)


@pytest.mark.parametrize("guard", ["confirm", "correct"])
def test_a_model_only_flags_what_the_user_decided(world: World, guard: str) -> None:
    """Both are there, one is current; the same again is the same challenge, not another one."""
    learn(world, "I live in Oslo.", OSLO)
    [memory] = world.memories()
    if guard == "confirm":
        give_feedback(world, memory["id"], "confirm", 1)
    else:
        correct(world, memory["id"], 1, text="The user lives in Oslo.", topic="home city")
    revision = every(world)[memory["id"]]["revision"]
    for content in ("I live in Bergen.", "Really, I live in Bergen."):
        learn(world, content, BERGEN)
        both = every(world)
        assert len(both) == 2
        kept = both.pop(memory["id"])
        [other] = both.values()
        assert (kept["text"], kept["revision"]) == ("The user lives in Oslo.", revision)
        assert kept["flags"] == ["challenged"]
        assert other["challenges"] == {"memory_id": memory["id"], "revision": revision}
        assert other["maturity"] == "provisional"
        shown = world.call("GET", "/v1/recall?q=user+lives+in&limit=9")["items"]
        assert [hit["memory_id"] for hit in shown] == [memory["id"]]
        invariants.hold(world)
    assert len(other["evidence"]) == 2
    give_feedback(world, other["id"], "confirm", other["revision"])
    shown = world.call("GET", "/v1/recall?q=user+lives+in&limit=9")["items"]
    assert [hit["memory_id"] for hit in shown] == [other["id"]]
    invariants.hold(world)


def test_the_guarded_words_said_again_are_more_evidence(world: World) -> None:
    """A confirmation outlives it: the words are the same."""
    learn(world, "I live in Oslo.", OSLO)
    [memory] = world.memories()
    give_feedback(world, memory["id"], "confirm", 1)
    learn(world, "As I said, I live in Oslo.", OSLO)
    [only] = every(world).values()
    assert (only["revision"], only["review"], len(only["evidence"])) == (2, "confirmed", 2)
    invariants.hold(world)


def test_corrected_words_do_not_come_back_from_the_turn_they_came_from(world: World) -> None:
    """Redelivered or read again: the user has said what it should have been."""
    answer = learn(world, "I live in Oslo.", OSLO)
    [memory] = world.memories()
    world.clock.advance(minutes=1)
    correct(world, memory["id"], 1)
    world.background.will(json.dumps({"memories": [OSLO]}))
    path = f"/v1/turns/{answer['user_turn']['id']}/replacement"
    world.call("POST", path, {"content": "So I live in Oslo."})
    world.drain()
    [only] = every(world).values()
    assert (only["id"], only["text"], only["author"]) == (
        memory["id"],
        "The user lives in Bergen.",
        "user",
    )
    invariants.hold(world)
