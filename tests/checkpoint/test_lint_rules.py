"""Findings on a checkpoint: what each rests on, and what is none."""

from datetime import UTC, datetime
from typing import Any

import pytest

from functions.checkpoint.reviews.lint_rules import Finding, lint_checkpoint
from strandline.models.checkpoint import Artifact, Checkpoint
from strandline.models.memory import Reference

AT = datetime(2026, 9, 20, tzinfo=UTC)


def checkpoint(name: str = "chk_3", **fields: Any) -> Checkpoint:
    """A checkpoint with that id; its lists as tuples."""
    said = {"title": "Trip", "summary": "Two weeks."} | fields
    return Checkpoint(**said, id=name, space_id="spc", author="ada", commit_hash="", created_at=AT)


def found(one: Checkpoint, *line: Checkpoint, retracted: tuple[str, ...] = ()) -> list[Any]:
    """Kind and grounds of each finding."""
    return [(each.kind, each.rests_on) for each in lint_checkpoint(one, line, retracted)]


def test_a_sound_checkpoint_has_no_findings() -> None:
    """Different decisions, an open question of its own, an entity that is used."""
    sound = checkpoint(
        decisions=("Fly to Sydney in May", "Book a hotel near the harbour"),
        open_questions=("Who feeds the cat?",),
        tasks=("Ask about visas",),
        entities=("Sydney",),
    )
    assert found(sound, checkpoint("chk_1", decisions=("Save 200 a month",))) == []


@pytest.mark.parametrize(
    ("question", "decision", "answers"),
    [
        ("Which database do we use?", "Use Postgres as the database", True),
        ("Which database do we use?", "Use the train", False),
        ("Postgres?", "We take Postgres", True),
        ("Who feeds the cat?", "Fly to Sydney", False),
        ("¿?", "Fly to Sydney", False),
        ("我们用哪个数据库?", "数据库用 Postgres", True),
    ],
)
def test_an_answered_question_names_its_answer(
    question: str, decision: str, *, answers: bool
) -> None:
    """The question, the decision and the checkpoint that holds it."""
    one = checkpoint(open_questions=(question,), decisions=(decision,))
    expected = [("answered_question", (question, decision, "chk_3"))]
    assert found(one) == (expected if answers else [])


def test_a_question_is_answered_by_what_was_decided_since_it_was_asked() -> None:
    """The newest answer of the line; what was known before the question answers nothing."""
    asked, first, second = "Which database do we use?", "Use MySQL as database", "Database: use X"
    line = [
        checkpoint("chk_0", decisions=("Use Oracle as database",)),
        checkpoint("chk_1", open_questions=(asked,)),
        checkpoint("chk_2", decisions=(first, second)),
    ]
    one = checkpoint(open_questions=(asked,))
    assert found(one, *line) == [("answered_question", (asked, second, "chk_2"))]
    assert found(one, line[0]) == []


@pytest.mark.parametrize(
    ("earlier", "later", "against"),
    [
        ("Use Postgres", "Do not use Postgres", True),
        ("We won't ship on Friday", "We ship on Friday", True),
        ("Use Postgres for the storage", "Use MySQL for the storage", True),
        ("Use Postgres for the storage", "use postgres, for the storage!", False),
        ("Use Postgres for the storage", "Hire a cook", False),
        ("Do not use MySQL", "Use Postgres", False),
        ("Fly to Sydney", "Fly to Sydney in May", False),
    ],
)
def test_a_contradicted_decision_names_both(earlier: str, later: str, *, against: bool) -> None:
    """The earlier, the later, and the checkpoint of the later; of an ancestor or its own."""
    expected = [("contradicted_decision", (earlier, later, "chk_3"))] if against else []
    before = checkpoint("chk_1", decisions=(earlier,))
    assert found(checkpoint(decisions=(later,)), before) == expected
    within = found(checkpoint(decisions=(earlier, later)))
    assert [each for each in within if each[0] == "contradicted_decision"] == expected


def test_a_contradiction_among_ancestors_alone_is_not_this_checkpoints() -> None:
    """One of the two stands in the checkpoint, carried along perhaps."""
    line = [
        checkpoint("chk_1", decisions=("Use Postgres",)),
        checkpoint("chk_2", decisions=("Do not use Postgres",)),
    ]
    assert found(checkpoint(), *line) == []
    carried = checkpoint(decisions=("Use Postgres",))
    assert found(carried, *line)[0] == (
        "contradicted_decision",
        ("Use Postgres", "Do not use Postgres", "chk_2"),
    )


def test_an_entity_is_used_where_it_stands_as_a_word() -> None:
    """In any other field, artifacts among them; a part of a word is another word."""
    one = checkpoint(
        summary="Two weeks in SYDNEY, then Cairnsville.",
        artifacts=(Artifact(name="route", text="by Greyhound"),),
        assumptions=("京都市内に泊まる",),
        entities=("Sydney", "Cairns", "greyhound", "京都"),
    )
    assert found(one) == [("unused_entity", ("Cairns",))]


def test_a_retracted_memory_is_named() -> None:
    """Only those it cites."""
    cited = (Reference(memory_id="mem_1", revision=1), Reference(memory_id="mem_2", revision=3))
    one = checkpoint(memories=cited)
    assert found(one, retracted=("mem_2", "mem_9")) == [("retracted_memory", ("mem_2",))]


def test_duplicates_and_empty_checkpoints_are_found() -> None:
    """Lines that differ in spelling alone, a title without a word, nothing but a title."""
    twice = checkpoint(tasks=("Book it.", "book  it"))
    assert found(twice) == [("duplicate_line", ("Book it.", "book  it"))]
    empty = checkpoint(title="...", summary=" ")
    assert found(empty) == [("empty_title", ("...",)), ("says_nothing", ("chk_3",))]


def test_findings_are_the_same_every_time() -> None:
    """Values, in one order."""
    one = checkpoint(entities=("Mars", "Venus"), tasks=("a", "A"))
    assert lint_checkpoint(one, (), ()) == lint_checkpoint(one, (), ())
    assert all(isinstance(each, Finding) for each in lint_checkpoint(one, (), ()))
