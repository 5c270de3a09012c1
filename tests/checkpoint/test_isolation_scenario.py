"""The isolation scenario of the fixture, step by step, with every prompt that reached a model."""

import pytest

from tests.support.asking import mount, new_session, recalls
from tests.support.doors import WorldDoor
from tests.support.isolation import CHECKS, HIDDEN, SCENARIO, STEPS, SUMMARIES, Story, played
from tests.support.isolation_also import ALSO
from tests.support.world import World


@pytest.fixture
def door(world: World) -> WorldDoor:
    """The handlers themselves."""
    return WorldDoor(world)


def test_the_scenario_holds_step_by_step(door: WorldDoor) -> None:
    """What each prompt must and must not hold, a draft's among them, is as the fixture says."""
    assert Story(door).play(STEPS).checked == CHECKS == 9


@pytest.mark.parametrize("line", SCENARIO["also"])
def test_what_the_fixture_says_besides_holds(door: WorldDoor, line: str) -> None:
    """Each line of its `also`."""
    ALSO[line](door)


def test_no_prompt_while_mounted_holds_what_the_boundary_hides(door: WorldDoor) -> None:
    """Three prompts and the session's recall, asked for it as plainly as can be."""
    story = played(door, "mount")
    for question in ("Where were we?", "What am I afraid of?", "Which heights are on the route?"):
        asked = story.asks(question)
        assert asked.answer["context"]["mode"] == "MOUNTED"
        assert asked.leaks(*HIDDEN) == []
    for scope in ("account", "space", "session"):
        assert "HEIGHTS" not in recalls(door, "afraid of heights", story.session_id, scope)


def test_what_was_learned_before_the_checkpoint_stays_in_both_branches(door: WorldDoor) -> None:
    """The budget is from turn 1, which checkpoint 1 covers: it is remembered while mounted."""
    story = played(door, "mount")
    branches = {"What is the user's budget?": "relevant", "Where were we?": "session"}
    for question, branch in branches.items():
        asked = story.asks(question)
        assert [hit["selected_by"] for hit in asked.answer["context"]["memories"]] == [branch]
        assert asked.shows("KANGAROO-4000")
    assert "KANGAROO" in recalls(door, "budget", story.session_id, "account")


def test_unmounted_the_hidden_memory_is_back(door: WorldDoor) -> None:
    """The boundary hides; it takes nothing away."""
    story = played(door, "unmount")
    assert story.asks("What am I afraid of?").shows("HEIGHTS-555")
    assert "HEIGHTS" in recalls(door, "afraid of heights", story.session_id, "account")


def test_another_session_that_mounts_it_is_bound_as_well(door: WorldDoor) -> None:
    """A checkpoint of one session, mounted in another of the space, hides what came after it."""
    story = played(door, "mount")
    other = new_session(door, story.space_id)
    mount(door, other, story.checkpoints["checkpoint 1"])
    asked = story.asks("What am I afraid of, and what is the budget?", other)
    assert asked.shows(SUMMARIES["checkpoint 1"])
    assert asked.shows("KANGAROO-4000")
    assert asked.leaks(*HIDDEN) == []


def test_a_fork_is_bound_as_well(door: WorldDoor) -> None:
    """A forked session starts from the checkpoint: nothing later comes with it."""
    story = played(door, "mount")
    asked = story.asks("What am I afraid of, and what is the budget?", story.fork("checkpoint 1"))
    assert asked.answer["context"]["history"]["turns"] == 0
    assert asked.shows("KANGAROO-4000")
    assert asked.leaks(*HIDDEN) == []
