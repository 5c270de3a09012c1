"""An exchange is read again while its memories are out of sight: never both current, never none."""

from typing import Any

import numpy as np
import pytest

from strandline.errors import ModelUnavailable
from strandline.models.memory import Kind, Reference
from strandline.providers.base import Completion, Finish, Usage
from tests.support import invariants
from tests.support.extraction_replies import found, reply
from tests.support.feedback_requests import (
    correct,
    give_feedback,
    head,
    stored_challenger,
    stored_memory,
)
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World


def home(city: str, quote: str | None = None, text: str | None = None) -> dict[str, Any]:
    """The user lives in that city."""
    said = text or f"The user lives in {city}."
    return found(said, quote or f"I live in {city}", topic="home city")


def learn(world: World, content: str, *memories: dict[str, Any]) -> Any:
    """The exchange a minute later, once it was learned from."""
    world.clock.advance(minutes=1)
    return world.learn(world.session(), content, *memories)


def replace(world: World, turn: Any, content: str) -> None:
    path = f"/v1/turns/{turn['id']}/replacement"
    assert world.call("POST", path, {"content": content}).status == 201


def drain(world: World) -> None:
    for _ in range(4):
        assert world.drain() == []


def shown(world: World) -> set[str]:
    """The texts that are current."""
    return {memory["text"] for memory in world.memories()}


def read(world: World, memory_id: str) -> Any:
    return world.call("GET", f"/v1/memories/{memory_id}").body


def only(world: World) -> Any:
    [memory] = world.memories()
    return memory


def test_what_was_learned_meanwhile_is_newer_than_what_is_read_again(world: World) -> None:
    """A change that was said later and learned while the memory was stale is what holds."""
    first = learn(world, "I live in Oslo.", home("Oslo"))
    world.clock.advance(minutes=1)
    world.background.will(reply(home("Bergen")), reply(home("Oslo")))
    world.say(world.session(), "I live in Bergen.", recall="off")
    replace(world, first["user_turn"], "Well, I live in Oslo.")
    drain(world)
    assert shown(world) == {"The user lives in Bergen."}
    invariants.hold(world)


def test_what_other_evidence_supports_does_not_come_back_beside_a_change(world: World) -> None:
    """Two turns said it; one was replaced, and a later one has changed it meanwhile."""
    first = learn(world, "I live in Oslo.", home("Oslo"))
    learn(world, "Still, I live in Oslo.", home("Oslo"))
    world.clock.advance(minutes=1)
    world.background.will(reply(home("Bergen")), reply())
    world.say(world.session(), "I live in Bergen.", recall="off")
    replace(world, first["user_turn"], "Never mind.")
    drain(world)
    assert shown(world) == {"The user lives in Bergen."}
    invariants.hold(world)


def test_a_turn_read_again_does_not_overwrite_what_was_said_later(world: World) -> None:
    """Its own memory is retracted, and nearer to the new words than the one that holds."""
    first = learn(world, "I live in Oslo.", home("Oslo"))
    world.background.will(reply())
    replace(world, first["user_turn"], "Never mind.")
    drain(world)
    learn(world, "I live in Trondheim.", home("Trondheim"))
    world.background.will(reply(home("Oslo", "I live in Oslo by", "The user lives in Oslo by.")))
    replace(world, first["user_turn"], "I live in Oslo by.")
    drain(world)
    assert shown(world) == {"The user lives in Trondheim."}
    invariants.hold(world)


def test_corrected_words_do_not_come_back_in_other_words(world: World) -> None:
    """The answer was replaced, so that the question is read again: the user has put it right."""
    answer = learn(world, "I live in Oslo.", home("Oslo"))
    world.clock.advance(minutes=1)
    correct(world, only(world)["id"], 1)
    other = home("Oslo", text="Oslo is the town where the user has a home.")
    world.background.will(reply(other))
    replace(world, answer["assistant_turn"], "I see.")
    drain(world)
    assert shown(world) == {"The user lives in Bergen."}
    invariants.hold(world)


