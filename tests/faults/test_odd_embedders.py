"""Embedders that break their word: the chat goes on, and nothing that can't be compared is kept."""

from typing import Any

import numpy as np
import pytest

from tests.support.extraction_replies import found, reply
from tests.support.world import World

GIVEN: dict[str, Any] = {
    "nothing at all": np.zeros((0, 64), dtype=np.float32),
    "a vector of zeros": np.zeros((1, 64), dtype=np.float32),
    "a vector that is no number": np.full((1, 64), np.nan, dtype=np.float32),
    "a vector of another size": np.ones((1, 3), dtype=np.float32),
    "one vector too many": np.ones((2, 64), dtype=np.float32),
    "a bare vector": np.ones(64, dtype=np.float32),
}
SAID = "I grow tomatoes under glass."
LEARNED = found("The user grows tomatoes under glass", SAID)


def gives(world: World, monkeypatch: pytest.MonkeyPatch, vectors: Any) -> None:
    """Whatever it is asked, the embedder gives just that."""
    monkeypatch.setattr(world.embedder, "embed", lambda texts, *, deadline: vectors)


@pytest.mark.parametrize("vectors", GIVEN.values(), ids=GIVEN.keys())
def test_an_answer_doesnt_take_a_useless_vector_for_no_match(
    world: World, monkeypatch: pytest.MonkeyPatch, vectors: Any
) -> None:
    """With words in common the recall is degraded, without them it failed; both are answered."""
    world.learn(world.session(), SAID, LEARNED)
    gives(world, monkeypatch, vectors)
    session_id = world.session()
    alike = world.say(session_id, "Which tomatoes under glass?")
    other = world.say(session_id, "2+2?")
    assert (alike.status, alike["context"]["recall"]) == (201, "degraded")
    assert (other.status, other["context"]["recall"]) == (201, "failed")
    assert world.call("GET", "/v1/recall?q=tomatoes")["recall"] == "degraded"
    receipt = world.call("GET", f"/v1/turns/{other['assistant_turn']['id']}/receipt")
    assert receipt["recall_failure"] == "MODEL_REPLY_INVALID"


def test_an_answer_is_given_whatever_the_embedder_raises(world: World) -> None:
    """A fault of its library, which is none of our errors, fails the recall and not the chat."""
    world.embedder.failure = RuntimeError("of the embedder's own")
    answer = world.say(world.session(), "Which tomatoes?")
    assert (answer.status, answer["context"]["recall"]) == (201, "failed")
    assert answer["user_turn"]["status"] == "answered"


@pytest.mark.parametrize("vectors", GIVEN.values(), ids=GIVEN.keys())
def test_no_memory_is_stored_with_a_vector_that_cannot_be_compared(
    world: World, monkeypatch: pytest.MonkeyPatch, vectors: Any
) -> None:
    """The try fails, the job says why, and the memory is learned once the embedder works."""
    working = world.embedder.embed
    gives(world, monkeypatch, vectors)
    job_id = world.learn(world.session(), SAID, LEARNED)["extraction"]["job_id"]
    assert world.memories() == []
    assert world.job(job_id)["reason"].startswith("MODEL_REPLY_INVALID")
    monkeypatch.setattr(world.embedder, "embed", working)
    world.background.will(reply(LEARNED))
    world.deliver({"account": "ada", "job_id": job_id})
    assert [memory["text"] for memory in world.memories()] == [LEARNED["text"]]


@pytest.mark.parametrize("length", [1e-30, 1e6, 1e30])
def test_a_vector_of_any_length_is_stored_so_that_it_is_found(world: World, length: float) -> None:
    """Half precision ends at 65504: what isn't at unit length would become zero or infinite."""
    asked = "What stands under the panes?"
    world.embedder.vectors |= {LEARNED["text"]: [length] * 64, asked: [1.0] * 64}
    world.learn(world.session(), SAID, LEARNED)
    [memory] = world.say(world.session(), asked)["context"]["memories"]
    assert (memory["selected_by"], memory["similarity"]) == ("relevant", 1.0)
