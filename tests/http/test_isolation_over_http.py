"""The isolation scenario over real HTTP, with whatever reached a model captured at its server."""

from itertools import count

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
from tests.support.local_runner import Runner
from tests.support.openai_script import Script
from tests.support.openai_server import OpenAIServer
from tests.support.scenario_steps import mount, new_session, recall_text

NUMBERS = count()


@pytest.fixture
def client(runner: Runner, server: OpenAIServer, script: Script) -> HttpClient:
    """A new account of the runner."""
    return opened(runner, server, script)


def opened(runner: Runner, server: OpenAIServer, script: Script) -> HttpClient:
    """A client of an account that nobody used before."""
    account = runner.account(f"traveller {next(NUMBERS)}")
    return HttpClient(
        request=lambda method, path, body: account.call(method, path.removeprefix("/v1"), body),
        ended=lambda job_id: account.ended({"extraction": {"job_id": job_id}}),
        others=lambda: opened(runner, server, script),
        models=server,
        script=script,
    )


def test_the_scenario_holds_over_http(client: HttpClient) -> None:
    """Step by step; while mounted, nothing hidden reaches the chat, background or embedding model.

    The draft is made by the other function, which gets turns 9 to 12 and nothing else.
    """
    assert Story(client).play(STEPS).checked == CHECKS


@pytest.mark.parametrize("line", SCENARIO["also"])
def test_what_the_scenario_says_besides_holds_over_http(client: HttpClient, line: str) -> None:
    """Each line of its `also`."""
    ALSO[line](client)


def test_the_plainest_question_does_not_bring_it_out_over_http(client: HttpClient) -> None:
    """Neither in the mounted session nor in another that mounts it, nor in a fork, nor by recall.

    What the checkpoint covers is there in all three.
    """
    story = play_story(client, "mount")
    other = new_session(client, story.space_id)
    mount(client, other, story.checkpoints["checkpoint 1"])
    for session_id in (story.session_id, other, story.fork("checkpoint 1")):
        asked = story.asks("What am I afraid of, and what is the budget?", session_id)
        assert asked.answer["context"]["mode"] == "MOUNTED"
        assert asked.shows(SUMMARIES["checkpoint 1"])
        assert asked.shows("KANGAROO-4000")
        assert asked.leaks(*HIDDEN) == []
        for scope in ("account", "space", "session"):
            assert "HEIGHTS" not in recall_text(client, "afraid of heights", session_id, scope)


def test_unmounted_it_is_all_back_over_http(client: HttpClient) -> None:
    """The boundary hides; it takes nothing away."""
    story = play_story(client, "unmount")
    assert story.asks("What am I afraid of?").shows("HEIGHTS-555")
    assert "HEIGHTS" in recall_text(client, "afraid of heights", story.session_id, "account")
