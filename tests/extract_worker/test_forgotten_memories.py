"""What the user deletes stays deleted, until the user says it anew."""

import pytest

from strandline import ids
from strandline.models.job import Job, JobKind, JobState
from strandline.store import jobs
from tests.support import invariants
from tests.support.extraction_replies import found, reply
from tests.support.world import Reply, World

SAID = "I'm allergic to peanuts."
FACT = found("The user is allergic to peanuts.", "I'm allergic to peanuts", topic="allergy")
IN_OTHER_WORDS = found(
    "The user can't eat any nuts at all, peanuts above all.", "allergic to peanuts"
)


def _delete(world: World, text: str) -> None:
    (memory_id,) = [m["id"] for m in world.memories() if m["text"] == text]
    assert world.call("DELETE", f"/v1/memories/{memory_id}").status == 204


def _extract_again(world: World, answer: Reply, *memories: dict[str, object]) -> Job:
    """A second extraction of an exchange, as a backfill makes it."""
    at = world.clock()
    job = Job(
        id=ids.new_id("job", at),
        kind=JobKind.EXTRACTION,
        state=JobState.QUEUED,
        session_id=answer["user_turn"]["session_id"],
        sequence_number=answer["user_turn"]["sequence_number"],
        created_at=at,
        updated_at=at,
    )
    world.runtime.table.transact(jobs.creation_writes("ada", job, at))
    world.background.will(reply(*memories))
    assert world.deliver({"account": "ada", "job_id": job.id}) == []
    return jobs.get(world.runtime.table, "ada", job.id)


def _learned_and_deleted(world: World) -> Reply:
    answer = world.learn(world.session(), SAID, FACT)
    world.clock.advance(days=1)
    _delete(world, FACT["text"])
    return answer


def test_a_deleted_memory_leaves_none_of_its_words(world: World) -> None:
    """Nothing but the turn, which is the user's own, holds any of it."""
    answer = _learned_and_deleted(world)
    world.say(world.session(), "Am I allergic to peanuts?")
    assert FACT["text"] not in world.chat.text()
    assert world.call("GET", f"/v1/memories/{_stored(world, answer)}").status == 410
    invariants.hold(world, removed=[FACT["text"]])


def _stored(world: World, answer: Reply) -> str:
    (memory_id,) = world.job(answer["extraction"]["job_id"])["result"]["stored"]
    return str(memory_id)


def test_redelivery_does_not_bring_a_deleted_memory_back(world: World) -> None:
    """The finished job's message comes again after the deletion: nothing changes."""
    answer = _learned_and_deleted(world)
    before = world.rows()
    assert world.deliver({"account": "ada", "job_id": answer["extraction"]["job_id"]}) == []
    assert world.rows() == before


@pytest.mark.parametrize("fact", [FACT, IN_OTHER_WORDS], ids=["same words", "other words"])
def test_extracting_the_same_turn_again_does_not_learn_it_again(
    world: World, fact: dict[str, object]
) -> None:
    """The same statement, however the model words it now, is dropped with its reason."""
    answer = _learned_and_deleted(world)
    job = _extract_again(world, answer, fact)
    assert job.state is JobState.NONE
    assert [dropped.reason for dropped in job.result.dropped] == [
        "forgotten: the user removed this"
    ]
    assert world.memories() == []
    invariants.hold(world, removed=[FACT["text"]])


def test_what_stood_beside_a_deleted_memory_is_still_learned(world: World) -> None:
    """Only the words the memory came from are forgotten, not the rest of the turn."""
    said = "I'm allergic to peanuts and I live in Oslo."
    answer = world.learn(world.session(), said, FACT)
    _delete(world, FACT["text"])
    oslo = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
    job = _extract_again(world, answer, FACT, oslo)
    assert job.state is JobState.STORED
    assert [memory["text"] for memory in world.memories()] == ["The user lives in Oslo."]
    invariants.hold(world, removed=[FACT["text"]])


