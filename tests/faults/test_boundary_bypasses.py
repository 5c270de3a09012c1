"""Ways round a mounted boundary that lead through something else than its window."""

from typing import Any

from strandline.errors import ModelUnavailable
from tests.support.checkpoint_requests import commit, mount, new_space
from tests.support.extraction_replies import found, reply, said_in
from tests.support.world import World

CANARY = "New Zealand"


def begun(world: World) -> tuple[str, str, str]:
    """A space, its session and a checkpoint; after the checkpoint the session names the canary."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    world.say(session_id, "We are planning a trip.")
    checkpoint_id = commit(world, space_id, session_id=session_id)["id"]
    world.clock.advance(seconds=1)
    world.say(session_id, f"What about {CANARY}?")
    world.drain(3)
    return space_id, session_id, checkpoint_id


def prompts_of_extraction(world: World) -> str:
    """All that the background model has been asked from now on is in this text."""
    return "\n".join(message.content for prompt in world.background.prompts for message in prompt)


def test_what_is_hidden_doesnt_tell_an_extraction_what_pronouns_stand_for(world: World) -> None:
    """A memory of a visible exchange would carry the hidden words, and nothing could tell."""
    _, session_id, checkpoint_id = begun(world)
    assert mount(world, session_id, checkpoint_id).status == 200
    world.background.prompts.clear()
    world.say(session_id, "I like hiking there most of all.")
    world.say(session_id, "Yes, there.")
    world.drain(3)
    asked = prompts_of_extraction(world)
    assert CANARY not in asked
    assert asked.count("I like hiking there") == 2  # In its own, and before the one that follows.


def test_a_boundary_of_a_messages_own_binds_its_extraction_too(world: World) -> None:
    """The window that its answer had is the window that its extraction has."""
    _, session_id, checkpoint_id = begun(world)
    world.background.prompts.clear()
    own: dict[str, Any] = {"mounted_checkpoint_id": checkpoint_id, "history_base_seq": 4}
    world.say(session_id, "I like hiking there most of all.", **own)
    world.drain(3)
    assert CANARY not in prompts_of_extraction(world)


def test_without_a_boundary_earlier_turns_still_tell(world: World) -> None:
    """Nothing is hidden, so "there" has its meaning."""
    _, session_id, _ = begun(world)
    world.background.prompts.clear()
    world.say(session_id, "I like hiking there most of all.")
    world.drain(3)
    assert CANARY in prompts_of_extraction(world)


def test_a_late_reply_is_refused_where_its_mount_means_nothing_any_more(world: World) -> None:
    """Its session left the space: an answer without the boundary would show what it hid."""
    _, session_id, checkpoint_id = begun(world)
    mount(world, session_id, checkpoint_id)
    world.chat.will(ModelUnavailable())
    turn_id = world.say(session_id, "Where do we go?")["turn_id"]
    assert world.call("PATCH", f"/v1/sessions/{session_id}", {"space_id": None}).status == 200
    asked = len(world.chat.prompts)
    assert world.call("POST", f"/v1/turns/{turn_id}/reply").status == 404
    assert len(world.chat.prompts) == asked
    assert world.call("GET", f"/v1/turns/{turn_id}")["status"] == "unanswered"


def test_a_visible_fact_that_hidden_turns_repeat_stays(world: World) -> None:
    """A hidden turn is one source more; it doesn't take along what a visible one says."""
    fact = found("The user loves mountains", "I love mountains")
    world.background.default = lambda messages: reply(*[fact] * ("mount" in said_in(messages)))
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    world.say(session_id, "I love mountains.")
    world.drain()
    checkpoint_id = commit(world, space_id, session_id=session_id)["id"]
    world.clock.advance(seconds=1)
    world.say(session_id, "I love mountains!")
    world.drain()
    [memory] = world.memories()
    assert len(memory["evidence"]) == 2
    mount(world, session_id, checkpoint_id)
    world.say(session_id, "Which mountains?")
    assert "The user loves mountains" in world.chat.text()