def test_a_change_challenges_what_is_guarded_also_where_another_is_nearer(world: World) -> None:
    """Otherwise the nearer would say what the user's own words deny."""
    learn(world, "I live in Oslo.", home("Oslo"))
    guarded = only(world)["id"]
    give_feedback(world, guarded, "confirm", 1)
    nearer = stored_memory(world, "The user lives in central Oslo now.", "home city")
    drain(world)
    moved = home("Bergen", text="The user lives in Bergen now.")
    learn(world, "I live in Bergen now.", moved)
    assert read(world, guarded)["flags"] == ["challenged"]
    assert read(world, nearer.id)["revision"] == 1
    invariants.hold(world)


def test_a_challenge_that_nothing_supports_any_more_is_over(world: World) -> None:
    """Its turn was replaced and says it no longer: the flag of what it challenged goes."""
    learn(world, "I live in Oslo.", home("Oslo"))
    guarded = only(world)["id"]
    give_feedback(world, guarded, "confirm", 1)
    answer = learn(world, "I live in Bergen.", home("Bergen"))
    assert read(world, guarded)["flags"] == ["challenged"]
    world.background.will(reply())
    replace(world, answer["user_turn"], "Never mind.")
    drain(world)
    assert read(world, guarded)["flags"] == []
    assert shown(world) == {"The user lives in Oslo."}
    invariants.hold(world)


def test_a_challenge_that_the_correction_agrees_with_is_over(world: World) -> None:
    """The user's words say so now: no second memory waits to be decided on."""
    target = stored_memory(world, "The user lives in Oslo.", "home city")
    give_feedback(world, target.id, "confirm", 1)
    other = stored_challenger(world, target, "The user lives in Bergen.", "home city")
    drain(world)
    correct(world, target.id, 1)
    drain(world)
    assert shown(world) == {"The user lives in Bergen."}
    assert [m["id"] for m in world.memories()] == [target.id]
    assert read(world, other.id)["state"] == "retracted"
    invariants.hold(world)


def test_a_challenge_of_corrected_words_is_one_of_the_correction(world: World) -> None:
    """Taken up by the user, it stands instead of what the user wrote meanwhile, not beside it."""
    target = stored_memory(world, "The user lives in Oslo.", "home city")
    give_feedback(world, target.id, "confirm", 1)
    other = stored_challenger(world, target, "The user lives in Bergen.", "home city")
    drain(world)
    correct(world, target.id, 1, text="The user lives in Trondheim.")
    drain(world)
    assert read(world, other.id)["challenges"] == {"memory_id": target.id, "revision": 2}
    give_feedback(world, other.id, "confirm", 2)
    assert shown(world) == {"The user lives in Bergen."}
    invariants.hold(world)


def test_what_is_said_again_and_contradicted_in_one_exchange_is_flagged(world: World) -> None:
    """The guarded words get another source, and their challenge, at once."""
    learn(world, "I live in Oslo.", home("Oslo"))
    guarded = only(world)["id"]
    give_feedback(world, guarded, "confirm", 1)
    both = "I live in Oslo. No, I live in Bergen."
    learn(world, both, home("Oslo"), home("Bergen"))
    after = read(world, guarded)
    assert (after["flags"], after["revision"], len(after["evidence"])) == (["challenged"], 2, 2)
    assert shown(world) == {"The user lives in Oslo.", "The user lives in Bergen."}
    invariants.hold(world)


@pytest.mark.parametrize("guard", [False, True], ids=["changes", "challenges"])
def test_what_is_said_anew_refers_to_what_was_rejected_whatever_it_changes(
    world: World, guard: bool
) -> None:
    """Rejected, replaced by another fact, and said again: a revision or a challenge names it."""
    learn(world, "I live in Oslo.", home("Oslo"))
    rejected = only(world)["id"]
    world.clock.advance(minutes=1)
    give_feedback(world, rejected, "reject", 1)
    learn(world, "I live in Bergen.", home("Bergen"))
    bergen = only(world)["id"]
    if guard:
        give_feedback(world, bergen, "confirm", 1)
    learn(world, "I live in Oslo again.", home("Oslo"))
    [oslo] = [m for m in world.memories() if m["text"] == "The user lives in Oslo."]
    assert (oslo["id"] == bergen) is not guard
    assert oslo["references"] == [
        {"memory_id": bergen, "revision": 1},
        {"memory_id": rejected, "revision": 1},
    ]
    invariants.hold(world)


