"""Every action on every standing, against the whole standing that it has to come to."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from strandline.memories.index_placement import read_entry
from strandline.memories.transaction import StatusChange, apply_changes
from strandline.models.memory import Memory, Reference
from strandline.models.memory_status import Flag, GivenReview, MemoryStatus, Review, State
from tests.support import invariants
from tests.support.feedback_requests import correct, give_feedback, head, status, stored_memory
from tests.support.world import START, World, running_world

BEFORE = START - timedelta(hours=1)
NOW = START

CONFIRMED = GivenReview(revision=1, review=Review.CONFIRMED, at=BEFORE)
REJECTED = GivenReview(revision=1, review=Review.REJECTED, at=BEFORE)
WINNER = Reference(memory_id="mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", revision=3)
FLAGGED = (Flag.CHALLENGED, Flag.SOURCE_REPLACED)

STARTS: dict[str, dict[str, Any]] = {
    "new": {},
    "confirmed": {"reviewed": CONFIRMED},
    "rejected": {"reviewed": REJECTED},
    "saved": {"saved": True},
    "dismissed": {"dismissed": True},
    "stale": {"stale_since": BEFORE},
    "retracted by its sources": {"state": State.RETRACTED},
    "retracted by another": {"state": State.RETRACTED, "retracted_by": WINNER},
    "confirmed and flagged": {"reviewed": CONFIRMED, "flags": FLAGGED},
    "everything": {
        "reviewed": REJECTED,
        "saved": True,
        "dismissed": True,
        "stale_since": BEFORE,
        "state": State.RETRACTED,
        "flags": FLAGGED,
    },
}

STANDS_AGAIN: dict[str, Any] = {"state": State.ACTIVE, "retracted_by": None, "flags": ()}


def judged(review: Review) -> GivenReview:
    return GivenReview(revision=1, review=review, at=NOW)


def expected(action: str, start: dict[str, Any]) -> dict[str, Any]:
    """The standing that the action comes to, said once more and in other words."""
    known_review = start.get("reviewed")
    match action:
        case "confirm":
            same = known_review == CONFIRMED
            return (
                start | {"reviewed": CONFIRMED if same else judged(Review.CONFIRMED)} | STANDS_AGAIN
            )
        case "reject":
            same = known_review == REJECTED
            return start | {"reviewed": REJECTED if same else judged(Review.REJECTED)}
        case "unreview":
            return start | {"reviewed": None}
        case "correct":
            return {name: start[name] for name in ("saved", "dismissed") if name in start}
        case "save" | "unsave":
            return start | {"saved": action == "save"}
        case _:
            return start | {"dismissed": action == "dismiss"}


ACTIONS = (
    "confirm", "reject", "unreview", "correct", "save", "unsave", "dismiss", "undismiss",
)  # fmt: skip


@pytest.mark.parametrize("start", STARTS)
def test_every_action_on_every_standing(start: str) -> None:
    """The standing, what the answer tells of it, what the event says; and again, nothing more."""
    with running_world() as world:
        for number, action in enumerate(ACTIONS):
            memory = stored_memory(world, f"The user keeps {number} bees.")
            before = MemoryStatus(**STARTS[start])
            stand(world, memory, before, BEFORE)
            reply = give(world, memory, action)
            now = MemoryStatus(**expected(action, STARTS[start]))
            assert (reply.status, status(world, memory)) == (200, now), action
            revision = 2 if action == "correct" else 1
            assert (reply["revision"], head(world, memory).memory.revision) == (revision, revision)
            assert {
                name: reply[name] for name in ("review", "saved", "dismissed", "state", "freshness")
            } == {
                "review": now.review,
                "saved": now.saved,
                "dismissed": now.dismissed,
                "state": now.state,
                "freshness": now.freshness,
            }
            assert (reply["changed"] == []) is (now == before and action != "correct"), action
            rows = world.rows()
            again = give(world, memory, action, revision)
            assert (again.status, again["changed"]) == (200, [])
            assert without_keys(world.rows()) == without_keys(rows)
        invariants.hold(world)


def give(world: World, memory: Memory, action: str, revision: int = 1) -> Any:
    if action == "correct":
        words = {"title": memory.title, "text": f"{memory.text} Not wasps."}
        return correct(world, memory.id, revision, **words)
    return give_feedback(world, memory.id, action, revision)


def stand(world: World, memory: Memory, wanted: MemoryStatus, at: datetime) -> None:
    """Let the memory stand so, as if it had come to that."""
    found = head(world, memory)
    if found.status == wanted:
        return
    entry = read_entry(world.runtime.table, "ada", found)
    apply_changes(world.runtime.table, "ada", [StatusChange(found, wanted, ("state",), entry)], at)


def without_keys(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if not row["sk"].startswith("ONCE#")]
