"""Verdicts at the same time: none is lost, and of two corrections one is given."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

from strandline.errors import Conflict, StorageBusy
from strandline.feedback.memory_content import PartialContent
from strandline.feedback.verdict import Action, Verdict, VerdictGiven
from strandline.models.memory import Memory
from strandline.use_cases.give_feedback import apply_verdict
from tests.support import invariants
from tests.support.feedback_requests import (
    give_feedback,
    head,
    status,
    stored_challenger,
    stored_memory,
)
from tests.support.world import World

ROUNDS = 25


def give(world: World, verdict: Verdict) -> VerdictGiven | Conflict:
    """A verdict past the handler: in Lambda each request has one to itself."""
    try:
        return apply_verdict(world.runtime, "ada", verdict)
    except Conflict as conflict:
        return conflict


def at_once(world: World, *verdicts: Verdict) -> list[VerdictGiven | Conflict]:
    """All of them at the same time."""
    with ThreadPoolExecutor(len(verdicts)) as threads:
        return list(threads.map(lambda each: give(world, each), verdicts))


def correction(memory: Memory, revision: int, text: str, key: str | None = None) -> Verdict:
    words = PartialContent(text=text)
    return Verdict(memory.id, Action.CORRECT, revision, words, key)


def test_of_two_corrections_of_one_revision_one_is_given(world: World) -> None:
    """One 200 and one 409 with the revision that the other made, each time; the table whole."""
    memory = stored_memory(world, "The user keeps bees.")
    for number in range(1, ROUNDS + 1):
        texts = [f"The user keeps {number} {kind}." for kind in ("wasps", "ants")]
        results = at_once(world, *(correction(memory, number, text) for text in texts))
        [given] = [each for each in results if isinstance(each, VerdictGiven)]
        [conflict] = [each for each in results if isinstance(each, Conflict)]
        assert given.revision == number + 1
        assert conflict.extra == {"current_revision": number + 1}
        now = head(world, memory).memory
        assert (now.revision, now.text) == (number + 1, texts[results.index(given)])
    invariants.hold(world)


def test_different_verdicts_at_once_all_take_effect(world: World) -> None:
    """On the same revision, of one memory: none undoes another."""
    for number in range(8):
        memory = stored_memory(world, f"The user keeps {number} bees.")
        actions = (Action.SAVE, Action.DISMISS, Action.CONFIRM)
        results = at_once(world, *(Verdict(memory.id, action, 1) for action in actions))
        assert all(isinstance(each, VerdictGiven) for each in results)
        now = status(world, memory)
        assert (now.saved, now.dismissed, now.review) == (True, True, "confirmed")
    invariants.hold(world)


def test_one_key_at_once_is_one_correction(world: World) -> None:
    """All get the answer of the one that was given."""
    memory = stored_memory(world, "The user keeps bees.")
    for number in range(1, 6):
        text = f"The user keeps {number} wasps."
        same = correction(memory, number, text, f"key-{number}")
        results = at_once(world, *([same] * 4))
        assert len({str(each) for each in results}) == 1
        assert isinstance(results[0], VerdictGiven)
        assert head(world, memory).memory.revision == number + 1
    invariants.hold(world)


def test_decisions_on_two_that_contradict_each_other_at_once(world: World) -> None:
    """Whichever came first, exactly one of two confirmed ones stands; and of two challengers
    that are rejected at once, the last one takes the flag away.
    """
    for number, (first, second) in enumerate(product((Action.CONFIRM, Action.REJECT), repeat=2)):
        oslo = stored_memory(world, f"The user lives at {number} Oslo Street.", "home")
        give_feedback(world, oslo.id, "confirm", 1)
        rivals = [
            stored_challenger(world, oslo, f"The user lives at {n} Moss.", "home") for n in range(2)
        ]
        give_feedback(world, rivals[0].id, "reject", 1)
        give_feedback(world, rivals[0].id, "unreview", 1)
        wanted: list[tuple[Memory, Action]] = [(rivals[0], first), (rivals[1], second)]
        if first is second is Action.CONFIRM:
            wanted = [(rivals[0], first), (oslo, second)]
        at_once(world, *(Verdict(memory.id, action, 1) for memory, action in wanted))
        active = [m for m in (oslo, *rivals) if head(world, m).recallable]
        if first is second is Action.REJECT:
            assert (active, status(world, oslo).flags) == ([oslo], ())
        else:
            assert len(active) == 1
    invariants.hold(world)


def test_a_storm_of_verdicts_ends(world: World) -> None:
    """Those that find no calm are told that storage is busy, and nothing is half done."""
    memory = stored_memory(world, "The user keeps bees.")

    def one(action: Action) -> Any:
        try:
            return give(world, Verdict(memory.id, action, 1))
        except StorageBusy:
            return None

    actions = [a for a in Action if a is not Action.CORRECT] * 2
    with ThreadPoolExecutor(len(actions)) as threads:
        assert any(threads.map(one, actions))
    invariants.hold(world)
