"""The isolation scenario of the fixture, step by step, with every prompt that reached a model."""

import pytest

from tests.support.api_clients import InProcessClient
from tests.support.isolation_edge_cases import ALSO
from tests.support.isolation_scenario import (
    CHECKS,
    HIDDEN,
    SCENARIO,
    STEPS,
    SUMMARIES,
    Story,
    play_story,
)
from tests.support.scenario_steps import mount, new_session, recall_text
from tests.support.world import World


@pytest.fixture
def client(world: World) -> InProcessClient:
    """The handlers themselves."""
    return InProcessClient(world)


def test_the_scenario_holds_step_by_step(client: InProcessClient) -> None:
    """What each prompt must and must not hold, a draft's among them, is as the fixture says."""
    assert Story(client).play(STEPS).checked == CHECKS == 9


@pytest.mark.parametrize("line", SCENARIO["also"])
def test_what_the_fixture_says_besides_holds(client: InProcessClient, line: str) -> None:
    """Each line of its `also`."""
    ALSO[line](client)


def test_no_prompt_while_mounted_holds_what_the_boundary_hides(client: InProcessClient) -> None:
    """Three prompts and the session's recall, asked for it as plainly as can be."""
    story = play_story(client, "mount")
    for question in ("Where were we?", "What am I afraid of?", "Which heights are on the route?"):
        asked = story.asks(question)
        assert asked.answer["context"]["mode"] == "MOUNTED"
        assert asked.leaks(*HIDDEN) == []
    for scope in ("account", "space", "session"):
        assert "HEIGHTS" not in recall_text(client, "afraid of heights", story.session_id, scope)


def test_what_was_learned_before_the_checkpoint_stays_in_both_branches(
    client: InProcessClient,
) -> None:
    """The budget is from turn 1, which checkpoint 1 covers: it is remembered while mounted."""
    story = play_story(client, "mount")
    branches = {"What is the user's budget?": "relevant", "Where were we?": "session"}
    for question, branch in branches.items():
        asked = story.asks(question)
        assert [hit["selected_by"] for hit in asked.answer["context"]["memories"]] == [branch]
        assert asked.shows("KANGAROO-4000")
    assert "KANGAROO" in recall_text(client, "budget", story.session_id, "account")


def test_unmounted_the_hidden_memory_is_back(client: InProcessClient) -> None:
    """The boundary hides; it takes nothing away."""
    story = play_story(client, "unmount")
    assert story.asks("What am I afraid of?").shows("HEIGHTS-555")
    assert "HEIGHTS" in recall_text(client, "afraid of heights", story.session_id, "account")


def test_another_session_that_mounts_it_is_bound_as_well(client: InProcessClient) -> None:
    """A checkpoint of one session, mounted in another of the space, hides what came after it."""
    story = play_story(client, "mount")
    other = new_session(client, story.space_id)
    mount(client, other, story.checkpoints["checkpoint 1"])
    asked = story.asks("What am I afraid of, and what is the budget?", other)
    assert asked.shows(SUMMARIES["checkpoint 1"])
    assert asked.shows("KANGAROO-4000")
    assert asked.leaks(*HIDDEN) == []


def test_a_fork_is_bound_as_well(client: InProcessClient) -> None:
    """A forked session starts from the checkpoint: nothing later comes with it."""
    story = play_story(client, "mount")
    asked = story.asks("What am I afraid of, and what is the budget?", story.fork("checkpoint 1"))
    assert asked.answer["context"]["history"]["turns"] == 0
    assert asked.shows("KANGAROO-4000")
    assert asked.leaks(*HIDDEN) == []
