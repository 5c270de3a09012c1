"""The Lifeline lifecycle: reply first, memory later, and that memory in the next prompt."""

from typing import Any

from strandline.errors import ModelUnavailable
from tests.support import invariants
from tests.support.extraction_replies import found, reply
from tests.support.world import World

SAID = "I only drink oat milk in my coffee."
LEARNED = found("The user only drinks oat milk in coffee.", "I only drink oat milk in my coffee")


def _rows_but_jobs(world: World) -> list[dict[str, Any]]:
    return [row for row in world.rows() if not row["sk"].startswith("JOB#")]


def _failing_job(world: World, session_id: str) -> Any:
    """Say something whose extraction fails for good; the rows before and the job at last."""
    answer = world.say(session_id, "I moved to Oslo.", recall="off")
    assert answer.status == 201
    before = _rows_but_jobs(world)
    for _ in range(world.runtime.settings.job_max_failures):
        world.deliver({"account": "ada", "job_id": answer["extraction"]["job_id"]})
    open_mark = [row for row in before if row["pk"] == "A#ada#OPEN"]
    assert _rows_but_jobs(world) == [row for row in before if row not in open_mark]
    return world.job(answer["extraction"]["job_id"])


def test_the_reply_comes_before_the_memory(world: World) -> None:
    """While the queue is held there is no memory; once it is released there is one, with source."""
    session_id = world.session()
    world.background.will(reply(LEARNED))
    answer = world.say(session_id, SAID)
    assert answer.status == 201
    assert world.job(answer["extraction"]["job_id"])["state"] == "queued"
    assert world.memories() == []

    assert world.drain() == []

    (memory,) = world.memories()
    job = world.job(answer["extraction"]["job_id"])
    time = "2026-09-20T12:00:00.000000Z"
    assert memory == {
        "id": memory["id"],
        "revision": 1,
        "kind": "observation",
        "title": "The user only drinks oat milk in coffee.",
        "text": "The user only drinks oat milk in coffee.",
        "importance": 0.7,
        "labels": [],
        "subject": "user",
        "topic": "",
        "language": "en",
        "evidence": [
            {
                "turn_id": answer["user_turn"]["id"],
                "turn_version": 1,
                "role": "user",
                "word_start": 0,
                "word_end": 8,
                "said_at": time,
                "quote": "I only drink oat milk in my coffee",
            }
        ],
        "author": "model",
        "state": "active",
        "maturity": "settled",
        "freshness": "current",
        "review": "unreviewed",
        "saved": False,
        "dismissed": False,
        "flags": [],
        "challenges": None,
        "references": [],
        "created_at": time,
        "updated_at": time,
        "access_count": 0,
        "last_accessed_at": None,
    }
    assert job == {
        "id": answer["extraction"]["job_id"],
        "kind": "extraction",
        "state": "stored",
        "reason": None,
        "result": {"stored": [memory["id"]], "dropped": []},
        "attempts": 1,
        "created_at": time,
        "updated_at": time,
    }
    invariants.hold(world)


def test_a_new_session_meets_the_memory_in_its_prompt(world: World) -> None:
    """Another session of the account gets the memory in the prompt that is sent."""
    world.learn(world.session(), SAID, LEARNED)
    answer = world.say(world.session(), "Which milk should I buy for my coffee?")
    (memory,) = world.memories()
    assert "- The user only drinks oat milk in coffee." in world.chat.text()
    assert [m["memory_id"] for m in answer["context"]["memories"]] == [memory["id"]]
    assert answer["context"]["recall"] == "ok"


def test_another_account_does_not_meet_the_memory(world: World) -> None:
    """The same question of another account is answered without any memory."""
    world.learn(world.session(), SAID, LEARNED)
    theirs = world.session("grace")
    answer = world.say(theirs, "Which milk should I buy for my coffee?", "grace")
    assert "oat" not in world.chat.text()
    assert (answer["context"]["recall"], answer["context"]["memories"]) == ("no_match", [])
    assert world.memories("grace") == []


