"""One key, one message: replayed, refused or carried on with, never stored twice."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from functions.chat import send_message
from functions.chat.requests import NewMessage
from functions.chat.responses import Answer
from functions.chat.send_message import MessageRequest
from strandline.clock import Deadline
from strandline.errors import ModelUnavailable, RequestInProgress
from tests.support.comparisons import assert_problem
from tests.support.world import Reply, World


def say(
    world: World,
    session_id: str,
    key: str,
    account: str = "ada",
    **fields: Any,
) -> Reply:
    """A message with that idempotency key: "hello", unless its fields say otherwise."""
    return world.call(
        "POST",
        f"/v1/sessions/{session_id}/messages",
        {"content": "hello", **fields},
        account=account,
        headers={"Idempotency-Key": key},
    )


def contents(world: World, session_id: str, account: str = "ada") -> list[str]:
    """What was said in a session, oldest first."""
    reply = world.call("GET", f"/v1/sessions/{session_id}/turns?limit=100", account=account)
    return [turn["content"] for turn in reply["items"]]


def test_the_same_key_and_body_gives_the_same_response(world: World) -> None:
    """Nothing is stored, asked or queued again, however often it is sent."""
    session_id = world.session()
    first = say(world, session_id, "k-1")
    rows, waiting = world.rows(), world.waiting()
    for _ in range(2):
        again = say(world, session_id, "k-1")
        assert (again.status, again.body) == (first.status, first.body)
    assert (world.rows(), world.waiting(), len(world.chat.prompts)) == (rows, waiting, 1)


def test_a_replay_is_the_first_response_after_the_job_has_ended_too(world: World) -> None:
    """The response says how the job stood when it was given."""
    session_id = world.session()
    first = say(world, session_id, "k-1")
    world.drain()
    assert world.job(first["extraction"]["job_id"])["state"] == "none"
    world.cold()
    assert say(world, session_id, "k-1").body == first.body


def test_the_order_and_defaults_of_fields_dont_make_another_body(world: World) -> None:
    """What counts is what the body says."""
    session_id = world.session()
    first = say(world, session_id, "k-1", recall="off", history="off")
    same = say(world, session_id, "k-1", history="off", recall="off", memory_scope="latest_1")
    assert same.body == first.body


@pytest.mark.parametrize(
    "other", [{"content": "else"}, {"recall": "off"}, {"history": "off"}], ids=repr
)
def test_the_same_key_with_another_body_is_422(world: World, other: dict[str, str]) -> None:
    """A key stands for one request; nothing of the second is stored."""
    session_id = world.session()
    say(world, session_id, "k-1")
    rows = world.rows()
    assert_problem(say(world, session_id, "k-1", **other), 422, "IDEMPOTENCY_KEY_REUSED")
    assert (world.rows(), len(world.chat.prompts)) == (rows, 1)


def test_the_same_key_in_another_session_is_422(world: World) -> None:
    """The session is part of what was asked."""
    say(world, world.session(), "k-1")
    assert_problem(say(world, world.session(), "k-1"), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_key_belongs_to_its_account(world: World) -> None:
    """Two accounts may use the same key, and neither sees the other's answer."""
    hers, his = world.session("ada"), world.session("lin")
    first = say(world, hers, "k-1", content="from ada")
    second = say(world, his, "k-1", account="lin", content="from lin")
    assert (first.status, second.status) == (201, 201)
    assert contents(world, hers) == ["from ada", "Understood."]
    assert contents(world, his, "lin") == ["from lin", "Understood."]
    assert_problem(say(world, hers, "k-1", account="lin", content="from ada"), 404, "NOT_FOUND")


def test_a_key_that_is_still_being_answered_is_409_with_retry_after(world: World) -> None:
    """While the model is asked, the same request is told to wait, and another body refused."""
    session_id = world.session()
    asked = MessageRequest("ada", session_id, NewMessage(content="hello"), "k-1")
    waits: list[int] = []

    def meanwhile(_: Any) -> str:
        with pytest.raises(RequestInProgress) as busy:
            send_message.answer_message(world.runtime, asked, Deadline.after(20))
        waits.append(busy.value.extra["retry_after"])
        return "Done."

    world.chat.will(meanwhile)
    assert say(world, session_id, "k-1").status == 201
    assert 1 <= waits[0] <= 20
    assert contents(world, session_id) == ["hello", "Done."]


