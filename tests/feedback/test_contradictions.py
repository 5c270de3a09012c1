"""Two memories that contradict each other: never both current, never neither by a taking back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from strandline import ids
from strandline.memories.index_placement import read_entry
from strandline.memories.transaction import StatusChange, apply_changes
from strandline.models.memory import Memory, Reference
from strandline.models.memory_head import Head
from strandline.models.memory_status import Flag, State, is_in_force, is_open_challenge
from tests.support import invariants
from tests.support.feedback_requests import (
    correct,
    give_feedback,
    head,
    recalled,
    status,
    stored_challenger,
    stored_memory,
)
from tests.support.laws import law
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World, running_world

OSLO, BERGEN, MOSS = "The user lives in Oslo.", "The user lives in Bergen.", "User's home is Moss."
TOPIC = "home city"


def flag(world: World, memory: Memory, *flags: Flag) -> None:
    """Let the memory have those flags, as extraction gives them."""
    found = head(world, memory)
    flagged = found.status.model_copy(update={"flags": flags})
    apply_changes(
        world.runtime.table, "ada", [StatusChange(found, flagged, ("flags",))], world.clock()
    )


def challenged(world: World) -> tuple[Memory, Memory]:
    """A confirmed memory and another that challenges it."""
    oslo = stored_memory(world, OSLO, TOPIC)
    give_feedback(world, oslo.id, "confirm", 1)
    bergen = stored_challenger(world, oslo, BERGEN, TOPIC)
    flag(world, oslo, Flag.CHALLENGED)
    return oslo, bergen


def current(world: World) -> set[str]:
    """What recall has on where the user lives."""
    return recalled(world, "where user lives home") & {OSLO, BERGEN, MOSS, "Home"}


def test_who_confirms_a_challenger_retracts_what_it_challenges(world: World) -> None:
    """In one step, both told of; the flag is settled."""
    oslo, bergen = challenged(world)
    assert current(world) == {OSLO}
    reply = give_feedback(world, bergen.id, "confirm", 1)
    assert (reply["retracted"], reply["restored"]) == ([oslo.id], [])
    was = status(world, oslo)
    assert (was.state, was.flags, was.review) == (State.RETRACTED, (), "confirmed")
    assert was.retracted_by is not None
    assert (was.retracted_by.memory_id, was.retracted_by.revision) == (bergen.id, 1)
    assert current(world) == {BERGEN}
    invariants.hold(world)


def test_taking_a_confirmation_back_lets_the_other_stand_again(world: World) -> None:
    """By whichever verdict; a challenger that waits again is flagged, a rejected one isn't."""
    oslo, bergen = challenged(world)
    for action, flags in (("unreview", (Flag.CHALLENGED,)), ("reject", ())):
        give_feedback(world, bergen.id, "confirm", 1)
        reply = give_feedback(world, bergen.id, action, 1)
        assert (reply["retracted"], reply["restored"]) == ([], [oslo.id])
        assert current(world) == {OSLO}
        assert status(world, oslo).flags == flags
    give_feedback(world, bergen.id, "unreview", 1)
    assert status(world, oslo).flags == (Flag.CHALLENGED,)
    invariants.hold(world)


def test_of_two_that_were_confirmed_the_last_one_stands(world: World) -> None:
    """Either way round; a rejection of it lets the other stand, and that is not undone by less
    than a confirmation.
    """
    oslo, bergen = challenged(world)
    give_feedback(world, bergen.id, "confirm", 1)
    reply = give_feedback(world, oslo.id, "confirm", 1)
    assert (reply["state"], reply["retracted"]) == ("active", [bergen.id])
    assert current(world) == {OSLO}
    give_feedback(world, bergen.id, "confirm", 1)
    assert current(world) == {BERGEN}
    give_feedback(world, oslo.id, "confirm", 1)
    assert give_feedback(world, oslo.id, "reject", 1)["restored"] == [bergen.id]
    assert current(world) == {BERGEN}
    assert give_feedback(world, oslo.id, "unreview", 1)["state"] == "retracted"
    assert current(world) == {BERGEN}
    give_feedback(world, oslo.id, "confirm", 1)
    assert current(world) == {OSLO}
    invariants.hold(world)


def test_the_last_challenger_that_is_settled_takes_the_flag_away(world: World) -> None:
    """Not one of several."""
    oslo, bergen = challenged(world)
    moss = stored_challenger(world, oslo, MOSS, TOPIC)
    give_feedback(world, bergen.id, "reject", 1)
    assert status(world, oslo).flags == (Flag.CHALLENGED,)
    give_feedback(world, moss.id, "reject", 1)
    assert status(world, oslo).flags == ()
    give_feedback(world, moss.id, "unreview", 1)
    world.call("DELETE", f"/v1/memories/{moss.id}")
    assert status(world, oslo).flags == ()
    invariants.hold(world)


def test_a_challenge_of_words_that_were_corrected_since_retracts_nothing(world: World) -> None:
    """What was contradicted is no longer said."""
    oslo, bergen = challenged(world)
    correct(world, oslo.id, 1, title="Rows", text="The user rows.", topic="sport")
    reply = give_feedback(world, bergen.id, "confirm", 1)
    assert (reply["retracted"], status(world, oslo).state) == ([], State.ACTIVE)
    invariants.hold(world)


