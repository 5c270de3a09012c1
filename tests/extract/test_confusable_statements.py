"""Statements that a bag of words, or a vector, takes for one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.extract.candidates.candidate import VerifiedCandidate
from functions.extract.reconciliation.decisions import AddEvidence, AddMemory, ReviseMemory
from functions.extract.reconciliation.fact_comparison import RelatedMemory
from functions.extract.reconciliation.memory_revisions import first_revision
from functions.extract.reconciliation.reconcile import reconcile
from strandline.language.statements import statement_fingerprints
from strandline.models.memory import Citation, Kind
from strandline.models.turn import Role
from tests.support.laws import law
from tests.support.world import START

PLACES = ["Oslo", "Bergen", "Lima", "Kyoto", "Turin"]


def said(number: int, text: str, topic: str = "", language: str = "en") -> VerifiedCandidate:
    """What was said in a turn, as verification leaves it."""
    citation = Citation(
        turn_id=f"trn_{number}", role=Role.USER, word_start=0, word_end=1, said_at=START
    )
    return VerifiedCandidate(
        Kind.OBSERVATION, text, text, 0.5, (), "user", topic, language, (citation,)
    )


def decided(old: str, new: str, topic: str = "", language: str = "en") -> type:
    """What becomes of `new` beside `old`, whose vector could hardly be nearer."""
    memory = first_revision(said(1, old, topic, language), "mem_1", START)
    near = RelatedMemory(memory, cosine=0.99, similarity=0.99)
    return type(reconcile(said(2, new, topic, language), [near], {}))


@pytest.mark.parametrize(
    ("old", "new", "topic"),
    [
        ("The budget is 10000 euros", "The budget is 100000 euros", "budget"),
        ("The number to call is 555-12345", "The number to call is 555-123456", "phone"),
        ("The sister is called Daniela", "The sister is called Daniel", "sister's name"),
        ("The thermostat is at -5 degrees", "The thermostat is at 5 degrees", "thermostat"),
        ("The balance is $5", "The balance is €5", "balance"),
        ("Writes firmware in C", "Writes firmware in C++", "firmware language"),
        ("The blood type is A+", "The blood type is A-", "blood type"),
        ("The limit is < 25 kg", "The limit is > 25 kg", "limit"),
        ("Lives on the second floor", "Lives on the third floor", "floor"),
        ("Works from 9 to 17", "Works from 17 to 9", "working hours"),
        ("Sits on the left side of the room", "Sits on the right side of the room", "seat"),
        ("Takes the old road to work", "Takes the new road to work", "road"),
    ],
)
def test_a_changed_number_name_sign_or_word_is_a_change(old: str, new: str, topic: str) -> None:
    """The new words become current; they are never taken for further evidence of the old."""
    assert decided(old, new, topic) is ReviseMemory
    assert decided(new, old, topic) is ReviseMemory


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("Prefers tea to coffee", "Prefers coffee to tea", "en"),
        ("Likes cats more than dogs", "Likes dogs more than cats", "en"),
        ("Trinkt lieber Tee als Kaffee", "Trinkt lieber Kaffee als Tee", "de"),
        ("喜欢猫胜过狗", "喜欢狗胜过猫", "zh"),
        ("Will marry Ada", "Will never marry Ada", "en"),
    ],
)
def test_a_preference_the_other_way_round_is_a_change(old: str, new: str, language: str) -> None:
    """Even without a topic: both can't be so."""
    assert decided(old, new, language=language) is ReviseMemory


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("Flies from Oslo to Bergen", "Flies from Bergen to Oslo", "en"),
        ("Anna owes Ben 50 euros", "Ben owes Anna 50 euros", "en"),
        ("Has a friend Robert", "Has a friend Roberta", "en"),
        ("有三只猫", "有两只猫", "zh"),
    ],
)
def test_what_may_hold_beside_the_other_is_another_fact(old: str, new: str, language: str) -> None:
    """A journey and the way back are two facts; neither swallows the other."""
    assert decided(old, new, language=language) is AddMemory


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Wants to visit Rome and Paris", "Wants to visit Paris and Rome"),
        ("Flies to Oslo on Monday", "On Monday flies to Oslo"),
        ("Suffers from a peanut allergy", "Has a peanut allergy, suffers"),
        ("The capital of the game is Paris", "Paris is the capital of the game"),
        ("Bought a large house", "The user purchased a big house"),
    ],
)
def test_the_same_in_another_order_is_the_same(old: str, new: str) -> None:
    """A list turned round, a time put first, another word for it: a further source, no change."""
    assert decided(old, new) is AddEvidence


@law()
@given(places=st.permutations(PLACES), other=st.permutations(PLACES))
def test_a_route_is_known_again_by_its_order_alone(places: list[str], other: list[str]) -> None:
    """Two routes through the same places are the same fact exactly if they are the same route."""
    old, new = (f"Drives from {' to '.join(route)}" for route in (places, other))
    assert (decided(old, new) is AddEvidence) == (places == other)


def test_what_was_deleted_is_told_by_its_signs_too() -> None:
    """Deleting "C" doesn't keep "C++" from being learned."""
    assert set(statement_fingerprints(said(1, "Writes C"))).isdisjoint(
        statement_fingerprints(said(1, "Writes C++"))
    )
