"""The queue's side of extraction: duplicates, poison, garbage, wrong order."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from strandline import keys
from strandline.errors import ModelRateLimited, ModelRejected, ModelUnavailable
from strandline.providers.base import Message
from tests.support import invariants
from tests.support.extraction_replies import found, reply, said_in
from tests.support.world import Reply, World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
BERGEN = found("The user lives in Bergen.", "I live in Bergen", topic="home city")


def _message(answer: Reply, account: str = "ada") -> dict[str, str]:
    return {"account": account, "job_id": answer["extraction"]["job_id"]}


def _receive(world: World) -> list[dict[str, Any]]:
    """Everything that is visible in the queue, each received once more."""
    url = world.data.queue_url
    return world.sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"]
    ).get("Messages", [])


def _round(world: World) -> list[str]:
    """One batch; what failed is visible again at once. The bodies of what failed."""
    received = _receive(world)
    failed = world._extract(received)
    for message in received:
        handle = {"QueueUrl": world.data.queue_url, "ReceiptHandle": message["ReceiptHandle"]}
        if message["MessageId"] in failed:
            world.sqs.change_message_visibility(**handle, VisibilityTimeout=0)
        else:
            world.sqs.delete_message(**handle)
    return [message["Body"] for message in received if message["MessageId"] in failed]


def _dead(world: World) -> list[str]:
    found = world.sqs.receive_message(QueueUrl=world.data.dead_queue_url, MaxNumberOfMessages=10)
    return [message["Body"] for message in found.get("Messages", [])]


def test_a_message_delivered_three_times_is_one_memory_and_one_model_call(world: World) -> None:
    """Three deliveries, two of them in one batch: one memory, one citation, one call."""
    world.background.will(reply(OSLO))
    answer = world.say(world.session(), "I live in Oslo.")
    assert world.deliver(_message(answer), _message(answer)) == []
    first = world.rows()
    assert world.deliver(_message(answer)) == []
    assert world.rows() == first
    (memory,) = world.memories()
    assert len(memory["evidence"]) == 1
    assert len(world.background.prompts) == 1
    invariants.hold(world)


def _ten_of_which_one_fails(world: World) -> tuple[list[Reply], int]:
    """Ten exchanges of one session; the model always fails for the fourth."""

    def about(messages: Sequence[Message]) -> str:
        text = said_in(messages)
        if "number 3" in text:
            raise ModelUnavailable
        number = text.rstrip(".").split()[-1]
        return reply(found(f"The user owns house number {number}.", text, topic=f"house {number}"))

    world.background.default = about
    session_id = world.session()
    answers = []
    for number in range(10):
        answers.append(world.say(session_id, f"I own house number {number}.", recall="off"))
        world.clock.advance(minutes=1)
    return answers, 3


@pytest.mark.parametrize("order", [list, reversed], ids=["in order", "reversed"])
def test_one_of_ten_that_always_fails_keeps_nothing_from_the_others(
    world: World, order: Callable[[Any], Any]
) -> None:
    """Nine are stored, only the tenth's id is reported, and at the limit it has failed."""
    answers, poison = _ten_of_which_one_fails(world)
    delivered = list(order(range(10)))
    failed = world.deliver(*(_message(answers[n]) for n in delivered))
    assert failed == [str(delivered.index(poison))]
    states = [world.job(answer["extraction"]["job_id"])["state"] for answer in answers]
    assert states == ["stored"] * poison + ["running"] + ["stored"] * (9 - poison)
    texts = {f"The user owns house number {n}." for n in range(10) if n != poison}
    assert {memory["text"] for memory in world.memories()} == texts

    most = world.runtime.settings.job_max_failures
    for _ in range(most):
        assert world.deliver(_message(answers[poison])) == ["0"]
    job = world.job(answers[poison]["extraction"]["job_id"])
    assert (job["state"], job["reason"], job["attempts"]) == (
        "failed",
        "MODEL_UNAVAILABLE: The model's service failed.",
        most,
    )
    invariants.hold(world)


def test_what_fails_for_good_reaches_the_dead_letter_queue(world: World) -> None:
    """After the queue's limit of receives the message is with the dead ones, the job failed."""
    world.background.default = ModelUnavailable()
    answer = world.say(world.session(), "I live in Oslo.")
    body = json.dumps(_message(answer))
    for _ in range(6):
        assert _round(world) == [body]
        assert _dead(world) == []
    assert _receive(world) == []
    assert _dead(world) == [body]
    assert world.job(answer["extraction"]["job_id"])["state"] == "failed"
    assert len(world.background.prompts) == world.runtime.settings.job_max_failures


def test_what_cannot_succeed_is_tried_once(world: World) -> None:
    """A request that the model's service refuses as it is fails the job at once."""
    world.background.default = ModelRejected()
    answer = world.say(world.session(), "I live in Oslo.")
    message = _message(answer)
    assert [world.deliver(message) for _ in range(3)] == [["0"]] * 3
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["attempts"]) == ("failed", 1)
    assert len(world.background.prompts) == 1