def test_more_evidence_leaves_what_is_challenged_as_it_is(world: World) -> None:
    """Another revision of the very same words is still what was contradicted."""
    oslo, bergen = challenged(world)
    correct(world, oslo.id, 1, title=OSLO, text=OSLO)
    assert give_feedback(world, bergen.id, "confirm", 1)["retracted"] == [oslo.id]
    invariants.hold(world)


def test_a_corrected_challenger_decides_while_it_still_contradicts(world: World) -> None:
    """Of the same subject and topic, or the other's denial; it no longer waits either way."""
    oslo, bergen = challenged(world)
    reply = correct(world, bergen.id, 1)
    assert reply["retracted"] == [oslo.id]
    assert current(world) == {"Home"}
    assert give_feedback(world, bergen.id, "reject", 2)["restored"] == [oslo.id]
    assert current(world) == {OSLO}
    give_feedback(world, bergen.id, "unreview", 2)
    assert current(world) == {OSLO}
    give_feedback(world, bergen.id, "confirm", 2)
    assert current(world) == {"Home"}
    invariants.hold(world)


def test_a_challenger_that_was_corrected_away_stands_beside_the_other(world: World) -> None:
    """It challenges nothing any more; what it had retracted stands again."""
    oslo, bergen = challenged(world)
    give_feedback(world, bergen.id, "confirm", 1)
    words = {"text": "The user has been to Bergen.", "topic": "journeys"}
    reply = correct(world, bergen.id, 1, **words)
    assert (reply["retracted"], reply["restored"]) == ([], [oslo.id])
    assert head(world, bergen).memory.challenges is None
    assert current(world) == {OSLO, "Home"}
    invariants.hold(world)


def test_deleting_what_retracted_another_lets_it_stand_again(world: World) -> None:
    """In the deletion's own step."""
    _, bergen = challenged(world)
    give_feedback(world, bergen.id, "confirm", 1)
    world.call("DELETE", f"/v1/memories/{bergen.id}")
    assert current(world) == {OSLO}
    invariants.hold(world)


def test_a_session_that_goes_lets_stand_again_what_its_memories_had_retracted(
    world: World,
) -> None:
    """Also where such a memory only derives from what was deleted."""
    oslo, bergen = challenged(world)
    give_feedback(world, bergen.id, "confirm", 1)
    session_id, _ = ids.parse_turn_id(bergen.evidence[0].turn_id)
    world.call("DELETE", f"/v1/sessions/{session_id}")
    assert current(world) == {OSLO}
    root = stored_memory(world, "The user moved.")
    pinned = [Reference(memory_id=each.id, revision=1) for each in (root, oslo)]
    links: dict[str, Any] = {"references": tuple(pinned), "challenges": pinned[1]}
    bare = make_memory(world, MOSS, MOSS).model_copy(update=links)
    store_memories(world, bare)
    give_feedback(world, bare.id, "confirm", 1)
    assert status(world, oslo).state is State.RETRACTED
    world.call("DELETE", f"/v1/memories/{root.id}")
    assert current(world) == {OSLO}
    invariants.hold(world)


def test_what_its_own_sources_retracted_isnt_brought_back_by_another(world: World) -> None:
    """Only what a confirmation retracted stands again with its taking back."""
    oslo, bergen = challenged(world)
    found = head(world, oslo)
    dead = found.status.model_copy(update={"state": State.RETRACTED})
    entry = read_entry(world.runtime.table, "ada", found)
    apply_changes(
        world.runtime.table, "ada", [StatusChange(found, dead, ("state",), entry)], world.clock()
    )
    assert give_feedback(world, bergen.id, "confirm", 1)["retracted"] == []
    assert give_feedback(world, bergen.id, "reject", 1)["restored"] == []
    assert current(world) == set()


ACTIONS = st.tuples(
    st.integers(0, 2), st.sampled_from(["confirm", "reject", "unreview", "correct", "save"])
)


@given(st.lists(ACTIONS, min_size=3, max_size=10))
@law(15)
def test_whatever_the_user_decides_in_whatever_order(actions: list[tuple[int, str]]) -> None:
    """A memory and two challengers of it: it never stands beside one that stands, and one stands
    unless the user has rejected or not yet taken up each of them; the flag tells who waits.
    """
    with running_world() as world:
        oslo, bergen = challenged(world)
        three = [oslo, bergen, stored_challenger(world, oslo, MOSS, TOPIC)]
        for number, action in actions:
            found = head(world, three[number])
            revision, memory = found.memory.revision, found.memory
            if action == "correct":
                words = {"title": memory.title, "text": memory.text}
                reply = correct(world, memory.id, revision, **words)
            else:
                reply = give_feedback(world, memory.id, action, revision)
            assert reply.status == 200
            consistent([head(world, each) for each in three])
        invariants.hold(world)


def consistent(heads: list[Head]) -> None:
    """What has to hold of them after each verdict."""
    oslo, *others = heads
    assert not (stands(oslo) and any(stands(each) for each in others))
    waiting = [each for each in others if is_open_challenge(each.memory, each.status)]
    assert bool(oslo.status.flags) <= bool(waiting)
    if any(each.status.state is State.RETRACTED for each in heads):
        assert any(stands(each) for each in heads), "retracted by nothing that stands"


def stands(each: Head) -> bool:
    return is_in_force(each.memory, each.status)