def test_a_failing_extraction_leaves_turns_and_earlier_memories_untouched(world: World) -> None:
    """The background model fails after the reply: only the job's own rows change."""
    session_id = world.session()
    world.learn(session_id, SAID, LEARNED)
    world.background.default = ModelUnavailable()
    job = _failing_job(world, session_id)
    assert (job["state"], job["reason"]) == (
        "failed",
        "MODEL_UNAVAILABLE: The model's service failed.",
    )
    assert (job["attempts"], job["result"]) == (4, {"stored": [], "dropped": []})
    invariants.hold(world)


def test_a_failing_embedding_leaves_turns_and_earlier_memories_untouched(world: World) -> None:
    """The embedder fails after the reply: only the job's own rows change."""
    session_id = world.session()
    world.learn(session_id, SAID, LEARNED)
    world.background.default = reply(found("The user moved to Oslo.", "I moved to Oslo"))
    before_job = world.embedder
    answered = world.say

    def say_then_fail(*args: Any, **kwargs: Any) -> Any:
        answer = answered(*args, **kwargs)
        before_job.failure = ModelUnavailable()
        return answer

    world.say = say_then_fail  # type: ignore[method-assign]
    job = _failing_job(world, session_id)
    assert (job["state"], job["reason"]) == (
        "failed",
        "MODEL_UNAVAILABLE: The model's service failed.",
    )
    invariants.hold(world)


def test_a_vector_that_cannot_be_compared_is_never_stored(world: World) -> None:
    """A zero or NaN vector fails the try, as the job says."""
    for vector in ([0.0] * 64, [float("nan")] * 64):
        world.embedder.vectors = {LEARNED["text"]: vector}
        answer = world.learn(world.session(), SAID, LEARNED)
        job = world.job(answer["extraction"]["job_id"])
        assert (job["state"], job["reason"]) == (
            "running",
            "MODEL_REPLY_INVALID: The embedder gave a vector that can't be used.",
        )
    assert world.memories() == []


def test_a_use_is_counted_once_for_each_answer_and_in_the_background(world: World) -> None:
    """The answer moves no count; its extraction moves it by one, however often it is delivered."""
    world.learn(world.session(), SAID, LEARNED)
    world.clock.advance(hours=1)
    answer = world.say(world.session(), "Which milk should I buy for my coffee?")
    asked_at = answer["assistant_turn"]["created_at"]
    (before,) = world.memories()
    assert (before["access_count"], before["last_accessed_at"]) == (0, None)

    world.clock.advance(hours=1)
    message = {"account": "ada", "job_id": answer["extraction"]["job_id"]}
    world.deliver(message, message)
    world.deliver(message)

    (after,) = world.memories()
    assert after == before | {"access_count": 1, "last_accessed_at": asked_at}


def test_a_use_is_counted_once_even_when_the_first_try_fails(world: World) -> None:
    """What a failed try has counted isn't counted by the next."""
    world.learn(world.session(), SAID, LEARNED)
    world.background.will(ModelUnavailable(), reply())
    answer = world.say(world.session(), "Which milk should I buy for my coffee?")
    message = {"account": "ada", "job_id": answer["extraction"]["job_id"]}
    assert world.deliver(message) == ["0"]
    assert world.deliver(message) == []
    assert world.memories()[0]["access_count"] == 1


def test_only_what_was_in_the_prompt_counts_as_used(world: World) -> None:
    """A prompt holds at most eight memories; what was selected beyond that was not used."""
    world.use(recall_limit=50, recall_threshold=0.0)
    for number in range(10):
        said = f"My lucky number is {number}."
        learned = found(f"The user's lucky number is {number}.", said, topic=f"number {number}")
        world.learn(world.session(), said, learned, recall="off")
    answer = world.say(world.session(), "What is my lucky number?")
    world.drain()
    assert len(answer["context"]["memories"]) == 10
    assert sorted(m["access_count"] for m in world.memories()) == [0, 0] + [1] * 8


def test_using_a_deleted_memory_does_not_bring_it_back(world: World) -> None:
    """The count of a memory that was deleted before the extraction ran is left alone."""
    world.learn(world.session(), SAID, LEARNED)
    (memory,) = world.memories()
    world.say(world.session(), "Which milk should I buy for my coffee?")
    world.call("DELETE", f"/v1/memories/{memory['id']}")
    assert world.drain() == []
    assert world.memories() == []
    invariants.hold(world, removed=[LEARNED["text"]])
