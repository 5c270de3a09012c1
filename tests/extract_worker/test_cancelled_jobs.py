"""A deleted session cancels its job, whenever the deletion comes."""

from collections.abc import Sequence

from strandline import keys
from strandline.errors import ModelUnavailable
from strandline.providers.base import Message
from tests.support import invariants
from tests.support.extraction_replies import found, reply
from tests.support.world import Reply, World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")


def _message(answer: Reply) -> dict[str, str]:
    return {"account": "ada", "job_id": answer["extraction"]["job_id"]}


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