def test_a_statement_of_before_the_deletion_is_not_learned_after_it(world: World) -> None:
    """Another turn said it before the user deleted it, and is extracted only now."""
    session_id = world.session()
    world.learn(session_id, SAID, FACT)
    world.background.will(reply(FACT))
    world.say(session_id, f"As I said: {SAID}")
    world.clock.advance(days=1)
    _delete(world, FACT["text"])
    world.drain()
    assert world.memories() == []
    invariants.hold(world, removed=[FACT["text"]])


def test_what_is_said_anew_after_the_deletion_is_learned(world: World) -> None:
    """A later turn of the user's says it again: a new memory, with only the new source."""
    _learned_and_deleted(world)
    world.clock.advance(days=1)
    answer = world.learn(world.session(), f"Mind you, {SAID}", FACT)
    (memory,) = world.memories()
    assert [e["turn_id"] for e in memory["evidence"]] == [answer["user_turn"]["id"]]
    assert (memory["text"], memory["revision"]) == (FACT["text"], 1)
    invariants.hold(world)


def test_what_the_assistant_says_anew_is_not_learned(world: World) -> None:
    """Only the user can bring a deleted statement back."""
    _learned_and_deleted(world)
    world.clock.advance(days=1)
    world.chat.will("The user is allergic to peanuts, I recall.")
    echo = found(FACT["text"], "The user is allergic to peanuts", turn="assistant", kind="summary")
    world.learn(world.session(), "What do you recall?", echo)
    assert world.memories() == []


def test_a_superseded_wording_is_forgotten_with_its_memory(world: World) -> None:
    """The history goes with the memory: an older revision's turn doesn't bring it back."""
    loves = found("The user loves Chinese food.", "I love Chinese food", topic="Chinese food")
    hates = found("The user hates Chinese food.", "I hate Chinese food", topic="Chinese food")
    first = world.learn(world.session(), "I love Chinese food.", loves)
    world.clock.advance(days=1)
    world.learn(world.session(), "I hate Chinese food.", hates)
    world.clock.advance(days=1)
    _delete(world, hates["text"])
    job = _extract_again(world, first, loves)
    assert job.state is JobState.NONE
    assert world.memories() == []
    invariants.hold(world, removed=[loves["text"], hates["text"]])


def test_a_repeated_wording_on_a_job_goes_with_the_memory(world: World) -> None:
    """A job that dropped the fact as known before the deletion doesn't keep its words."""
    answer = world.learn(world.session(), SAID, FACT)
    job = _extract_again(world, answer, FACT)
    assert [dropped.reason for dropped in job.result.dropped] == ["already known from these words"]
    _delete(world, FACT["text"])
    invariants.hold(world, removed=[FACT["text"]])


def test_a_memory_deleted_during_the_model_call_is_not_extended(world: World) -> None:
    """The head moves between reading and storing: the statement, said before, is forgotten."""
    session_id = world.session()
    world.learn(session_id, SAID, FACT)

    def deleting(_: object) -> str:
        _delete(world, FACT["text"])
        return reply(FACT)

    world.background.will(deleting)
    answer = world.say(session_id, f"Again: {SAID}", recall="off")
    world.drain()
    assert world.memories() == []
    job = world.job(answer["extraction"]["job_id"])
    assert (job["state"], job["result"]["dropped"][0]["reason"]) == (
        "none",
        "forgotten: the user removed this",
    )
    invariants.hold(world, removed=[FACT["text"]])


def test_the_turn_of_a_superseded_wording_teaches_nothing_in_other_words(world: World) -> None:
    """A deleted memory remembers every place it ever came from, not only its newest."""
    session_id = world.session()
    love = found("The user loves Chinese food.", "I love Chinese food", topic="chinese food")
    hate = found("The user hates Chinese food.", "I hate Chinese food", topic="chinese food")
    first = world.learn(session_id, "I love Chinese food", love)
    world.clock.advance(days=1)
    world.learn(session_id, "I hate Chinese food now", hate)
    world.clock.advance(days=1)
    _delete(world, hate["text"])
    reworded = found("The user is fond of everything from China's kitchen.", "love Chinese food")
    job = _extract_again(world, first, reworded)
    assert (job.state, world.memories()) == (JobState.NONE, [])
    invariants.hold(world, removed=[love["text"], hate["text"]])
