"""The events in infra/events, for `sam local invoke`: what they say is what the handlers take."""

import json
from typing import Any

import pytest

from functions.chat.app import handler as chat
from functions.extract.app import handler as extract
from functions.maintenance.app import handler as maintenance
from infra.local.api_events import Request, api_event
from infra.local.schedule import scheduled_event
from infra.local.template import routes
from tests.support.extraction_replies import found, reply
from tests.support.template_queries import ROOT, TEMPLATE
from tests.support.world import START, Context, World

EVENTS = ROOT / "infra/events"
KINDS = {"http", "sqs", "schedule"}
SESSION = "ses_01M8P9Z6R0000000000000000A"
JOB = "job_01M8P9Z6R0000000000000000B"


def event(name: str, **replaced: str) -> Any:
    """A sample event, with ids of this test in place of its own."""
    text = (EVENTS / f"{name}.json").read_text(encoding="utf-8")
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    return json.loads(text)


def shape(value: Any) -> Any:
    """What keys there are, all the way down."""
    if isinstance(value, dict):
        return {
            key: shape(inner) for key, inner in value.items() if key not in ("headers", "claims")
        }
    return type(value).__name__


def test_there_is_a_sample_of_every_kind() -> None:
    """HTTP, queue and schedule; and every file is one of them."""
    assert {path.stem.partition("-")[0] for path in EVENTS.iterdir()} == KINDS


@pytest.mark.parametrize("path", sorted(EVENTS.glob("http-*.json")), ids=lambda path: path.stem)
def test_an_http_sample_is_built_like_the_runners_own(path: Any) -> None:
    """Same keys, same types, and a route that the template has."""
    sample = event(path.stem)
    [route] = [r for r in routes(TEMPLATE) if r.key == sample["routeKey"]]
    context = sample["requestContext"]
    body = sample.get("body", "").encode()
    request = Request(route.method, sample["rawPath"], "", list(sample["headers"].items()), body)
    claims = context.get("authorizer", {}).get("jwt", {}).get("claims")
    made = api_event(request, route, sample.get("pathParameters", {}), claims, START)
    assert shape(sample) == shape(made)


def test_health_is_answered(world: World) -> None:
    """200, without a token."""
    assert chat(event("http-health"), Context())["statusCode"] == 200


def test_a_request_without_a_token_is_refused(world: World) -> None:
    """401: the gateway would not have let it through."""
    assert chat(event("http-without-token"), Context())["statusCode"] == 401


def test_a_session_is_made(world: World) -> None:
    """201, for the account in the claims."""
    answer = chat(event("http-create-session"), Context())
    assert answer["statusCode"] == 201
    session_id = json.loads(answer["body"])["id"]
    assert world.call("GET", f"/v1/sessions/{session_id}")["title"] == "Moving house"


def test_a_message_is_answered_and_its_job_done(world: World) -> None:
    """The message sample, then the queue sample with the job that it made."""
    session_id = world.session()
    world.background.will(reply(found("The user moved to Oslo.", "I moved to Oslo")))
    answer = chat(event("http-send-message", **{SESSION: session_id}), Context())
    assert answer["statusCode"] == 201
    job_id = json.loads(answer["body"])["extraction"]["job_id"]
    assert extract(event("sqs-job", **{JOB: job_id}), Context(60)) == {"batchItemFailures": []}
    assert [memory["text"] for memory in world.memories()] == ["The user moved to Oslo."]


def test_a_poison_message_is_reported(world: World) -> None:
    """By its own id, so that nothing beside it comes back."""
    sample = event("sqs-poison")
    failed = [{"itemIdentifier": sample["Records"][0]["messageId"]}]
    assert extract(sample, Context(60)) == {"batchItemFailures": failed}


def test_maintenance_runs_on_the_schedule(world: World) -> None:
    """Built like the runner's own event, and nothing to do is nothing done."""
    sample = event("schedule")
    assert shape(sample) == shape(scheduled_event("us-east-1"))
    assert set(maintenance(sample, Context(120)).values()) == {0}
