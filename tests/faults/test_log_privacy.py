"""Whatever fails in the course of a session, no log line and no metric holds a word of its user."""

import json

import pytest

from strandline.errors import ModelTimeout, ModelUnavailable
from tests.support.extraction_replies import found, reply
from tests.support.logs_and_metrics import log_lines
from tests.support.world import World

CANARY = "Zyzzyvaquill"
SAID = f"I love {CANARY} pies"
REPLIES = (
    RuntimeError(CANARY),
    f'{{"memories": [{{"text": "{CANARY}"',
    f"{CANARY} is no JSON",
    reply(found(f"The user loves {CANARY} pies", SAID)),
    reply(found(f"The user hates {CANARY}", f"{CANARY} was never said so")),
)


def live(world: World) -> None:
    """A session in which everything goes wrong once, and its end."""
    session_id = world.session(title=CANARY)
    path = f"/v1/sessions/{session_id}"
    for failure in (ModelUnavailable(), ModelTimeout(), RuntimeError(CANARY), KeyError(CANARY)):
        world.chat.will(failure)
        world.say(session_id, SAID)
    world.embedder.failure = ValueError(CANARY)
    world.say(session_id, SAID)
    world.embedder.failure = None
    world.drain(3)
    for answer in REPLIES:
        world.background.will(answer)
        world.say(session_id, SAID)
        world.drain()
    world.call("POST", f"{path}/messages", body=f'{CANARY}: "broken'.encode())
    world.call("POST", f"{path}/messages", {"content": CANARY, CANARY: [CANARY]})
    world.call("POST", f"{path}/messages", {"content": SAID, "model": f"{CANARY} of no provider"})
    for query in ("q=", "q=x&scope=", "q=x&session_id=", "q=x&limit="):
        world.call("GET", f"/v1/recall?{query}{CANARY}")
    world.call("PATCH", "/v1/profile", {"display_name": CANARY, "time_zone": CANARY})
    world.call("GET", f"/v1/{CANARY}")
    world.deliver(CANARY, {CANARY: CANARY})
    world.call("DELETE", path)
    world.clock.advance(hours=1)
    world.maintain()


def test_no_failure_tells_what_was_said(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors are told by kind and place; the words of others' errors may be the user's."""
    world.use(auto_titles=True)
    with log_lines() as lines:
        live(world)
    told = json.dumps([vars(line) for line in lines], default=str)
    printed = capsys.readouterr()
    assert "recall failed" in told
    assert "extraction failed" in told
    assert "unexpected error" in told
    assert CANARY not in told + printed.out + printed.err
