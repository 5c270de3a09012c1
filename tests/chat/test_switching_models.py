"""A session that goes from one provider's model to another's and back."""

from tests.support.scripted_models import ScriptedChat
from tests.support.world import World


def test_another_model_in_mid_session_changes_nothing_else(world: World) -> None:
    """Each turn names who answered; the second model is told all that the first one heard."""
    second = ScriptedChat("It is teal.", provider="second")
    world.models["second:vendor/model:1"] = second
    world.chat.will("Noted.", "Still teal.")
    session = world.session()
    world.say(session, "My code word is teal.")
    switched = world.say(session, "What is it?", provider="second", model="vendor/model:1")
    back = world.say(session, "And now?")
    turns = world.call("GET", f"/v1/sessions/{session}/turns?limit=10")["items"]
    assert [
        (turn["sequence_number"], turn["role"], turn["provider"], turn["content"])
        for turn in sorted(turns, key=lambda turn: turn["sequence_number"])
    ] == [
        (1, "user", None, "My code word is teal."),
        (2, "assistant", "scripted", "Noted."),
        (3, "user", None, "What is it?"),
        (4, "assistant", "second", "It is teal."),
        (5, "user", None, "And now?"),
        (6, "assistant", "scripted", "Still teal."),
    ]
    [prompt], last = second.prompts, world.chat.prompts[-1]
    heard = [(message.role, message.content) for message in prompt if message.role != "system"]
    assert heard == [
        ("user", "My code word is teal."),
        ("assistant", "Noted."),
        ("user", "What is it?"),
    ]
    assert last[: len(prompt)] == prompt
    assert [(m.role, m.content) for m in last[len(prompt) :]] == [
        ("assistant", "It is teal."),
        ("user", "And now?"),
    ]
    contexts = [switched["context"], back["context"]]
    assert [context["history"]["turns"] for context in contexts] == [2, 4]
    assert {context["mode"] for context in contexts} == {"FRESH"}


def test_a_session_set_to_another_model_stays_with_it(world: World) -> None:
    """From the change on, without naming it again; a receipt says which model answered."""
    world.models["second:m"] = ScriptedChat("Hello from the second.", provider="second")
    session = world.session()
    world.say(session, "Hi")
    changed = world.call("PATCH", f"/v1/sessions/{session}", {"provider": "second", "model": "m"})
    assert changed.status == 200
    turn = world.say(session, "Hi again")["assistant_turn"]
    assert (turn["provider"], turn["content"]) == ("second", "Hello from the second.")
    receipt = world.call("GET", f"/v1/turns/{turn['id']}/receipt").body
    assert receipt["prompt_matches"] is True
