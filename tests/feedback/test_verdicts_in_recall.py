"""Verdicts take effect in the very next prompt, of a process that is warm."""

import pytest

from tests.support import invariants
from tests.support.feedback_requests import correct, give_feedback, recalled, stored_memory
from tests.support.world import World

BEES = "The user keeps bees."


def prompted(world: World) -> str:
    """The prompt of a new session's question."""
    world.say(world.session(), "What does the user keep?")
    return world.chat.text()


@pytest.mark.parametrize(
    ("action", "back"), [("reject", "unreview"), ("reject", "confirm"), ("dismiss", "undismiss")]
)
def test_what_was_rejected_or_dismissed_is_gone_and_comes_back(
    world: World, action: str, back: str
) -> None:
    """With the words and the vector that it had; the list leaves it out meanwhile."""
    memory = stored_memory(world, BEES)
    stored_memory(world, "The user keeps goats.")
    assert BEES in prompted(world)
    for _ in range(2):
        give_feedback(world, memory.id, action, 1)
        assert BEES not in prompted(world)
        assert "goats" in prompted(world)
        world.cold()
        assert BEES not in prompted(world)
        give_feedback(world, memory.id, back, 1)
        assert BEES in prompted(world)
        invariants.hold(world)
    world.cold()
    assert recalled(world, BEES) == {BEES, "The user keeps goats."}


def test_saving_moves_nothing_in_recall(world: World) -> None:
    """It is no change of the index."""
    memory = stored_memory(world, BEES)
    log = [row for row in world.rows() if row["pk"].endswith("#VECTORS")]
    give_feedback(world, memory.id, "save", 1)
    assert [row for row in world.rows() if row["pk"].endswith("#VECTORS")] == log
    assert BEES in prompted(world)


def test_a_dismissed_memory_stays_so_when_it_is_corrected(world: World) -> None:
    """The dismissal is of what it is about; undone, its new words are recalled."""
    memory = stored_memory(world, BEES)
    give_feedback(world, memory.id, "dismiss", 1)
    correct(world, memory.id, 1, title="Wasps", text="The user keeps wasps.")
    assert "wasps" not in prompted(world)
    give_feedback(world, memory.id, "undismiss", 2)
    assert "wasps" in prompted(world)
    invariants.hold(world)