def test_what_is_said_while_its_guarded_memory_is_stale_challenges_that(world: World) -> None:
    """Out of recall's sight it is still the user's own: it comes back, and the other waits."""
    first = learn(world, "I live in Oslo.", home("Oslo"))
    guarded = only(world)["id"]
    give_feedback(world, guarded, "confirm", 1)
    world.clock.advance(minutes=1)
    world.background.will(reply(home("Bergen")), reply())
    world.say(world.session(), "I live in Bergen.", recall="off")
    replace(world, first["user_turn"], "Never mind.")
    drain(world)
    assert set(read(world, guarded)["flags"]) == {"challenged", "source_replaced"}
    found_ = world.call("GET", "/v1/recall?q=user+lives+in&limit=9")["items"]
    assert [hit["memory_id"] for hit in found_] == [guarded]
    invariants.hold(world)


def test_the_assistants_words_alone_support_no_decision_of_the_users(world: World) -> None:
    """The question was replaced; the answer still repeats what it said."""
    world.chat.will("Good, so we use Postgres.")
    quotes = [
        {"turn": "user", "quote": "Let's use Postgres"},
        {"turn": "assistant", "quote": "we use Postgres"},
    ]
    decided = found("Decided to use Postgres.", "", kind="decision", quotes=quotes)
    answer = learn(world, "Let's use Postgres.", decided)
    memory_id = only(world)["id"]
    world.background.will(reply())
    replace(world, answer["user_turn"], "Never mind.")
    drain(world)
    assert read(world, memory_id)["state"] == "retracted"
    invariants.hold(world)


def test_a_change_of_what_was_retracted_is_no_second_truth(world: World) -> None:
    """What nothing supports any more is said again after something else came to hold."""
    first = learn(world, "I live in Oslo.", home("Oslo"))
    world.background.will(reply())
    replace(world, first["user_turn"], "Never mind.")
    drain(world)
    learn(world, "I live in Trondheim.", home("Trondheim"))
    learn(world, "I live in Oslo once more.", home("Oslo"))
    assert shown(world) == {"The user lives in Oslo."}
    invariants.hold(world)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("The user runs every morning.", "The user runs every evening."),
        ("The user has two cats.", "The user has three cats."),
        ("The user has 2 cats.", "The user owns 3 cats now."),
        ("The user works in Oslo.", "The user lives in Oslo."),
    ],
)
def test_a_rejected_turn_put_right_in_one_word_is_learned(world: World, was: str, now: str) -> None:
    """However near the vectors are: one word for another is a change, and so is a number."""
    vector = [1.0, *[0.0] * 63]
    world.embedder.vectors = {was: vector, now: vector}
    answer = learn(world, was, found(was, was))
    world.clock.advance(minutes=1)
    give_feedback(world, only(world)["id"], "reject", 1)
    world.background.will(reply(found(now, now)))
    replace(world, answer["user_turn"], now)
    drain(world)
    assert shown(world) == {now}


def test_deleted_words_teach_nothing_in_other_words_though_their_turn_was_replaced(
    world: World,
) -> None:
    """The very words the deleted memory came from still stand in the turn."""
    answer = learn(world, "I live in Oslo.", home("Oslo"))
    world.clock.advance(minutes=1)
    world.call("DELETE", f"/v1/memories/{only(world)['id']}")
    nuts = found("The user is allergic to nuts.", "I'm allergic to nuts")
    other = home("Oslo", text="Oslo is the town where the user has a home.")
    world.background.will(reply(other, nuts))
    replace(world, answer["user_turn"], "By the way, I live in Oslo and I'm allergic to nuts.")
    drain(world)
    assert shown(world) == {"The user is allergic to nuts."}
    invariants.hold(world, removed=["The user lives in Oslo."])