def test_409_carries_retry_after_as_a_header(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds to wait, where HTTP clients look for them."""
    session_id = world.session()

    def killed(_: Any) -> str:
        raise KeyboardInterrupt

    world.chat.will(killed)
    monkeypatch.setattr("functions.chat.send_message.questions.release_question", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        say(world, session_id, "k-1")
    busy = say(world, session_id, "k-1")
    assert_problem(busy, 409, "REQUEST_IN_PROGRESS")
    assert 1 <= int(busy.headers["retry-after"]) <= 29
    world.clock.advance(seconds=40)
    assert say(world, session_id, "k-1").status == 201
    assert contents(world, session_id) == ["hello", "Understood."]


def test_after_a_failure_the_same_key_answers_the_stored_question(world: World) -> None:
    """The words are there once, and now they have their answer."""
    session_id = world.session()
    world.chat.will(ModelUnavailable())
    failed = say(world, session_id, "k-1")
    assert failed.status == 502
    done = say(world, session_id, "k-1")
    assert (done.status, done["user_turn"]["id"]) == (201, failed["turn_id"])
    assert contents(world, session_id) == ["hello", "Understood."]
    assert say(world, session_id, "k-1").body == done.body


@pytest.mark.parametrize("content", ["", "a" * 100_001])
def test_a_refused_message_doesnt_take_its_key(world: World, content: str) -> None:
    """The corrected message may be sent with the same key."""
    session_id = world.session()
    assert say(world, session_id, "k-1", content=content).status in (400, 413)
    assert say(world, session_id, "k-1", content="now right").status == 201


@pytest.mark.parametrize("key", ["", "a" * 256])
def test_a_key_out_of_range_is_400(world: World, key: str) -> None:
    """One to 255 characters."""
    session_id = world.session()
    assert_problem(say(world, session_id, key), 400, "INVALID")
    assert contents(world, session_id) == []


@pytest.mark.parametrize("key", ["a" * 255, "#", "A#ada#S#x", "\u00e9", "a b"])
def test_any_other_key_is_one(world: World, key: str) -> None:
    """Whatever is in it, it names a record of the account's own and nothing else."""
    session_id = world.session()
    first = say(world, session_id, key)
    assert say(world, session_id, key).body == first.body
    [record] = [row for row in world.rows() if row["sk"].startswith("ONCE#")]
    assert (record["pk"], len(record["sk"])) == ("A#ada", 5 + 64)
    assert "hello" not in str(record)


def test_a_key_is_free_again_after_a_day(world: World) -> None:
    """An expired record counts as none, whether or not it was swept away."""
    session_id = world.session()
    say(world, session_id, "k-1", content="one")
    world.clock.advance(hours=24)
    assert say(world, session_id, "k-1", content="two").status == 201
    assert contents(world, session_id)[::2] == ["one", "two"]


def test_ten_parallel_sends_with_one_key_store_one_message(world: World) -> None:
    """One is answered; the others get its answer or are told to wait."""
    session_id = world.session()
    asked = MessageRequest("ada", session_id, NewMessage(content="only once"), "k-1")

    def send(_: int) -> Answer | None:
        try:
            return send_message.answer_message(world.runtime, asked, Deadline.after(20))
        except RequestInProgress:
            return None

    with ThreadPoolExecutor(10) as threads:
        answers = [answer for answer in threads.map(send, range(10)) if answer is not None]
    assert contents(world, session_id) == ["only once", "Understood."]
    assert answers
    assert {answer.assistant_turn.id for answer in answers} == {answers[0].assistant_turn.id}
    assert len(world.chat.prompts) == 1
    assert say(world, session_id, "k-1", content="only once")["user_turn"]["content"] == "only once"
