"""What becomes of a model's reply to a draft: repaired, dropped with a reason, or refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.checkpoint.drafts.draft_checkpoint import verify_proposal
from functions.checkpoint.drafts.reply_parser import (
    MAX_LINES,
    DraftProposal,
    UnusableReply,
    parse_draft,
)
from functions.checkpoint.drafts.response import Draft
from functions.checkpoint.drafts.verification import DraftVerifier
from functions.checkpoint.drafts.window import document_excerpt
from strandline.errors import ModelRateLimited, ModelTimeout, ModelUnavailable
from strandline.language.words import quote_words
from strandline.providers.base import Completion, Finish
from tests.support.laws import law
from tests.support.world import Reply, World

FERRY = "Let's go with the ferry to Manly."
TODO = "I have to book it before Friday. Should we rent a car?"
OTHER = "We won't fly to Perth. Suppose we hired a boat for Broome."


@pytest.fixture
def session(world: World) -> str:
    """Three exchanges: turns 1 to 6."""
    world.chat.default = "Okay, noted."
    made = world.session()
    for said in (FERRY, TODO, OTHER):
        world.say(made, said)
    return made


def _draft(world: World, session: str, reply: Any) -> Reply:
    world.background.will(reply if isinstance(reply, str | Completion) else json.dumps(reply))
    return world.call("POST", "/v1/checkpoints/draft", {"session_id": session})


def _point(text: str, said: str, turn: Any = 1) -> dict[str, Any]:
    return {"text": text, "quotes": [{"turn": turn, "quote": said}]}


TAKE_THE_FERRY = _point("Take the ferry to Manly", "Let's go with the ferry to Manly")
BOOK = _point("Book the ferry before Friday", "I have to book it before Friday", 3)


def _texts(lines: list[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in lines]


def test_a_decision_is_returned_with_what_it_cites(world: World, session: str) -> None:
    """The bounds are set by our code, and the quote is the turn's own words."""
    reply = _draft(
        world, session, {"title": "Trip", "decisions": [TAKE_THE_FERRY], "tasks": [BOOK]}
    )
    [decision], [task] = reply["decisions"], reply["tasks"]
    for line, content, number in ((decision, FERRY, 1), (task, TODO, 3)):
        [citation] = line["citations"]
        assert citation["turn_id"].endswith(f"_{number:08d}")
        assert citation["quote"] == quote_words(
            content, citation["word_start"], citation["word_end"]
        )
        assert citation["role"] == "user"
    assert (reply["title"], reply["dropped"]) == ("Trip", [])
    assert (reply["model"], reply["usage"]["input_tokens"]) == ("scripted:model-1", 11)


def test_nulls_are_empty_and_texts_are_single_items(world: World, session: str) -> None:
    """A model that writes null or a text for a list is understood."""
    reply = _draft(
        world,
        session,
        {
            "title": None, "objective": ["Get", "to Manly"], "summary": {"text": "A trip."},
            "decisions": "Let's go with the ferry to Manly", "tasks": None,
            "open_questions": "Should we rent a car?", "entities": "Manly", "assumptions": None,
        },
    )  # fmt: skip
    assert reply.status == 200
    assert (reply["title"], reply["objective"]) == ("", "Get to Manly")
    assert reply["summary"] == "A trip."
    assert _texts(reply["decisions"]) == ["Let's go with the ferry to Manly"]
    assert (reply["tasks"], reply["assumptions"]) == ([], [])
    assert reply["open_questions"] == ["Should we rent a car?"]
    assert reply["entities"] == ["Manly"]


def test_objects_stand_for_the_texts_in_them(world: World, session: str) -> None:
    """Objects with text, decision, task, question or name, odd types and extra keys are read."""
    reply = _draft(
        world,
        session,
        {
            "Title": {"title": "Trip"}, "confidence": 0.9,
            "keyDecisions": {"decision": "Take the ferry", "quote": FERRY, "turn": "turn 1"},
            "action items": [{"task": "Book it", "evidence": "I have to book it", "turn": 3.0}],
            "open-questions": [[{"question": "Should we rent a car?"}], None, 7, True, {}],
            "entities": [{"name": "Manly", "type": "place"}, {"name": "manly"}],
        },
    )  # fmt: skip
    assert reply["title"] == "Trip"
    assert _texts(reply["decisions"]) == ["Take the ferry"]
    assert _texts(reply["tasks"]) == ["Book it"]
    assert reply["open_questions"] == ["Should we rent a car?"]
    assert reply["entities"] == ["Manly"]