def test_a_refused_reading_retracts_nothing(world: World) -> None:
    """Nobody has read the new words: what rested on the old ones stays stale."""
    answer = learn(world, "I live in Oslo.", home("Oslo"))
    memory_id = only(world)["id"]
    refusal = Completion("I can't.", "scripted", "model-1", Finish.REFUSAL, Usage(1, 1))
    world.background.will(refusal)
    replace(world, answer["user_turn"], "I live in Bergen.")
    drain(world)
    after = read(world, memory_id)
    assert (after["state"], after["freshness"]) == ("active", "stale")
    invariants.hold(world)


def test_what_was_replaced_is_stale_before_a_model_is_asked(world: World) -> None:
    """Also when the replacement ended before it marked anything, and the model fails."""
    answer = learn(world, "I live in Oslo.", home("Oslo"))
    memory_id = only(world)["id"]
    before = {(r["pk"], r["sk"]): r for r in world.rows()}
    replace(world, answer["user_turn"], "I live in Bergen.")
    after = {(r["pk"], r["sk"]): r for r in world.rows()}
    kept = ("TURN#", "WAS#", "JOB#")
    of_turn = {key: row for key, row in after.items() if key[1].startswith(kept)}
    world.put_back(list((before | of_turn).values()))
    assert read(world, memory_id)["freshness"] == "current"
    world.background.will(ModelUnavailable())
    world.drain()
    assert read(world, memory_id)["freshness"] == "stale"


def test_a_flag_goes_once_the_new_words_say_it_too(world: World) -> None:
    """Confirmed, replaced by something else, and replaced by the same again."""
    answer = learn(world, "I live in Oslo.", home("Oslo"))
    memory_id = only(world)["id"]
    give_feedback(world, memory_id, "confirm", 1)
    world.background.will(reply(), reply(home("Oslo")))
    replace(world, answer["user_turn"], "Never mind.")
    drain(world)
    assert read(world, memory_id)["flags"] == ["source_replaced"]
    replace(world, answer["user_turn"], "Well, I live in Oslo.")
    drain(world)
    after = read(world, memory_id)
    assert (after["flags"], after["freshness"], after["review"]) == ([], "current", "confirmed")
    assert [e["turn_version"] for e in after["evidence"]] == [3]
    invariants.hold(world)


def test_an_exchange_that_changes_very_much_still_fits_a_transaction(world: World) -> None:
    """Ten changed facts that are all referred to: what finds no room is told, and the job ends."""
    turn = world.say(world.session(), "Some words.")["user_turn"]["id"]
    drain(world)
    names = ["soap", "lamp", "desk", "sofa", "vase", "bowl", "fork", "oven", "sink", "door"]
    facts = []
    for name in names:
        fact = make_memory(world, name, f"The {name} will be red.", turn, kind=Kind.DECISION)
        fact = fact.model_copy(update={"topic": f"colour of the {name}"})
        other = make_memory(world, f"near {name}", f"Something near the {name}.", turn)
        link = (Reference(memory_id=fact.id, revision=1),)
        facts += [fact, other.model_copy(update={"references": link})]
    world.embedder.vectors = {
        f"The {name} will be {colour}.": [float(v) for v in np.eye(64)[n]]
        for n, name in enumerate(names)
        for colour in ("red", "blue")
    }
    store_memories(world, *facts)
    world.clock.advance(minutes=1)
    said = " ".join(f"The {name} will be blue." for name in names)
    world.chat.will(said)
    changed = [
        found(
            f"The {name} will be blue.",
            f"The {name} will be blue",
            kind="decision",
            topic=f"colour of the {name}",
            quotes=[
                {"turn": role, "quote": f"The {name} will be blue"}
                for role in ("user", "assistant")
            ],
        )
        for name in names
    ]
    answer = world.learn(world.session(), said, *changed, recall="off")
    job = world.job(answer["extraction"]["job_id"])
    assert job["state"] == "stored"
    told = [each for each in job["result"]["dropped"] if "much" in each["reason"]]
    assert len(job["result"]["stored"]) + len(told) == len(names)
    assert len(job["result"]["stored"]) >= 8
    invariants.hold(world)
    drain(world)
    assert all(head(world, fact).status.stale_since is None for fact in facts)
