"""The maintenance function: every accepted job runs to an end, whatever was killed in between."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from functions.extract.worker import MAX_ATTEMPTS
from strandline import ids, keys
from strandline.errors import StorageBusy
from strandline.models.job import Job, JobKind, JobState
from strandline.providers.base import Message
from strandline.store import job_transitions, jobs
from tests.support import invariants
from tests.support.extraction_replies import found, reply
from tests.support.world import Reply, World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")


class Killed(BaseException):
    """The process ends here."""


class Refusing:
    """A queue's client that takes nothing."""

    def __init__(self, sqs: Any) -> None:
        self._sqs = sqs
        self.down = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sqs, name)

    def send_message(self, **request: Any) -> Any:
        if self.down:
            raise self._sqs.exceptions.QueueDoesNotExist(
                {"Error": {"Code": "AWS.SimpleQueueService.NonExistentQueue"}}, "SendMessage"
            )
        return self._sqs.send_message(**request)


def _job(world: World, answer: Reply) -> Any:
    return world.job(answer["extraction"]["job_id"])


def _unsent(world: World) -> tuple[Reply, Refusing]:
    queue = Refusing(world.sqs)
    world.runtime.queue._client = queue
    world.background.default = reply(OSLO)
    return world.say(world.session(), "I live in Oslo."), queue


def test_a_job_the_queue_did_not_take_is_sent_later(world: World) -> None:
    """The answer is 201 all the same; when its time has come the job is sent and done."""
    answer, queue = _unsent(world)
    assert (answer.status, answer["extraction"]["state"]) == (201, "queued")
    assert world.waiting() == 0
    queue.down = False

    assert world.maintain() == {"sent": 0, "finished": 0}
    world.clock.advance(seconds=world.runtime.settings.job_redrive_seconds + 1)
    assert world.maintain() == {"sent": 1, "finished": 0}
    assert world.maintain() == {"sent": 0, "finished": 0}

    assert world.drain() == []
    assert _job(world, answer)["state"] == "stored"
    assert len(world.memories()) == 1
    assert world.maintain() == {"sent": 0, "finished": 0}
    invariants.hold(world)


def test_a_queue_that_stays_down_is_tried_again(world: World) -> None:
    """A job that can't be sent now stays due, and the run goes on with the others."""
    _, queue = _unsent(world)
    world.say(world.session(), "I live in Oslo.")
    world.clock.advance(minutes=5)
    assert world.maintain() == {"sent": 0, "finished": 0}
    queue.down = False
    assert world.maintain() == {"sent": 2, "finished": 0}


def test_a_job_whose_worker_died_is_sent_again(world: World) -> None:
    """The message is lost with the worker: once the lease is over the job comes back."""

    def dying(_: Sequence[Message]) -> str:
        raise Killed

    world.background.will(dying, reply(OSLO))
    answer = world.say(world.session(), "I live in Oslo.")
    with pytest.raises(Killed):
        world.deliver({"account": "ada", "job_id": answer["extraction"]["job_id"]})
    assert _job(world, answer)["state"] == "running"
    world.sqs.purge_queue(QueueUrl=world.data.queue_url)

    world.clock.advance(minutes=5)
    assert world.maintain() == {"sent": 1, "finished": 0}
    assert world.drain() == []
    job = _job(world, answer)
    assert (job["state"], job["attempts"]) == ("stored", 2)
    invariants.hold(world)


def test_a_job_being_worked_on_is_left_alone(world: World) -> None:
    """While a worker's lease runs nothing is sent, and its time is put off."""
    answer = world.say(world.session(), "I live in Oslo.")
    world.sqs.purge_queue(QueueUrl=world.data.queue_url)
    job = jobs.get(world.runtime.table, "ada", answer["extraction"]["job_id"])
    world.clock.advance(minutes=5)
    at = world.clock()
    until = at + timedelta(minutes=1)
    world.runtime.table.write(job_transitions.claim_write("ada", job, "lea_other", at, until))

    assert world.maintain() == {"sent": 0, "finished": 0}
    assert world.waiting() == 0
    world.clock.advance(seconds=world.runtime.settings.job_redrive_seconds + 1)
    assert world.maintain() == {"sent": 1, "finished": 0}