@pytest.mark.parametrize(
    "wrapped",
    [
        "```json\n%s\n```", "Here is the draft:\n%s\nHope it helps!", "%s,\n",
        '<think>{"decisions": ["No"]} or so</think>\n%s', '{"checkpoint": %s}', "[%s]",
        '{"title": "First try", "decisions": []}\nBetter:\n```\n%s\n```', "\ufeff%s",
    ],
)  # fmt: skip
def test_what_stands_around_the_json_does_not_matter(
    world: World, session: str, wrapped: str
) -> None:
    """Fences, prose, thoughts and wrappers are looked through; the last of drafts counts."""
    reply = _draft(
        world, session, wrapped % json.dumps({"title": "T", "decisions": [TAKE_THE_FERRY]})
    )
    assert (reply.status, reply["title"]) == (200, "T")
    assert _texts(reply["decisions"]) == ["Take the ferry to Manly"]


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ("Use Postgres", "quotes nothing"),
        ({"text": "Use Postgres", "quotes": []}, "quotes nothing"),
        (_point("Use Postgres", "we decided to use Postgres"), "not in the turn"),
        (_point("Use Postgres", "Let's go with the ferry"), "shares no word"),
        (_point("Take the ferry, with Postgres", "Let's go with the ferry"), "names what is not"),
        (_point("Take the ferry for 4000", "Let's go with the ferry"), "names what is not"),
        (_point("Take the ferry", "Let's go with the ferry", 3), "not in the turn"),
        (_point("Take the ferry", "Let's go with the ferry", 99), "not in the window"),
        (_point("Take the ferry", "go with a ferry"), "not in the turn"),
        (_point("Rent a car", "Should we rent a car?", 3), "only ask"),
        (_point("Hire a boat for Broome", "we hired a boat for Broome", 5), "hypothetical"),
        (_point("Fly to Perth", "We won't fly to Perth", 5), "yes and no"),
        (_point("The", "the"), "shares no word"),
    ],
)
def test_an_invented_decision_is_dropped_with_the_reason(
    world: World, session: str, point: Any, reason: str
) -> None:
    """What doesn't stand in the window, word for word and as it was meant, is never returned."""
    reply = _draft(world, session, {"decisions": [point, TAKE_THE_FERRY], "tasks": []})
    assert _texts(reply["decisions"]) == ["Take the ferry to Manly"]
    [dropped] = reply["dropped"]
    assert reason in dropped["reason"]
    assert dropped["text"]


def test_an_earlier_checkpoints_decisions_are_not_drafted_again(world: World) -> None:
    """What the model brings along from before the window isn't in it, whatever it cites."""
    world.chat.default = "Okay."
    space = world.call("POST", "/v1/spaces", {"name": "s"})["id"]
    session = world.session(space_id=space)
    world.say(session, "Let's use Postgres for the orders.")
    body = {"title": "One", "session_id": session, "decisions": ["Use Postgres for the orders"]}
    world.call("POST", f"/v1/spaces/{space}/checkpoints", body)
    world.say(session, "Let's go with Redis for the cache.")
    carried = _point("Use Postgres for the orders", "Let's use Postgres for the orders", 1)
    unnamed = _point("Use Postgres for the orders", "Let's use Postgres for the orders", None)
    new = _point("Use Redis for the cache", "Let's go with Redis for the cache", 3)
    reply = _draft(
        world, session, {"decisions": [carried, new], "tasks": [unnamed], "entities": ["Postgres"]}
    )
    assert _texts(reply["decisions"]) == ["Use Redis for the cache"]
    assert (reply["tasks"], reply["entities"]) == ([], [])
    reasons = [each["reason"] for each in reply["dropped"]]
    assert len(reasons) == 3
    assert all("window" in reason for reason in reasons)


def test_what_the_assistant_proposed_is_decided_when_the_user_took_it_up(world: World) -> None:
    """Its words alone decide nothing; they may be a task, and a decision beside the user's."""
    world.chat.default = "You could use Redis for the cache. I will write the plan."
    session = world.session()
    for said in ("Which cache is there?", "Yes, do that."):
        world.say(session, said)
    proposed = {"turn": 2, "quote": "You could use Redis for the cache"}
    taken_up = {"turn": 3, "quote": "Yes, do that"}
    alone = {"text": "Use Redis", "quotes": [proposed]}
    both = {"text": "Use Redis for the cache", "quotes": [proposed, taken_up]}
    task = _point("Write the plan", "I will write the plan", 2)
    reply = _draft(world, session, {"decisions": [alone, both], "tasks": [task]})
    assert _texts(reply["decisions"]) == ["Use Redis for the cache"]
    assert [each["role"] for each in reply["decisions"][0]["citations"]] == ["assistant", "user"]
    assert _texts(reply["tasks"]) == ["Write the plan"]
    [dropped] = reply["dropped"]
    assert "only the assistant" in dropped["reason"]


def test_lists_are_bounded_and_say_what_was_too_much(world: World, session: str) -> None:
    """Of fifty questions the first twenty are kept, each cut to a bounded length."""
    questions = [
        f"what about the ferry number{chr(97 + n % 26) * (n // 26 + 1)}?" for n in range(50)
    ]
    reply = _draft(
        world, session, {"title": "t " * 500, "open_questions": ["q " * 900, *questions]}
    )
    assert len(reply["open_questions"]) == MAX_LINES
    assert max(map(len, reply["open_questions"])) <= 500
    assert len(reply["title"]) <= 120
    assert {each["reason"] for each in reply["dropped"]} == {"more than 20 open questions"}


