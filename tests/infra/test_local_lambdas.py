"""Execution environments: one call at a time in a process, kept, ended at the time-out."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.local.aws_endpoint import Door
from infra.local.embedded_aws import EmbeddedAws
from infra.local.lambda_environments import FunctionFailed, Lambdas
from infra.local.resources import Data
from infra.local.template import Function

HANDLER = "tests.infra.programs.handlers.handler"


def named(name: str, handler: str = HANDLER, timeout: int = 20) -> Function:
    """A function of its own environments."""
    return Function(name, handler, timeout, 128, {}, {})


@pytest.fixture(scope="module")
def lambdas() -> Iterator[Lambdas]:
    """Lambda, whose processes see the tests' folder; all are gone afterwards."""
    made = Lambdas("us-east-1", {"PYTHONPATH": str(Path(__file__).parents[2])})
    yield made
    made.stop()


def test_a_handler_knows_its_call_and_what_time_is_left(lambdas: Lambdas) -> None:
    """The context is Lambda's, the event is what was sent, and the process stays for the next."""
    first = lambdas.call(named("Told"), {"do": "tell", "x": "é"})
    second = lambdas.call(named("Told"), {"do": "tell"})
    assert 18_000 < first["left"] <= 20_000
    assert first["event"] == {"x": "é"}
    assert (first["name"], first["memory"]) == ("Told", 128)
    assert first["arn"] == "arn:aws:lambda:us-east-1:123456789012:function:Told"
    assert first["request"] != second["request"]
    assert (second["calls"], second["process"]) == (2, first["process"])


def test_calls_at_once_have_a_process_each(lambdas: Lambdas) -> None:
    """What a handler keeps in its process is never used by two calls at the same time."""
    function = named("Busy")
    at_once = [lambdas.submit(function, {"do": "wait", "seconds": 0.3}) for _ in range(2)]
    assert len({future.result(20) for future in at_once}) == 2


@pytest.mark.parametrize(
    ("do", "reason"),
    [
        ("fail", "RuntimeError: the reason"),
        ("leave", "SystemExit: 3"),
        ("unspeakable", "Object of type set is not JSON serializable"),
        ("huge", "the response of 6291458 bytes is above 6291456"),
        ("die", "its process ended"),
    ],
)
def test_a_call_that_fails_says_why(lambdas: Lambdas, do: str, reason: str) -> None:
    """The failure is the call's own: the next one is answered."""
    function = named("Failing")
    with pytest.raises(FunctionFailed, match=re.escape(reason)):
        lambdas.call(function, {"do": do})
    assert lambdas.call(function, {"do": "tell"})["name"] == "Failing"


def test_a_handler_that_can_not_be_imported_says_why(lambdas: Lambdas) -> None:
    """Each call tries anew, as a new environment would."""
    for _ in range(2):
        with pytest.raises(FunctionFailed, match="No module named 'nowhere'"):
            lambdas.call(named("Missing", "nowhere.app.handler"), {})


def test_a_call_ends_at_the_time_out(lambdas: Lambdas) -> None:
    """And its process with it: nothing of it goes on."""
    function = named("Slow", timeout=1)
    with pytest.raises(TimeoutError):
        lambdas.call(function, {"do": "wait", "seconds": 60})


def test_what_a_handler_prints_is_no_answer(
    lambdas: Lambdas, capfd: pytest.CaptureFixture[str]
) -> None:
    """It goes to the terminal, metrics left out."""
    assert lambdas.call(named("Printing"), {"do": "print"}) == "printed"
    lambdas.call(named("Printing"), {"do": "tell"})
    seen = capfd.readouterr()
    assert seen.out == ""
    assert "for people" in seen.err
    assert "_aws" not in seen.err


def test_after_the_end_nothing_runs() -> None:
    """A runner that has stopped starts no process."""
    ended = Lambdas("us-east-1", {})
    ended.warm([named("Warm")])
    ended.stop()
    with pytest.raises(FunctionFailed, match="the runner has ended"):
        ended.call(named("Warm"), {"do": "tell"})


@pytest.fixture
def door(embedded: EmbeddedAws, data: Data) -> Iterator[Door]:
    """The way in to the embedded services."""
    opened = Door(embedded)
    yield opened
    opened.close()


def test_a_functions_process_reaches_the_embedded_services(
    door: Door, data: Data, dynamodb: Any, sqs: Any
) -> None:
    """What it writes is in the runner's own table and queue."""
    inside = Lambdas(data.region, {**door.variables, "PYTHONPATH": str(Path(__file__).parents[2])})
    event = {"do": "count", "table": data.table, "queue": data.queue_url}
    assert inside.call(named("Counting"), event) == "1"
    inside.stop()
    item = dynamodb.get_item(TableName=data.table, Key={"pk": {"S": "A"}, "sk": {"S": "n"}})
    [message] = sqs.receive_message(QueueUrl=data.queue_url)["Messages"]
    assert (item["Item"]["n"], message["Body"]) == ({"N": "1"}, "counted")


def test_others_do_not_come_in(door: Door) -> None:
    """Who doesn't sign with this run's key is refused."""
    url = door.variables["AWS_ENDPOINT_URL"]
    reply = httpx.post(url, headers={"X-Amz-Target": "DynamoDB_20120810.ListTables"}, json={})
    assert reply.status_code == 403
    credential = f"AWS4-HMAC-SHA256 Credential={door.variables['AWS_ACCESS_KEY_ID']}/x"
    reply = httpx.post(
        url, headers={"X-Amz-Target": "Other.ListThings", "Authorization": credential}, json={}
    )
    assert reply.status_code == 400