def test_a_rate_limit_is_waited_for_as_long_as_asked(world: World) -> None:
    """The failed try is told on the job, its message comes back after Retry-After seconds."""
    world.background.will(ModelRateLimited(retry_after=77), reply(OSLO))
    answer = world.say(world.session(), "I live in Oslo.")
    asked: list[tuple[str, int]] = []
    world.runtime.queue.postpone = lambda handle, seconds: asked.append((handle, seconds))  # type: ignore[method-assign]
    assert world.deliver(_message(answer)) == ["0"]
    assert asked == [("handle-0", 77)]
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == (
        "running",
        "MODEL_RATE_LIMITED: The model's service limits the rate.",
    )
    assert world.deliver(_message(answer)) == []
    assert world.job(answer["extraction"]["job_id"])["state"] == "stored"


GARBAGE = [
    "{}", "not JSON", "null", "[]", "7", '"job"', "", '{"job_id": "job_1"}', '{"account": "ada"}',
    '{"account": "", "job_id": "job_1"}', '{"account": 7, "job_id": []}', "{" * 5000,
    '{"account": "ada", "job_id": null}', '{"account": "ada", "job_id": "\\ud800"}',
]  # fmt: skip


def test_garbage_among_the_records_affects_only_itself(world: World) -> None:
    """Each body that names no job is reported; the jobs between them are done."""
    world.background.default = reply(OSLO)
    answer = world.say(world.session(), "I live in Oslo.")
    bodies = [*GARBAGE, _message(answer)]
    assert world.deliver(*bodies) == [str(n) for n in range(len(GARBAGE))]
    assert [memory["text"] for memory in world.memories()] == [OSLO["text"]]


UNKNOWN = ["job_01M2ZAZZG0A1267H6DEX2FQR9R", "job_1", "ses_01M2ZAZZG0A1267H6DEX2FQR9R", "JOB#", "☃"]


@pytest.mark.parametrize("job_id", UNKNOWN)
def test_an_unknown_job_ends_without_a_model_call(world: World, job_id: str) -> None:
    """A message that names no job of the account is done with, and nothing is written."""
    before = world.rows()
    assert world.deliver({"account": "ada", "job_id": job_id}) == []
    assert (world.rows(), world.background.prompts) == (before, [])


def test_another_accounts_job_is_unknown(world: World) -> None:
    """A job is found under its own account only."""
    answer = world.say(world.session(), "I live in Oslo.")
    assert world.deliver(_message(answer, "grace")) == []
    assert world.background.prompts == []
    assert world.job(answer["extraction"]["job_id"])["state"] == "queued"


def test_a_finished_job_stays_finished_while_the_model_fails(world: World) -> None:
    """Delivered again when the model is down: no call, no change."""
    answer = world.learn(world.session(), "I live in Oslo.", OSLO)
    world.background.default = ModelUnavailable()
    before = world.rows()
    assert world.deliver(_message(answer)) == []
    assert world.rows() == before
    assert len(world.background.prompts) == 1


def _two_homes(world: World) -> tuple[Reply, Reply]:
    """Oslo is said first, Bergen a day later; neither is extracted yet."""

    def about(messages: Sequence[Message]) -> str:
        return reply(BERGEN if "Bergen" in said_in(messages) else OSLO)

    world.background.default = about
    session_id = world.session()
    first = world.say(session_id, "I live in Oslo.")
    world.clock.advance(days=1)
    return first, world.say(session_id, "I live in Bergen.")


def test_the_older_turn_is_learned_from_first_whatever_comes_first(world: World) -> None:
    """The later job's delivery runs the earlier one before it: the newer is current."""
    first, second = _two_homes(world)
    assert world.deliver(_message(second), _message(first)) == []
    (memory,) = world.memories()
    assert (memory["text"], memory["revision"]) == (BERGEN["text"], 2)
    assert len(world.background.prompts) == 2
    invariants.hold(world)


def test_an_older_turn_extracted_later_does_not_overwrite_the_newer(world: World) -> None:
    """The earlier job failed a try and comes last: the newer memory stays, the job says why."""
    first, second = _two_homes(world)
    world.background.will(ModelUnavailable())
    assert world.deliver(_message(first)) == ["0"]
    assert world.deliver(_message(second)) == []
    before = world.memories()
    assert world.deliver(_message(first)) == []
    assert world.memories() == before
    assert [memory["text"] for memory in before] == [BERGEN["text"]]
    job = world.job(first["extraction"]["job_id"])
    assert (job["state"], job["result"]["dropped"]) == (
        "none",
        [{"text": OSLO["text"], "reason": "newer knowledge exists"}],
    )
    invariants.hold(world)


def test_an_exchange_that_cannot_be_read_fails_its_job(world: World) -> None:
    """A row this version can't decode ends its job visibly, and holds up no other."""
    world.background.default = reply(OSLO)
    session_id = world.session()
    broken, sound = (world.say(session_id, "I live in Oslo.") for _ in range(2))
    world.client.update_item(
        TableName=world.data.table,
        Key=keys.receipt("ada", session_id, 2)._asdict(),
        UpdateExpression="SET surprise = :yes",
        ExpressionAttributeValues={":yes": True},
    )
    for _ in range(world.runtime.settings.job_max_failures):
        assert world.deliver(_message(broken), _message(sound)) == ["0"]
    job = world.job(broken["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == ("failed", "INTERNAL_ERROR: ValidationError")
    assert world.job(sound["extraction"]["job_id"])["state"] == "stored"
