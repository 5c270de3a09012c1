"""The isolation scenario through all that is deployed, each function with its own role's rights.

In an emulated stack the models' server captures whatever is sent to them; of a real stack the
receipts tell, which rebuild each prompt and check it against the hash of what was sent.
"""

import pytest

from tests.support.api_clients import HttpClient
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


def test_the_isolation_scenario_holds_in_the_stack(client: HttpClient) -> None:
    """Step by step, with memories learned by way of the queue, and the draft function's prompt."""
    assert Story(client).play(STEPS).checked == CHECKS


@pytest.mark.parametrize("line", SCENARIO["also"])
def test_what_the_isolation_scenario_says_besides_holds(client: HttpClient, line: str) -> None:
    """Each line of its `also`."""
    ALSO[line](client)


def test_isolation_holds_in_a_fork_and_in_another_session(client: HttpClient) -> None:
    """Asked as plainly as can be, in each session that begins at the checkpoint, and by recall."""
    story = play_story(client, "mount")
    other = new_session(client, story.space_id)
    mount(client, other, story.checkpoints["checkpoint 1"])
    for session_id in (story.session_id, other, story.fork("checkpoint 1")):
        asked = story.asks("What am I afraid of, and what is the budget?", session_id)
        assert asked.answer["context"]["mode"] == "MOUNTED"
        assert asked.shows(SUMMARIES["checkpoint 1"])
        assert asked.leaks(*HIDDEN) == []
        for scope in ("account", "space", "session"):
            assert "HEIGHTS" not in recall_text(client, "afraid of heights", session_id, scope)
