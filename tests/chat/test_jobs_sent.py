"""The job of an answer: queued with it, sent when the queue takes it."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.support.logs_and_metrics import log_lines, metrics
from tests.support.world import World

REFUSALS = [
    ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "SendMessage"),
    EndpointConnectionError(endpoint_url="https://sqs.invalid"),
]


def test_a_message_in_the_queue_holds_ids_only(world: World) -> None:
    """What is said doesn't travel through the queue."""
    reply = world.say(world.session(), "a secret word")
    [message] = world.sqs.receive_message(QueueUrl=world.data.queue_url)["Messages"]
    assert json.loads(message["Body"]) == {
        "account": "ada",
        "job_id": reply["extraction"]["job_id"],
    }


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda error: type(error).__name__)
def test_a_queue_that_refuses_the_job_doesnt_take_the_answer_back(
    world: World,
    refusal: Exception,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """201 and a log line; the maintenance function sends the job when its time has come."""
    session_id = world.session()

    def refuse(**_: Any) -> None:
        raise refusal

    with log_lines() as lines, monkeypatch.context() as patch:
        patch.setattr(world.sqs, "send_message", refuse)
        reply = world.say(session_id, "I keep bees.")
    assert reply.status == 201
    assert reply["extraction"]["state"] == "queued"
    assert [(line.levelname, line.getMessage()) for line in lines] == [("ERROR", "job not sent")]
    assert metrics(capsys.readouterr().out) == ["JobNotSent"]
    assert world.waiting() == 0
    job_id = reply["extraction"]["job_id"]
    assert world.job(job_id)["state"] == "queued"

    assert world.maintain() == {"sent": 0, "finished": 0}
    world.clock.advance(seconds=world.runtime.settings.job_redrive_seconds)
    assert world.maintain() == {"sent": 1, "finished": 0}
    assert world.waiting() == 1
    assert world.drain() == []
    assert world.job(job_id)["state"] == "none"
    assert world.maintain() == {"sent": 0, "finished": 0}


def test_a_job_is_read_whole(world: World) -> None:
    """Its fields are these, and no lease or key is among them."""
    reply = world.say(world.session(), "hello")
    job_id = reply["extraction"]["job_id"]
    at = "2026-09-20T12:00:00.000000Z"
    assert world.job(job_id) == {
        "id": job_id,
        "kind": "extraction",
        "state": "queued",
        "reason": None,
        "result": {"stored": [], "dropped": []},
        "attempts": 0,
        "created_at": at,
        "updated_at": at,
    }
