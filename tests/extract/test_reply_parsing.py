"""Whatever a model replies is told apart and made sane."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.extract.candidates import repair
from functions.extract.candidates.candidate import Candidate, Quote
from functions.extract.model_call.reply_parser import (
    MAX_MEMORIES,
    NoMemories,
    ParsedCandidates,
    UnreadableReply,
    parse_reply,
)
from strandline.models.memory import (
    MAX_LABEL,
    MAX_LABELS,
    MAX_SUBJECT,
    MAX_TEXT,
    MAX_TITLE,
    MAX_TOPIC,
    Kind,
)
from strandline.models.turn import Role
from tests.support.laws import law

ITEM = {"kind": "observation", "title": "Tea", "text": "Likes tea", "importance": 0.4,
        "labels": ["food"], "subject": "user", "topic": "",
        "quotes": [{"turn": "user", "quote": "I like tea"}]}  # fmt: skip
ONE = json.dumps({"memories": [ITEM]})
READ = ParsedCandidates(
    (
        Candidate(
            kind=Kind.OBSERVATION,
            title="Tea",
            text="Likes tea",
            importance=0.4,
            labels=("food",),
            subject="user",
            topic="",
            quotes=(Quote(Role.USER, "I like tea"),),
        ),
    )
)
NONE_FOUND = NoMemories("the model found nothing to remember")
EMPTY = NoMemories("the model's reply was empty")
BREAKS_OFF = UnreadableReply("the model's reply breaks off within its JSON")


@pytest.mark.parametrize(
    "reply",
    [
        ONE,
        f"```json\n{ONE}\n```",
        f"Sure, here you are {{see}} [1]:\n```\n{ONE}\n```\nAnything else?",
        f"<think>maybe {{\"memories\": []}}</think>\n{ONE}",
        f"<think>hm, {ONE}",
        f"<think>x</think>{{\"memories\": []}}\n\n{ONE}",
        f"{json.dumps({'memories': [{'text': 'a draft'}]})}\nBetter: {ONE}",
        json.dumps([ITEM]),
        json.dumps(ITEM),
        json.dumps({"result": {"memories": [ITEM]}}),
        json.dumps({"memories": ITEM}),
        json.dumps({"note": "ok", "Items": 1, "memories": [{**ITEM, "extra": {"a": 1}}]}),
        json.dumps(ONE),
        ONE[:-2] + ",]}",
        "\ufeff" + ONE,
    ],
)  # fmt: skip
def test_every_wrapping_gives_the_same_memory(reply):
    """Fences, prose, thoughts, drafts before the final object and odd wrappers don't matter."""
    assert parse_reply(reply) == READ


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ("null", EMPTY),
        ("", EMPTY),
        (" \n", EMPTY),
        ("[]", NONE_FOUND),
        ("{}", NONE_FOUND),
        ('{"memories": []}', NONE_FOUND),
        ('{"memories": null}', NONE_FOUND),
        ('{"memories": "none"}', NONE_FOUND),
        ("```json\n[]\n```", NONE_FOUND),
        ("Nothing worth remembering here.", NONE_FOUND),
        (
            "I'm sorry, I can't do that.",
            NoMemories("the model refused: I'm sorry, I can't do that."),
        ),
        (ONE[: len(ONE) // 2], BREAKS_OFF),
        (json.dumps({"memories": [ITEM, ITEM]})[:-20], BREAKS_OFF),
        ("<think>x</think>" + ONE[:-1], BREAKS_OFF),
        ("[" * 100_000, BREAKS_OFF),
        ("blah blah", UnreadableReply("the model's reply holds no JSON")),
        ("<think>so", UnreadableReply("the model's reply holds thoughts, but no answer")),
        ('{"error": "busy"}', UnreadableReply("the model's reply holds JSON, but no memories")),
        ("42", UnreadableReply("the model's reply holds JSON, but no memories")),
    ],
)
def test_nothing_is_told_apart_from_nothing_readable(reply, result):
    """An honest nothing and a refusal are no failure; half a JSON is, whatever is in it."""
    assert parse_reply(reply) == result


def test_a_fence_inside_a_text_stays():
    """What looks like wrapping inside a value is the value."""
    text = 'Run:\n```json\n{"a": 1}\n```\n<think>ok</think>'
    for reply in (json.dumps({"memories": [{**ITEM, "text": text}]}),):
        for wrapped in (reply, f"Here:\n```json\n{reply}\n```"):
            parsed = parse_reply(wrapped)
            assert isinstance(parsed, ParsedCandidates)
            assert parsed.items[0].text.startswith('Run:\n```json\n{"a": 1}\n```')


