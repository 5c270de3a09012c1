"""The queue as AWS's mapping drives it: poison ends beside the road, and comes back on request."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from infra.stack.queues import bodies, move_back
from tests.support.deployment import Account, Control, Deployment, eventually
from tests.support.openai_script import Kind
from tests.support.openai_server import failure


def test_a_poison_message_dies_alone(target: Deployment, ada: Account, control: Control) -> None:
    """Jobs before and behind it are done; after six deliveries it is in the dead-letter queue."""
    poison = json.dumps({"poison": uuid.uuid4().hex})
    session_id = ada.session()
    said = [ada.say(session_id, "I have a boat.")]
    control.sqs.send_message(QueueUrl=control.queue, MessageBody=poison)
    said += [ada.say(session_id, f"I have a boat and {n} oars.") for n in ("two", "four", "six")]
    target.tell(control.queues())
    for each in said:
        assert ada.ended(each["extraction"]["job_id"])["state"] in ("stored", "none")
    dead = eventually(
        lambda: [b for b in bodies(control.sqs, control.dead_queue) if b == poison],
        "the poison message in the dead-letter queue",
    )
    assert dead == [poison]
    target.tell(control.queues())


def test_a_job_that_failed_for_good_leaves_its_notice(
    target: Deployment, ada: Account, control: Control
) -> None:
    """Its message is in the dead-letter queue; moved back it ends nothing twice and returns."""
    about = f"a lighthouse called {uuid.uuid4().hex[:6]}"
    control.script.will(Kind.EXTRACTION, about, *[failure(401, "invalid_api_key")] * 3)
    job_id = ada.say(ada.session(), f"I own {about}.")["extraction"]["job_id"]
    failed = ada.ended(job_id)
    assert failed["state"] == "failed"

    def notice() -> list[str]:
        return [b for b in bodies(control.sqs, control.dead_queue) if job_id in b]

    assert len(eventually(notice, "the failed job's message")) == 1
    target.tell(control.queues())
    target.tell(f"moved back: {move_back(control.sqs, control.dead_queue, control.queue)}")
    assert len(eventually(notice, "the failed job's message, again")) == 1
    assert ada.get(f"/v1/jobs/{job_id}") == failed
    target.tell(control.queues())


@contextmanager
def broken_worker(control: Control) -> Iterator[None]:
    """A deployment gone wrong: the worker looks for a table that isn't there. Then it is mended.

    The queue's visibility is shortened meanwhile, or six deliveries would take 36 minutes.
    """
    lambdas, name = control.emulator.client("lambda"), control.stack.resources["ExtractFunction"]
    variables = lambdas.get_function_configuration(FunctionName=name)["Environment"]["Variables"]

    def change(table: str, visibility: str) -> None:
        lambdas.update_function_configuration(
            FunctionName=name, Environment={"Variables": variables | {"TABLE_NAME": table}}
        )
        control.sqs.set_queue_attributes(
            QueueUrl=control.queue, Attributes={"VisibilityTimeout": visibility}
        )

    change("no-such-table", "1")
    try:
        yield
    finally:
        change(variables["TABLE_NAME"], "361")


def test_dead_jobs_are_done_after_a_re_drive(
    target: Deployment, ada: Account, control: Control
) -> None:
    """A broken worker sends one to the dead-letter queue; mended and re-driven, it ends stored."""
    with broken_worker(control):
        job_id = ada.say(ada.session(), "I collect sea glass.")["extraction"]["job_id"]
        eventually(
            lambda: [b for b in bodies(control.sqs, control.dead_queue) if job_id in b],
            "the job's message in the dead-letter queue",
        )
        target.tell(control.queues())
    assert ada.get(f"/v1/jobs/{job_id}")["state"] == "queued"
    target.tell(f"moved back: {move_back(control.sqs, control.dead_queue, control.queue)}")
    job = ada.ended(job_id)
    assert (job["state"], len(job["result"]["stored"])) == ("stored", 1)
    assert [m["text"] for m in ada.get("/v1/memories")["items"]]
    target.tell(control.queues())
