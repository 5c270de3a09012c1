"""The rows of the fault table's section on extraction that end in a decision."""

from datetime import timedelta

import pytest

from functions.extract.candidates import drop_reasons as reasons
from functions.extract.reconciliation.decisions import (
    AddEvidence,
    AddMemory,
    AlreadyKnown,
    ReviseMemory,
    SkipCandidate,
)
from functions.extract.reconciliation.fact_comparison import RelatedMemory
from functions.extract.reconciliation.memory_revisions import (
    first_revision,
    revision_with_evidence,
    revision_with_new_text,
)
from functions.extract.reconciliation.reconcile import ECHO, NEWER_KNOWN, reconcile
from functions.extract.reconciliation.suppression import FORGOTTEN
from strandline.language.statements import statement_fingerprints
from strandline.models.memory import Reference


def near(*memories, cosine=0.8):
    return [
        RelatedMemory(memory=m, cosine=cosine, similarity=0.84 * cosine + 0.08) for m in memories
    ]


def test_the_same_fact_in_three_turns_is_one_memory_with_three_citations(say, learn, memory_reply):
    """Evidence grows, the words and their time don't move."""
    memory = None
    for number, words in ((1, "I'm allergic to peanuts"), (3, "I have a peanut allergy"),
                          (5, "Remember, I am allergic to peanuts!")):  # fmt: skip
        text = "Has a peanut allergy" if "allergy" in words else "Allergic to peanuts"
        (candidate,), _ = learn(say(words, number=number), memory_reply(text, words))
        if memory is None:
            assert reconcile(candidate, [], {}) == AddMemory()
            memory = first_revision(candidate, "mem_1", candidate.said_at)
            continue
        decision = reconcile(candidate, near(memory), {})
        assert decision == AddEvidence(memory, candidate.evidence)
        memory = revision_with_evidence(memory, decision.citations)
    assert memory is not None
    assert [c.turn_id[-1] for c in memory.evidence] == ["1", "3", "5"]
    assert (memory.revision, memory.text, memory.updated_at) == (
        3,
        "Allergic to peanuts",
        memory.created_at,
    )
    (again,), _ = learn(
        say("I have a peanut allergy", number=3),
        memory_reply("Has a peanut allergy", "a peanut allergy"),
    )
    assert reconcile(again, near(memory), {}) == AlreadyKnown(memory)


def _love_and_hate(say, learn, memory_reply, topic):
    (love,), _ = learn(
        say("I love Chinese food", number=1),
        memory_reply("Loves Chinese food", "I love Chinese food", topic=topic),
    )
    (hate,), _ = learn(
        say("I hate Chinese food now", number=7),
        memory_reply("Hates Chinese food", "I hate Chinese food now", topic=topic),
    )
    return love, hate


@pytest.mark.parametrize("topic", ["", "chinese food", "favourite cuisine"])
def test_a_changed_mind_revises_the_memory_and_keeps_the_old_one_as_history(
    say, learn, memory_reply, topic
):
    """Never both as current, never none: the newer words, pinned to the revision before."""
    love, hate = _love_and_hate(say, learn, memory_reply, topic)
    old = first_revision(love, "mem_1", love.said_at)
    assert reconcile(hate, near(old), {}) == ReviseMemory(old)
    new = revision_with_new_text(old, hate, hate.said_at)
    assert (new.id, new.revision, new.text) == ("mem_1", 2, "Hates Chinese food")
    assert new.references == (Reference(memory_id="mem_1", revision=1),)
    assert (new.created_at, new.updated_at) == (old.created_at, hate.said_at)
    assert new.evidence == hate.evidence


@pytest.mark.parametrize("topic", ["", "chinese food"])
def test_the_older_turn_learned_later_does_not_overwrite_the_newer(say, learn, memory_reply, topic):
    """The time of the words decides, not the time they were looked at."""
    love, hate = _love_and_hate(say, learn, memory_reply, topic)
    newer = first_revision(hate, "mem_1", hate.said_at)
    assert reconcile(love, near(newer), {}) == SkipCandidate(NEWER_KNOWN)


def test_a_recalled_memory_echoed_by_the_assistant_is_not_learned_again(say, learn, memory_reply):
    """Neither as the user's fact nor, under another kind, as anybody's."""
    (fact,), _ = learn(
        say("I'm allergic to nuts"), memory_reply("Is allergic to nuts", "I'm allergic to nuts")
    )
    memory = first_revision(fact, "mem_1", fact.said_at)
    exchange = say("What may I eat?", "You're allergic to nuts, so no pesto.", number=3)
    echo = memory_reply("Allergic to nuts", "You're allergic to nuts", "assistant", kind="summary")
    assert learn(exchange, {**echo, "kind": "observation"})[1][0].reason == reasons.ASSISTANT_SAID
    (candidate,), _ = learn(exchange, echo)
    assert reconcile(candidate, near(memory), {}) == SkipCandidate(ECHO)


def test_what_the_user_removed_is_not_learned_again_unless_said_anew(say, learn, memory_reply):
    """The fingerprints remember without the words; a later statement of the user's counts."""
    (fact,), _ = learn(
        say("I'm allergic to nuts"), memory_reply("Is allergic to nuts", "I'm allergic to nuts")
    )
    removed = dict.fromkeys(statement_fingerprints(fact), fact.said_at + timedelta(minutes=1))
    (same,), _ = learn(
        say("I'm allergic to nuts"), memory_reply("Has an allergy to nuts", "allergic to nuts")
    )
    assert reconcile(same, [], removed) == SkipCandidate(FORGOTTEN)
    (anew,), _ = learn(
        say("I'm allergic to nuts", number=9),
        memory_reply("Is allergic to nuts", "I'm allergic to nuts"),
    )
    assert reconcile(anew, [], removed) == AddMemory()
