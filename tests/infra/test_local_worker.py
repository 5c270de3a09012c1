"""The event-source mapping's rules, with embedded queues and a function told how to fail."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.lambda_environments import FunctionFailed
from infra.local.queue_worker import Worker, failures
from infra.local.resources import Data
from infra.local.template import Function, QueueMapping

InProcess = Callable[[Callable[..., Any]], Any]


class Inbox:
    """A handler that remembers its events and answers by a rule."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.rule: Callable[[list[dict[str, Any]]], Any] = lambda records: None

    def __call__(self, event: dict[str, Any], context: Any) -> Any:
        self.events.append(event)
        return self.rule(event["Records"])

    def bodies(self) -> list[str]:
        """The bodies of the latest batch."""
        return [record["body"] for record in self.events[-1]["Records"]]


@pytest.fixture
def inbox() -> Inbox:
    """A handler that does all it is given."""
    return Inbox()


@pytest.fixture
def worker(sqs: Any, data: Data, function: Function, in_process: InProcess, inbox: Inbox) -> Worker:
    """A worker on the job queue, whose messages come again at once when they aren't deleted."""
    sqs.set_queue_attributes(QueueUrl=data.queue_url, Attributes={"VisibilityTimeout": "0"})
    mapping = QueueMapping(function, batch_size=10, window_seconds=0, partial_failures=True)
    return Worker(sqs, data, mapping, in_process(inbox))


def send(sqs: Any, data: Data, *bodies: str) -> None:
    """Put messages into the job queue."""
    for body in bodies:
        sqs.send_message(QueueUrl=data.queue_url, MessageBody=body, MessageGroupId="ada")


def failing(*bodies: str) -> Callable[[list[dict[str, Any]]], Any]:
    """A rule that reports the records with these bodies as failed."""
    return lambda records: {
        "batchItemFailures": [
            {"itemIdentifier": r["messageId"]} for r in records if r["body"] in bodies
        ]
    }


def test_a_record_is_whole(sqs: Any, data: Data, worker: Worker, inbox: Inbox) -> None:
    """Every field that Lambda gives, as text where Lambda gives text."""
    attribute = {"StringValue": "v", "DataType": "String"}
    sqs.send_message(
        QueueUrl=data.queue_url,
        MessageBody='{"job_id": "j"}',
        MessageGroupId="ada",
        MessageAttributes={"trace": attribute},
    )
    worker.deliver(worker.take())
    [record] = inbox.events[0]["Records"]
    attributes = record.pop("attributes")
    assert len(record.pop("messageId")) == 36
    assert record.pop("receiptHandle")
    assert record == {
        "body": '{"job_id": "j"}',
        "messageAttributes": {
            "trace": {
                "stringValue": "v",
                "stringListValues": [],
                "binaryListValues": [],
                "dataType": "String",
            }
        },
        "md5OfBody": "353dec02797f4bfcddf30a583c399b37",
        "eventSource": "aws:sqs",
        "eventSourceARN": data.queue_arn,
        "awsRegion": data.region,
    }
    assert attributes["ApproximateReceiveCount"] == "1"
    assert attributes["MessageGroupId"] == "ada"
    assert attributes["SentTimestamp"].isdigit()


def test_what_is_done_is_deleted(sqs: Any, data: Data, worker: Worker, inbox: Inbox) -> None:
    """A batch that reports no failure leaves nothing behind."""
    send(sqs, data, "a", "b")
    worker.deliver(worker.take())
    assert sorted(inbox.bodies()) == ["a", "b"]
    assert worker.counts()["queue"] == {"visible": 0, "in_flight": 0}


def test_a_batch_is_ten_at_most(sqs: Any, data: Data, worker: Worker, inbox: Inbox) -> None:
    """The mapping's batch size holds; the rest is the next batch."""
    send(sqs, data, *map(str, range(12)))
    assert [len(worker.take()), len(worker.take()[:2])] == [10, 2]


def test_only_the_named_records_come_again(
    sqs: Any, data: Data, worker: Worker, inbox: Inbox
) -> None:
    """Of ten with one that fails, nine are done and one is delivered a second time."""
    send(sqs, data, *"abcdefghij")
    inbox.rule = failing("d")
    worker.deliver(worker.take())
    again = worker.take()
    assert [m["Body"] for m in again] == ["d"]
    assert again[0]["Attributes"]["ApproximateReceiveCount"] == "2"


