"""The queue's side of extraction: duplicates, poison, garbage, deletion meanwhile, wrong order."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from functions.extract.worker import MAX_ATTEMPTS
from strandline import keys
from strandline.errors import ModelRateLimited, ModelRejected, ModelUnavailable
from strandline.providers.base import Message
from strandline.store import job_transitions, jobs
from strandline.table import ConditionFailed
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


def test_a_deleted_session_cancels_its_job_before_the_model_is_called(world: World) -> None:
    """Deleted before the delivery: cancelled, no call, nothing left but the job."""
    session_id = world.session()
    answer = world.say(session_id, "I live in Oslo.")
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    before = world.rows()
    assert world.deliver(_message(answer)) == []
    assert world.background.prompts == []
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == ("cancelled", "the session was deleted")
    assert world.rows() == before
    invariants.hold(world, removed=["Oslo"])


def test_a_session_hidden_but_not_yet_removed_cancels_its_job(world: World) -> None:
    """The mark alone is enough: the removal may not have come to the job yet."""
    session_id = world.session()
    answer = world.say(session_id, "I live in Oslo.")
    world.client.update_item(
        TableName=world.data.table,
        Key=keys.session("ada", session_id)._asdict(),
        UpdateExpression="SET deleted_at = :now",
        ExpressionAttributeValues={":now": "2026-09-20T12:00:00.000000Z"},
    )
    assert world.deliver(_message(answer)) == []
    assert world.background.prompts == []
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == ("cancelled", "the session was deleted")


def test_a_session_deleted_during_the_model_call_learns_nothing(world: World) -> None:
    """Deleted between the call and the store: cancelled, and nothing of it is stored."""
    session_id = world.session()

    def deleting(_: Sequence[Message]) -> str:
        assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
        return reply(OSLO)

    world.background.will(deleting)
    answer = world.say(session_id, "I live in Oslo.")
    assert world.deliver(_message(answer)) == []
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == ("cancelled", "the session was deleted")
    assert world.memories() == []
    invariants.hold(world, removed=["Oslo"])


def test_a_session_deleted_during_a_failing_model_call_stays_cancelled(world: World) -> None:
    """The failure comes after the end: the end stays, and the message is done with."""
    session_id = world.session()

    def deleting(_: Sequence[Message]) -> str:
        world.call("DELETE", f"/v1/sessions/{session_id}")
        raise ModelUnavailable

    world.background.will(deleting)
    answer = world.say(session_id, "I live in Oslo.")
    assert world.deliver(_message(answer)) == []
    assert world.job(answer["extraction"]["job_id"])["state"] == "cancelled"
    invariants.hold(world)


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


def test_a_job_at_work_elsewhere_is_left_alone(world: World) -> None:
    """While another worker's lease runs, a delivery calls no model and comes back."""
    answer = world.say(world.session(), "I live in Oslo.")
    job = jobs.get(world.runtime.table, "ada", answer["extraction"]["job_id"])
    at = world.clock()
    until = at.replace(minute=at.minute + 1)
    world.runtime.table.write(job_transitions.claim_write("ada", job, "lea_other", at, until))
    before = world.rows()
    assert world.deliver(_message(answer)) == ["0"]
    assert (world.rows(), world.background.prompts) == (before, [])
    world.clock.advance(minutes=2)
    assert world.deliver(_message(answer)) == []
    assert world.job(answer["extraction"]["job_id"])["state"] == "none"


def test_a_worker_that_lost_its_lease_stores_nothing(world: World) -> None:
    """Another worker took the job during the model call: only that one ends it."""
    answer = world.say(world.session(), "I live in Oslo.")
    message = _message(answer)

    def outlived(_: Sequence[Message]) -> str:
        world.clock.advance(minutes=5)
        assert world.deliver(message) == []
        return reply(OSLO)

    world.background.will(outlived, reply(OSLO))
    assert world.deliver(message) == []
    (memory,) = world.memories()
    assert (memory["revision"], len(memory["evidence"])) == (1, 1)
    job = world.job(message["job_id"])
    assert (job["state"], job["attempts"]) == ("stored", 2)
    invariants.hold(world)


def test_a_job_that_kills_its_worker_is_given_up(world: World) -> None:
    """A worker that dies leaves no failure behind, so tries are bounded as well."""

    class Killed(BaseException):
        """The process ends here."""

    def dying(_: Sequence[Message]) -> str:
        raise Killed

    world.background.default = dying
    answer = world.say(world.session(), "I live in Oslo.")
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(Killed):
            world.deliver(_message(answer))
        world.clock.advance(minutes=5)
    assert world.deliver(_message(answer)) == ["0"]
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == ("failed", "given up after 12 attempts")
    assert len(world.background.prompts) == MAX_ATTEMPTS
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


def test_a_batch_without_time_left_comes_back_untouched(world: World) -> None:
    """Too little time for a model call: nothing is claimed, nothing counts as a try."""
    from functions.extract import worker
    from strandline.clock import Deadline

    answer = world.say(world.session(), "I live in Oslo.")
    before = world.rows()
    with pytest.raises(worker.Postponed):
        worker.process_job(world.runtime, "ada", answer["extraction"]["job_id"], Deadline.after(1))
    assert (world.rows(), world.background.prompts) == (before, [])


def test_a_try_that_failed_while_another_worker_looked_is_not_uncounted(world: World) -> None:
    """A job read during one worker's try can't be claimed after that try has failed."""
    answer = world.say(world.session(), "I live in Oslo.")
    table, at = world.runtime.table, world.clock()
    until = at + timedelta(seconds=90)
    job_id = answer["extraction"]["job_id"]
    table.write(
        job_transitions.claim_write("ada", jobs.get(table, "ada", job_id), "lea_one", at, until)
    )
    as_read = jobs.get(table, "ada", job_id)
    retry = job_transitions.JobRetry("MODEL_UNAVAILABLE: It failed.", at)
    job_transitions.release(table, "ada", as_read, retry, at)
    with pytest.raises(ConditionFailed):
        table.write(job_transitions.claim_write("ada", as_read, "lea_two", at, until))
    job = jobs.get(table, "ada", job_id)
    assert (job.attempts, job.failures, job.lease) == (1, 1, "lea_one")