@pytest.mark.parametrize("nothing", ["{}", "null", "[]", '{"decisions": null, "tasks": null}'])
def test_a_model_that_finds_nothing_gives_an_empty_draft(
    world: World, session: str, nothing: str
) -> None:
    """An honest nothing is no failure."""
    reply = _draft(world, session, nothing)
    assert (reply.status, reply["decisions"], reply["dropped"]) == (200, [], [])
    assert (reply["from_sequence"], reply["to_sequence"]) == (1, 6)


@pytest.mark.parametrize(
    ("hopeless", "detail"),
    [
        ("I made a nice draft for you.", "no JSON"),
        ('{"title": "Trip", "decisions": [{"text": "Ta', "breaks off"),
        ('{"weather": "fine"}', "no draft"),
        ("I'm sorry, I can't do that.", "refused"),
        (Completion("No.", "scripted", "m", Finish.REFUSAL), "refused"),
        ("<think>what now", "no JSON"),
        ('"text"', "no draft"),
    ],
)
def test_a_hopeless_reply_is_a_502_with_the_reason(
    world: World, session: str, hopeless: Any, detail: str
) -> None:
    """It is the model's failure, told as one, and never ours."""
    reply = _draft(world, session, hopeless)
    assert (reply.status, reply["code"]) == (502, "MODEL_REPLY_INVALID")
    assert detail in reply["detail"]
    assert reply["retryable"] is True


@pytest.mark.parametrize(
    ("failure", "status", "retry_after"),
    [
        (ModelTimeout(), 504, None),
        (ModelUnavailable(), 502, None),
        (ModelRateLimited(retry_after=7), 502, "7"),
    ],
)
def test_a_model_that_fails_is_told_as_such(
    world: World, session: str, failure: Exception, status: int, retry_after: str | None
) -> None:
    """A time-out is 504, another failure 502, with the service's Retry-After."""
    world.background.will(failure)
    reply = world.call("POST", "/v1/checkpoints/draft", {"session_id": session})
    assert reply.status == status
    assert reply.headers.get("retry-after") == (
        "7" if status == 502 and "RATE" in reply["code"] else None
    )


def test_a_reply_cut_off_by_its_length_is_asked_for_once_more_and_smaller(
    world: World, session: str
) -> None:
    """Two calls, counted together; the second asks for fewer lines."""
    cut = Completion('{"title": "Tr', "scripted", "model-1", Finish.LENGTH)
    world.background.will(cut)
    reply = _draft(world, session, {"title": "Trip", "decisions": [TAKE_THE_FERRY]})
    assert (reply.status, len(reply["decisions"])) == (200, 1)
    first, second = (prompt[0].content for prompt in world.background.prompts)
    assert "At most 20 lines" in first
    assert "At most 6 lines" in second
    world.background.will(cut, cut)
    again = world.call("POST", "/v1/checkpoints/draft", {"session_id": session})
    assert (again.status, len(world.background.prompts)) == (502, 4)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from([FERRY, "Use Postgres", "turn 1", 10**400, "\ud800", "a" * 5_000]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["title", "decisions", "tasks", "open_questions", "entities", "text", "quote", "quotes",
             "turn", "summary", "checkpoint", "name", "x", ""]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip
CHECKER = DraftVerifier.for_excerpt(document_excerpt(f"{FERRY}\n{TODO}"), "en")


@law(300)
@given(JSON, st.sampled_from(["%s", "```json\n%s\n```", "<think>%s", "%s]", "x %s {", "%s %s"]))
def test_no_reply_raises_and_every_line_kept_is_cited(value: Any, around: str) -> None:
    """Law: any JSON in any wrapping is a draft whose lines hold up, or unusable with a reason."""
    text = json.dumps(value)
    reply = around.replace("%s", text)
    parsed = parse_draft(reply)
    if isinstance(parsed, UnusableReply):
        assert parsed.reason
        return
    made = verify_proposal(parsed, CHECKER)
    assert Draft.model_validate_json(made.model_dump_json()) == made
    for line in (*made.decisions, *made.tasks):
        assert line.citations
        assert all(each.quote in FERRY + "\n" + TODO for each in line.citations)
    for kept in (made.decisions, made.tasks, made.open_questions, made.entities, made.assumptions):
        assert len(kept) <= MAX_LINES


@law(300)
@given(st.text(max_size=200) | st.text(alphabet='{}[]",:\\ \n<think>nul`', max_size=80))
def test_any_text_at_all_is_read_without_an_error(reply: str) -> None:
    """Law: the parser of drafts takes whatever a model may say."""
    assert isinstance(parse_draft(reply), DraftProposal | UnusableReply)