def test_a_job_that_always_kills_its_worker_ends(world: World) -> None:
    """Re-driven and killed again and again, it is given up at last, with its reason."""

    def dying(_: Sequence[Message]) -> str:
        raise Killed

    world.background.default = dying
    answer = world.say(world.session(), "I live in Oslo.")
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(Killed):
            world.deliver({"account": "ada", "job_id": answer["extraction"]["job_id"]})
        world.clock.advance(minutes=5)
    world.sqs.purge_queue(QueueUrl=world.data.queue_url)
    assert world.maintain() == {"sent": 1, "finished": 0}
    assert len(world.drain()) == 1
    job = _job(world, answer)
    assert (job["state"], job["reason"]) == ("failed", f"given up after {MAX_ATTEMPTS} attempts")
    world.clock.advance(minutes=5)
    assert world.maintain() == {"sent": 0, "finished": 0}
    invariants.hold(world)


def test_a_mark_without_a_job_is_taken_away(world: World) -> None:
    """Marks of a missing and of an ended job go; the ended job stays as it is."""
    answer = world.learn(world.session(), "I live in Oslo.", OSLO)
    ended = answer["extraction"]["job_id"]
    before = world.rows()
    for job_id in (ended, ids.new_id("job", world.clock())):
        _, mark = jobs.creation_writes("ada", _extraction(world, job_id), world.clock())
        world.runtime.table.write(mark)
    assert world.maintain() == {"sent": 0, "finished": 0}
    assert world.rows() == before


def _extraction(world: World, job_id: str, **fields: Any) -> Job:
    at = world.clock()
    return Job(
        id=job_id,
        kind=JobKind.EXTRACTION,
        state=JobState.QUEUED,
        created_at=at,
        updated_at=at,
        **fields,
    )


def test_a_job_that_cannot_be_read_does_not_stop_the_others(world: World) -> None:
    """The oldest due job is broken: it is passed over, the next one is sent."""
    broken = world.say(world.session(), "I live in Oslo.")
    world.client.update_item(
        TableName=world.data.table,
        Key=keys.job("ada", broken["extraction"]["job_id"])._asdict(),
        UpdateExpression="SET surprise = :yes",
        ExpressionAttributeValues={":yes": True},
    )
    world.clock.advance(minutes=1)
    world.say(world.session(), "I live in Bergen.")
    world.sqs.purge_queue(QueueUrl=world.data.queue_url)
    world.clock.advance(minutes=5)
    assert world.maintain() == {"sent": 1, "finished": 0}


def test_the_due_jobs_of_all_accounts_are_found(world: World) -> None:
    """Accounts are spread over the index's partitions; the re-drive looks at each."""
    accounts = [f"account-{number}" for number in range(12)]
    assert len({keys.open_shard(account) for account in accounts}) == keys.OPEN_JOBS_SHARDS
    for account in accounts:
        job = _extraction(world, ids.new_id("job", world.clock()))
        world.runtime.table.transact(jobs.creation_writes(account, job, world.clock()))
    assert world.maintain() == {"sent": len(accounts), "finished": 0}
    assert world.waiting() == len(accounts)


def test_a_busy_table_is_left_for_the_next_run(world: World) -> None:
    """Storage that is busy with one job's rows keeps that job due and harms nothing else."""
    _unsent(world)[1].down = False
    world.clock.advance(minutes=5)
    table = world.runtime.table
    real = table.get
    calls: list[str] = []

    def busy_once(key: keys.Key, **how: Any) -> Any:
        calls.append(key.sk)
        if len(calls) == 1:
            raise StorageBusy
        return real(key, **how)

    table.get = busy_once  # type: ignore[method-assign]
    assert world.maintain() == {"sent": 0, "finished": 0}
    assert world.maintain() == {"sent": 1, "finished": 0}