def test_a_poison_message_dies_after_six_deliveries(
    sqs: Any, data: Data, worker: Worker, inbox: Inbox
) -> None:
    """It is delivered as often as the redrive policy says, then lies in the dead-letter queue."""
    send(sqs, data, "poison")
    inbox.rule = failing("poison")
    while batch := worker.take():
        worker.deliver(batch)
    assert len(inbox.events) == 6
    assert worker.counts() == {
        "queue": {"visible": 0, "in_flight": 0},
        "dead_letter_queue": {"visible": 1, "in_flight": 0},
    }


@pytest.mark.parametrize(
    ("error", "why"), [(FunctionFailed("broken"), "broken"), (TimeoutError(), "it took too long")]
)
def test_a_call_that_fails_fails_the_whole_batch(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture, error: Exception, why: str
) -> None:
    """Nothing is deleted, all come again, and the failure is logged."""

    def broken(records: list[dict[str, Any]]) -> Any:
        raise error

    sqs, data, worker, inbox = map(request.getfixturevalue, ("sqs", "data", "worker", "inbox"))
    send(sqs, data, "a", "b")
    inbox.rule = broken
    worker.deliver(worker.take())
    assert sorted(m["Body"] for m in worker.take()) == ["a", "b"]
    assert f"FakeFunction failed on 2 records: {why}" in caplog.text


IDS = {"m1", "m2"}


@pytest.mark.parametrize(
    ("result", "undone"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": None}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "m1"}]}, {"m1"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, IDS),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, IDS),
        ({"batchItemFailures": [{"id": "m1"}]}, IDS),
        ({"batchItemFailures": [{"itemIdentifier": "m1"}, {"itemIdentifier": "m9"}]}, IDS),
        ({"batchItemFailures": ["m1"]}, IDS),
        ({"batchItemFailures": "m1"}, IDS),
        ({"failures": []}, IDS),
        ("done", IDS),
        ([], IDS),
    ],
)
def test_an_answer_names_what_is_undone(result: Any, undone: set[str]) -> None:
    """Lambda's table of complete successes and complete failures, row by row."""
    assert failures(result, IDS) == undone


def test_without_partial_failures_a_return_is_success(
    sqs: Any, data: Data, function: Function, in_process: InProcess, inbox: Inbox
) -> None:
    """A mapping that doesn't ask for item failures doesn't read them."""
    mapping = QueueMapping(function, 10, 0, partial_failures=False)
    worker = Worker(sqs, data, mapping, in_process(inbox))
    inbox.rule = failing("a")
    send(sqs, data, "a")
    worker.deliver(worker.take())
    assert worker.counts()["queue"] == {"visible": 0, "in_flight": 0}


def test_a_held_queue_gives_nothing_and_a_released_one_all(
    sqs: Any, data: Data, worker: Worker, inbox: Inbox
) -> None:
    """While it is held messages wait; from the release on they are worked on."""
    worker.hold(True)
    worker.start()
    send(sqs, data, "a")
    assert worker.held
    assert worker.counts()["queue"] == {"visible": 1, "in_flight": 0}
    worker.hold(False)
    while not inbox.events:
        worker._stopped.wait(0.01)
    worker.stop()
    assert inbox.bodies() == ["a"]
    assert worker.counts()["queue"] == {"visible": 0, "in_flight": 0}


def test_a_message_sent_after_the_hold_is_not_taken_for_a_batch_that_gathers(
    sqs: Any, data: Data, function: Function, in_process: InProcess, inbox: Inbox
) -> None:
    """Holding ends the gathering, whenever it happens within the mapping's window."""
    worker = Worker(sqs, data, QueueMapping(function, 10, 1, True), in_process(inbox))

    def hold_then_send() -> None:
        worker.hold(True)
        send(sqs, data, "b")

    send(sqs, data, "a")
    holding = threading.Timer(0.05, hold_then_send)
    holding.start()
    batch = worker.take()
    holding.join()
    assert "b" not in [message["Body"] for message in batch]
    assert worker.take() == []


def test_the_event_is_json(sqs: Any, data: Data, worker: Worker, inbox: Inbox) -> None:
    """What the function gets could have come over the wire."""
    send(sqs, data, "a")
    worker.deliver(worker.take())
    assert json.loads(json.dumps(inbox.events[0])) == inbox.events[0]
