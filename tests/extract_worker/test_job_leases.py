"""A job is claimed by a lease; its attempts are counted and bounded."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from functions.extract.worker import MAX_ATTEMPTS
from strandline.providers.base import Message
from strandline.store import job_transitions, jobs
from strandline.table import ConditionFailed
from tests.support import invariants
from tests.support.extraction_replies import found, reply
from tests.support.world import Reply, World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")


def _message(answer: Reply) -> dict[str, str]:
    return {"account": "ada", "job_id": answer["extraction"]["job_id"]}


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
