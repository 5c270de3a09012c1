"""Same, changed, or another fact: decided by the words, supported by the vectors."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.extract.candidates.candidate import VerifiedCandidate
from functions.extract.candidates.deduplication import merge_duplicates
from functions.extract.reconciliation.decisions import (
    AddEvidence,
    AddMemory,
    AlreadyKnown,
    ReviseMemory,
    SkipCandidate,
)
from functions.extract.reconciliation.fact_comparison import RelatedMemory
from functions.extract.reconciliation.memory_revisions import (
    MAX_EVIDENCE,
    first_revision,
    revision_with_evidence,
    revision_with_new_text,
)
from functions.extract.reconciliation.reconcile import SAME_EXCHANGE, plan_decisions, reconcile
from strandline.language.statements import statement_fingerprints
from strandline.models.memory import Citation, Kind
from strandline.models.turn import Role
from tests.support.laws import law

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Labels:
    """What a memory has beside its text."""

    topic: str = ""
    kind: str = "observation"
    subject: str = "user"
    language: str = "en"


PLAIN = Labels()
HOME_CITY = Labels(topic="home city")


def said(text, hour=2, labels=PLAIN, turn=None):
    citation = Citation(
        turn_id=turn or f"trn_{hour}",
        role=Role.USER,
        word_start=0,
        word_end=2,
        said_at=START + timedelta(hours=hour),
    )
    return VerifiedCandidate(
        kind=Kind(labels.kind),
        title=text[:80],
        text=text,
        importance=0.5,
        labels=(),
        subject=labels.subject,
        topic=labels.topic,
        language=labels.language,
        evidence=(citation,),
    )


def known(text, hour=1, cosine=0.6, labels=PLAIN, turn=None):
    candidate = said(text, hour, labels, turn)
    memory = first_revision(candidate, f"mem_{hour}", candidate.said_at)
    return RelatedMemory(memory, cosine, min(1.0, 0.84 * cosine + 0.08))


@dataclass(frozen=True)
class Case:
    """A known text and a new one, and what is decided about the new one."""

    old: str
    new: str
    cosine: float
    topic: str
    language: str
    decision: type


# The cosines are those of all-MiniLM-L6-v2 for the two texts.
@pytest.mark.parametrize(
    "case",
    [
        Case("Drinks tea", "Drinks tea in the morning", 0.83, "", "en", AddMemory),
        Case("Allergic to nuts", "Allergic to peanuts", 0.86, "", "en", AddMemory),
        Case("Allergic to nuts", "Allergic to peanuts", 0.86, "allergies", "en", AddMemory),
        Case("Meeting on Monday", "Meeting on Tuesday", 0.94, "", "en", AddMemory),
        Case("Brother is named Jack", "Sister is named Jack", 0.85, "", "en", AddMemory),
        Case("Has two cats", "Has three cats", 0.87, "", "en", AddMemory),
        Case("Likes tea", "Dislikes tea in the evening", 0.69, "", "en", AddMemory),
        Case("Loves Chinese food", "Loves Thai food", 0.67, "food", "en", AddMemory),
        Case("Loves Chinese food", "Hates Thai food", 0.55, "food", "en", AddMemory),
        Case("Favourite colour is blue", "Lives in Oslo", 0.05, "life", "en", AddMemory),
        Case(
            "The user is allergic to peanuts.",
            "User has a peanut allergy",
            0.88,
            "",
            "en",
            AddEvidence,
        ),
        Case("Loves Chinese food", "Likes Chinese food", 0.93, "", "en", AddEvidence),
        Case("喜欢中国菜", "喜欢中国菜。", 1.0, "", "zh", AddEvidence),
        Case("Lives in Oslo", "Lives in Bergen", 0.66, "home city", "en", ReviseMemory),
        Case("Lives in Oslo", "Moved to Bergen", 0.52, "home city", "en", ReviseMemory),
        Case(
            "Favorite color is blue",
            "Favourite colour is green",
            0.79,
            "favourite colour",
            "en",
            ReviseMemory,
        ),
        Case("Has two cats", "Has three cats", 0.87, "number of cats", "en", ReviseMemory),
        Case("Weighs 70 kg", "Weighs 72 kg", 0.93, "weight", "en", ReviseMemory),
        Case(
            "Uses Postgres as the database",
            "Switched the database to MySQL",
            0.34,
            "database",
            "en",
            ReviseMemory,
        ),
        Case("Loves cilantro", "Can't stand cilantro", 0.79, "", "en", ReviseMemory),
        Case("Drinks coffee", "Stopped drinking coffee", 0.74, "", "en", ReviseMemory),
        Case("Is vegan", "Is not vegan anymore", 0.81, "", "en", ReviseMemory),
        Case("不吃猪肉", "现在吃猪肉", 0.56, "", "zh", ReviseMemory),
        Case("Mag Fisch", "Hasst Fisch", 0.62, "", "de", ReviseMemory),
        Case("Aime le poisson", "Déteste le poisson", 0.81, "", "fr", ReviseMemory),
    ],
)
def test_same_changed_or_another(case):
    """Other qualifiers are other facts; the same again is a source; the turned one a change."""
    labels = Labels(topic=case.topic, language=case.language)
    near = known(case.old, labels=labels, cosine=case.cosine)
    assert type(reconcile(said(case.new, labels=labels), [near], {})) is case.decision


@pytest.mark.parametrize(
    ("old", "new", "decision"),
    [
        ("proposal", "decision", ReviseMemory),
        ("decision", "decision", ReviseMemory),
        ("decision", "proposal", AddMemory),
        ("observation", "question", AddMemory),
        ("question", "observation", AddMemory),
        ("observation", "decision", AddMemory),
        ("decision", "observation", ReviseMemory),
    ],
)
def test_which_kind_replaces_which(old, new, decision):
    """What was only proposed or asked never takes the place of what is so."""
    near = known("Postgres for the database", labels=Labels(topic="database", kind=old))
    candidate = said("MySQL for the database", labels=Labels(topic="database", kind=new))
    assert type(reconcile(candidate, [near], {})) is decision


def test_other_subjects_are_other_facts():
    """What is said of the brother changes nothing about the user."""
    near = known("Hates fish", labels=Labels(subject="Jack"))
    assert reconcile(said("Loves fish"), [near], {}) == AddMemory()


def test_statements_of_one_exchange_do_not_supersede_each_other():
    """Neither is the newer."""
    near = known("Lives in Oslo", hour=1, labels=HOME_CITY, turn="trn_same")
    assert (
        reconcile(said("Lives in Bergen", labels=HOME_CITY, turn="trn_same"), [near], {})
        == AddMemory()
    )


def test_near_duplicates_of_one_exchange_are_one_candidate():
    """The first wording stays, with the evidence of both; other facts stay apart."""
    first = said("Is allergic to peanuts", turn="trn_a")
    second = said("Has a peanut allergy", turn="trn_b")
    third = said("Is not allergic to soy", turn="trn_b")
    merged = merge_duplicates([first, second, third])
    assert [candidate.text for candidate in merged] == [first.text, third.text]
    assert merged[0].evidence == first.evidence + second.evidence


def test_no_memory_is_touched_twice_by_one_exchange():
    """A second change stands beside the first; more of the old fact gives way to its change."""
    home = known("Lives in Oslo", labels=HOME_CITY)
    moved = said("Lives in Bergen", labels=HOME_CITY)
    also = said("Lives in Tromsø", labels=HOME_CITY)
    still = said("Lives in Oslo", labels=HOME_CITY)
    planned = plan_decisions([moved, also, still], [[home], [home], [home]], {})
    assert [decision for _, decision in planned] == [
        ReviseMemory(home.memory),
        AddMemory(),
        SkipCandidate(SAME_EXCHANGE),
    ]


def test_another_quote_of_a_turn_that_is_cited_is_nothing_new():
    """One turn is one source, whatever part of it is quoted."""
    near = known("Likes tea", hour=2)
    assert reconcile(said("Likes tea", hour=2), [near], {}) == AlreadyKnown(near.memory)


def test_a_revision_keeps_when_it_began_and_evidence_stays_bounded():
    """The first source and the newest ones are kept."""
    memory = known("Likes tea", hour=0).memory
    for hour in range(1, MAX_EVIDENCE + 10):
        memory = revision_with_evidence(memory, said("Likes tea", hour).evidence)
    assert len(memory.evidence) == MAX_EVIDENCE
    assert [memory.evidence[0].turn_id, memory.evidence[-1].turn_id] == [
        "trn_0",
        f"trn_{MAX_EVIDENCE + 9}",
    ]
    changed = revision_with_new_text(memory, said("Hates tea", 99), START + timedelta(days=9))
    assert (changed.revision, changed.created_at) == (memory.revision + 1, memory.created_at)


def test_fingerprints_tell_a_statement_without_its_words():
    """Equal for what is equivalent, different for what is turned, qualified or another's."""
    marks = set(statement_fingerprints(said("Is allergic to peanuts")))
    assert all(len(mark) == 32 and int(mark, 16) >= 0 for mark in marks)
    assert marks & set(statement_fingerprints(said("The user has a peanut allergy")))
    for other in (
        said("Is not allergic to peanuts"),
        said("Is allergic to peanuts and soy"),
        said("Is allergic to peanuts", labels=Labels(subject="Jack")),
    ):
        assert not marks & set(statement_fingerprints(other))


TEXTS = st.sampled_from(
    ["Loves tea", "Hates tea", "Lives in Oslo", "Lives in Bergen", "吃猪肉", "不吃猪肉", "?", "🙂"]
) | st.text(min_size=1, max_size=20)


@law()
@given(st.lists(st.tuples(TEXTS, st.integers(0, 5)), max_size=6), TEXTS, st.integers(0, 5))
def test_learning_twice_is_learning_once(before, text, hour):
    """Law: once its decision is carried out, the same candidate brings nothing new."""
    near = [known(t, hour=9 + n, cosine=0.5) for n, (t, _) in enumerate(before)]
    candidate = said(text, 20 + hour)
    decision = reconcile(candidate, near, {})
    if isinstance(decision, AddMemory):
        made = first_revision(candidate, "mem_new", candidate.said_at)
    elif isinstance(decision, AddEvidence):
        made = revision_with_evidence(decision.memory, decision.citations)
    elif isinstance(decision, ReviseMemory):
        made = revision_with_new_text(decision.memory, candidate, candidate.said_at)
    else:
        return
    rest = [n for n in near if n.memory.id != made.id]
    again = reconcile(candidate, [*rest, RelatedMemory(made, 1.0, 1.0)], {})
    assert again == AlreadyKnown(made)