@pytest.mark.parametrize(
    ("value", "importance"),
    [
        ("high", 0.8), (" Medium ", 0.5), ("low", 0.2), (7, 0.7), (-1, 0.0), ("85%", 0.85),
        ("0.7", 0.7), ("0,7", 0.7), ("7/10", 0.7), ("8 out of 10", 0.8), (75, 0.75), (1, 1.0),
        (10, 1.0), (100, 1.0), (5000, 1.0), (10**400, 1.0), (-(10**400), 0.0), (None, 0.5),
        (True, 0.5), ("lots", 0.5), ([], 0.5), (float("nan"), 0.5), (float("inf"), 1.0),
        ("NaN", 0.5), ("1e999", 1.0), ("150%", 1.0),
    ],
)  # fmt: skip
def test_importance_is_a_number_from_0_to_1(value, importance):
    """Words, percentages and other scales are understood; what isn't one is the middle."""
    assert repair.parse_importance(value) == importance


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (" Decision ", Kind.DECISION), ("COMMITMENTS", Kind.COMMITMENT), ("todo", Kind.COMMITMENT),
        ("suggestion", Kind.PROPOSAL), ("mood", Kind.OBSERVATION), (None, Kind.OBSERVATION),
        (3, Kind.OBSERVATION), (["decision"], Kind.OBSERVATION),
    ],
)  # fmt: skip
def test_an_unknown_kind_is_an_observation(value, kind):
    """Case, white space and number don't matter, and nothing crashes."""
    assert repair.parse_kind(value) is kind


def test_odd_fields_are_repaired_and_bounded():
    """Null or scalar lists, alternate names, control characters and huge values all become sane."""
    item = {
        "type": "Decision", "title": "a\n" + "very " * 40, "content": "word " * 400 + "\x00",
        "tags": "food, \nhealth,food", "subject": "The User", "topic": "t" * 90,
        "quote": "I like\ntea",
    }  # fmt: skip
    made = repair.repair_candidate(item)
    assert made is not None
    assert made.kind is Kind.DECISION
    assert (len(made.title) <= 80, made.title.startswith("a very very")) == (True, True)
    assert (len(made.text) <= 1_000, made.text.endswith("…"), "\x00" in made.text) == (
        True, True, False,
    )  # fmt: skip
    assert (made.labels, made.subject, len(made.topic)) == (("food", "health"), "user", 60)
    assert made.quotes == (Quote(None, "I like\ntea"),)
    empty = repair.repair_candidate(
        {"text": "x", "tags": None, "quotes": None, "labels": [None, 3]}
    )
    assert empty == Candidate(Kind.OBSERVATION, "x", "x", 0.5, ("3",))


def test_what_exceeds_ten_memories_is_dropped_with_a_reason():
    """Ten fit into one transaction; the others aren't lost without a word."""
    parsed = parse_reply(json.dumps({"memories": [{"text": f"t{n}"} for n in range(12)] + [{}]}))
    assert isinstance(parsed, ParsedCandidates)
    assert [candidate.text for candidate in parsed.items] == [f"t{n}" for n in range(10)]
    assert [(d.text, d.reason) for d in parsed.dropped] == [
        ("", "no text"),
        ("t10", "more than 10 memories of one exchange"),
        ("t11", "more than 10 memories of one exchange"),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["memories", "memory", "text", "title", "kind", "importance", "labels", "tags",
                 "subject", "topic", "quotes", "quote", "turn", "data"]
            ) | st.text(max_size=5),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)  # fmt: skip


def _is_sane(candidate: Candidate) -> bool:
    return (
        isinstance(candidate.kind, Kind)
        and math.isfinite(candidate.importance)
        and 0 <= candidate.importance <= 1
        and 0 < len(candidate.title) <= MAX_TITLE
        and 0 < len(candidate.text) <= MAX_TEXT
        and len(candidate.labels) <= MAX_LABELS
        and all(0 < len(label) <= MAX_LABEL for label in candidate.labels)
        and len(candidate.topic) <= MAX_TOPIC
        and 0 < len(candidate.subject) <= MAX_SUBJECT
        and len(candidate.quotes) <= repair.MAX_QUOTES
        and (candidate.title + candidate.text).encode() != b""
    )


@law()
@given(JSON, st.sampled_from(["{}", "```json\n{}\n```", "ok {} done", "<think>a</think>{}"]))
def test_any_json_is_parsed_without_a_crash_and_within_bounds(value, wrapping):
    """Law: whatever the shape, the result is one of three, and candidates keep every bound."""
    parsed = parse_reply(wrapping.replace("{}", json.dumps(value)))
    assert isinstance(parsed, ParsedCandidates | NoMemories | UnreadableReply)
    if isinstance(parsed, ParsedCandidates):
        assert len(parsed.items) <= MAX_MEMORIES
        assert all(_is_sane(candidate) for candidate in parsed.items)


@law()
@given(
    st.text(alphabet=st.characters(), max_size=200)
    | st.text('{}[]",:\\ \n`tnul<hik>/', max_size=80)
)
def test_any_text_is_parsed_without_a_crash(reply):
    """Law: no text makes the parser raise, brackets and broken strings least of all."""
    assert isinstance(parse_reply(reply), ParsedCandidates | NoMemories | UnreadableReply)


@law()
@given(st.integers(1, len(ONE) - 1))
def test_a_reply_cut_anywhere_is_never_taken_for_a_memory_or_for_nothing(length):
    """Law: half a reply is unreadable wherever it was cut."""
    assert parse_reply(ONE[:length]) == BREAKS_OFF
