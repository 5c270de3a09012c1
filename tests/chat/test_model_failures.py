"""The model fails: the words stay, the failure is told, and the question is answered later."""

from typing import Any

import pytest

from strandline.errors import (
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from strandline.providers.base import Completion, Finish
from tests.support.logs_and_metrics import metrics
from tests.support.world import World

FAILURES = [
    (ModelTimeout(), 504, True),
    (ModelUnavailable(), 502, True),
    (ModelRateLimited(retry_after=3), 502, True),
    (ModelRejected(), 502, False),
    (ModelReplyInvalid(), 502, True),
]


def turns_of(world: World, session_id: str) -> list[dict[str, Any]]:
    """All turns of a session, oldest first."""
    items: list[dict[str, Any]] = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
    return items


@pytest.mark.parametrize(("failure", "status", "retryable"), FAILURES, ids=str)
def test_a_failure_is_told_with_the_stored_question(
    world: World,
    failure: ModelError,
    status: int,
    retryable: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """502 or 504 with the turn's id and whether to try again; the turn stays unanswered."""
    session_id = world.session()
    world.chat.will(failure)
    reply = world.say(session_id, "please")
    [turn] = turns_of(world, session_id)
    assert (turn["content"], turn["status"]) == ("please", "unanswered")
    assert reply.status == status
    assert {k: v for k, v in reply.body.items() if k not in ("request_id", "title")} == {
        "type": "about:blank",
        "status": status,
        "detail": failure.message,
        "code": failure.code,
        "turn_id": turn["id"],
        "retryable": retryable,
    }
    assert metrics(capsys.readouterr().out) == ["ChatModelFailed"]
    assert world.waiting() == 0
    assert world.call("GET", f"/v1/turns/{turn['id']}/receipt").status == 404


def test_a_failed_question_is_answered_by_reply_without_a_copy(world: World) -> None:
    """The same turn gets its answer, with the prompt it would have had."""
    session_id = world.session()
    world.say(session_id, "my code word is teal")
    world.chat.will(ModelTimeout())
    turn_id = world.say(session_id, "what is it?")["turn_id"]
    world.chat.will("Teal.")
    reply = world.call("POST", f"/v1/turns/{turn_id}/reply")
    assert reply.status == 201
    assert (reply["user_turn"]["id"], reply["user_turn"]["status"]) == (turn_id, "answered")
    assert reply["assistant_turn"]["content"] == "Teal."
    assert world.chat.prompts[-1] == world.chat.prompts[-2]
    assert [turn["content"] for turn in turns_of(world, session_id)] == [
        "my code word is teal",
        "Understood.",
        "what is it?",
        "Teal.",
    ]
    assert world.job(reply["extraction"]["job_id"])["state"] == "queued"


def test_an_answered_question_gives_its_answer_again(world: World) -> None:
    """Reply is safe to repeat: the same response, no model call, no second job."""
    session_id = world.session()
    first = world.say(session_id, "hello")
    rows = world.rows()
    again = world.call("POST", f"/v1/turns/{first['user_turn']['id']}/reply")
    assert (again.status, again.body) == (201, first.body)
    assert (len(world.chat.prompts), world.rows()) == (1, rows)


def test_an_assistant_turn_has_no_reply(world: World) -> None:
    """Only what a user said can be answered."""
    answer = world.say(world.session(), "hello")["assistant_turn"]
    assert world.call("POST", f"/v1/turns/{answer['id']}/reply").status == 400


def test_an_unanswered_question_is_no_pair_and_its_absence_is_told(world: World) -> None:
    """It stays out of later prompts until it is answered; then it stands at its own place."""
    session_id = world.session()
    world.chat.will(ModelTimeout())
    turn_id = world.say(session_id, "first")["turn_id"]
    second = world.say(session_id, "second")
    assert [m.content for m in world.chat.prompts[-1]] == ["second"]
    receipt = world.call("GET", f"/v1/turns/{second['user_turn']['id']}/receipt")
    assert [(left["reason"], left["from_sequence"]) for left in receipt["left_out"]] == [
        ("unanswered", 1)
    ]
    world.call("POST", f"/v1/turns/{turn_id}/reply")
    assert [m.content for m in world.chat.prompts[-1]] == ["first"]
    world.say(session_id, "third")
    assert [m.content for m in world.chat.prompts[-1][1:-1:2]] == ["first", "second"]


def test_a_late_reply_sees_what_came_before_its_question(world: World) -> None:
    """However much was said since: the window ends at the question, not at the present."""
    world.use(history_turns=4)
    session_id = world.session()
    world.say(session_id, "my code word is teal")
    world.chat.will(ModelTimeout())
    turn_id = world.say(session_id, "what is it?")["turn_id"]
    for number in range(5):
        world.say(session_id, f"later {number}")
    world.call("POST", f"/v1/turns/{turn_id}/reply")
    assert [m.content for m in world.chat.prompts[-1][1:]] == [
        "my code word is teal",
        "Understood.",
        "what is it?",
    ]


def test_a_question_whose_function_was_killed_is_answerable_after_its_lease(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody marks it unanswered any more; it shows as unanswered all the same."""
    session_id = world.session()

    def killed(_: Any) -> str:
        raise KeyboardInterrupt

    world.chat.will(killed)
    monkeypatch.setattr("functions.chat.send_message.questions.release_question", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        world.say(session_id, "anyone?")
    [turn] = turns_of(world, session_id)
    assert turn["status"] == "answering"
    busy = world.call("POST", f"/v1/turns/{turn['id']}/reply")
    assert (busy.status, busy["code"]) == (409, "REQUEST_IN_PROGRESS")
    assert int(busy.headers["retry-after"]) >= 1
    world.clock.advance(seconds=40)
    assert turns_of(world, session_id)[0]["status"] == "unanswered"
    assert world.call("POST", f"/v1/turns/{turn['id']}/reply").status == 201


def test_a_reply_keeps_the_options_the_question_was_asked_with(world: World) -> None:
    """Recall, history and model are those of the message, not of the session as it is later."""
    session_id = world.session()
    world.say(session_id, "hello")
    world.chat.will(ModelTimeout())
    turn_id = world.say(session_id, "only this", history="off", recall="off")["turn_id"]
    reply = world.call("POST", f"/v1/turns/{turn_id}/reply")
    assert reply["context"]["recall"] == "off"
    assert [m.content for m in world.chat.prompts[-1]] == ["only this"]


@pytest.mark.parametrize(
    ("finish", "status"), [(Finish.LENGTH, "truncated"), (Finish.REFUSAL, "complete")]
)
def test_an_answer_that_was_cut_off_says_so(world: World, finish: Finish, status: str) -> None:
    """A refusal is an answer; a text cut by length is kept and marked."""
    world.chat.will(Completion("I would", "scripted", "model-1", finish))
    reply = world.say(world.session(), "hello")
    assert (reply.status, reply["assistant_turn"]["status"]) == (201, status)


@pytest.mark.parametrize("text", ["half a \ud83d character", "\x00", "\ud83d\udc1d"])
def test_no_text_of_a_model_breaks_the_answer(world: World, text: str) -> None:
    """What a model says is stored and told as far as it is text."""
    session_id = world.session()
    world.chat.will(text)
    reply = world.say(session_id, "hello")
    assert reply.status == 201
    read = world.call("GET", f"/v1/turns/{reply['assistant_turn']['id']}")
    assert read["content"] == reply["assistant_turn"]["content"]
    reply["assistant_turn"]["content"].encode()


def test_an_answer_too_large_to_store_is_told_as_the_models_fault(world: World) -> None:
    """Larger than an item may be: 502, and the question can be asked again."""
    session_id = world.session()
    world.chat.will("\u00e9" * 250_000)
    reply = world.say(session_id, "write a book")
    assert (reply.status, reply["code"]) == (502, "MODEL_REPLY_INVALID")
    assert turns_of(world, session_id)[0]["status"] == "unanswered"
