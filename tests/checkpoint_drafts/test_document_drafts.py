"""A Markdown document becomes a draft whose decisions and tasks cite its words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.checkpoint.drafts.draft_checkpoint import verify_proposal
from functions.checkpoint.drafts.prompt import SCHEMA, draft_messages
from functions.checkpoint.drafts.reply_parser import DraftProposal, parse_draft
from functions.checkpoint.drafts.verification import DraftVerifier
from functions.checkpoint.drafts.window import (
    FULL,
    Excerpt,
    SourceText,
    document_excerpt,
    turns_excerpt,
)
from strandline import ids
from strandline.clock import Deadline
from strandline.errors import ModelRejected
from strandline.language import words
from strandline.models.turn import Role, Turn, TurnStatus
from strandline.providers.offline import OfflineRules
from tests.support.laws import law
from tests.support.world import START, Reply, World

DOCUMENT = """\
# Orders service

## Goal
Ship the orders service in May.

## Decisions
- Use Postgres for the orders
- We will not support Oracle

## Open tasks
- [ ] Write the migration
- [x] Pick a name
* Ask Dana for a budget

## Open questions
1. Who is on call?

Decision: deploy with SAM

```
## Decisions
- Drop everything
```

## Background
The Orders team grew.
"""


@pytest.fixture
def offline(world: World) -> World:
    """The background model is the embedded one."""
    world.models["offline:rules"] = OfflineRules()
    world.use(background_model="offline:rules")
    return world


def _draft(world: World, document: str, **fields: Any) -> Reply:
    return world.call("POST", "/v1/checkpoints/draft", {"document": document, **fields})


def test_headings_say_what_stands_under_them(offline: World) -> None:
    """The offline rules read a document's sections, boxes and labels, the same way every time."""
    reply = _draft(offline, DOCUMENT)
    assert (reply.status, reply["session_id"], reply["left_out"]) == (200, None, [])
    assert reply["title"] == "Orders service"
    assert reply["objective"] == "Ship the orders service in May."
    assert reply["summary"] == "The Orders team grew."
    assert [line["text"] for line in reply["decisions"]] == [
        "Use Postgres for the orders", "We will not support Oracle", "Deploy with SAM",
    ]  # fmt: skip
    assert [line["text"] for line in reply["tasks"]] == [
        "Write the migration", "Ask Dana for a budget",
    ]  # fmt: skip
    assert reply["open_questions"] == ["Who is on call?"]
    assert {"Postgres", "Oracle", "Dana", "SAM"} <= set(reply["entities"])
    assert reply["dropped"] == []
    assert _draft(offline, DOCUMENT).body == reply.body


def test_a_documents_citations_are_word_bounds_in_it(offline: World) -> None:
    """There is no turn to name: the bounds are the document's own words'."""
    for line in _draft(offline, DOCUMENT)["decisions"]:
        [citation] = line["citations"]
        assert set(citation) == {"word_start", "word_end", "quote"}
        bounds = (citation["word_start"], citation["word_end"])
        assert words.quote_words(DOCUMENT, *bounds) == citation["quote"]


def test_a_models_draft_of_a_document_is_verified_in_it(world: World) -> None:
    """A decision that isn't in the document is dropped; the document goes in as data."""
    kept = {"text": "Use Postgres", "quotes": [{"turn": 0, "quote": "Use Postgres for the orders"}]}
    invented = {"text": "Use Redis", "quotes": [{"turn": 0, "quote": "Use Redis"}]}
    world.background.will(json.dumps({"title": "T", "decisions": [kept, invented]}))
    reply = _draft(world, DOCUMENT)
    assert [line["text"] for line in reply["decisions"]] == ["Use Postgres"]
    assert [each["text"] for each in reply["dropped"]] == ["Use Redis"]
    assert json.loads(world.background.prompts[0][-1].content) == {"document": DOCUMENT}


def test_a_document_has_its_limits(world: World) -> None:
    """Blank is 400, too long 413, another's space 404; none calls a model."""
    theirs = world.call("POST", "/v1/spaces", {"name": "x"}, account="eve")["id"]
    mine = world.call("POST", "/v1/spaces", {"name": "x"})["id"]
    assert _draft(world, " \n").status == 400
    assert _draft(world, "a" * 60_001).status == 413
    assert _draft(world, "# A", space_id=theirs).status == 404
    assert _draft(world, "", space_id=theirs).status == 404
    assert world.background.prompts == []
    world.background.will("{}")
    assert _draft(world, "# A", space_id=mine).status == 200


def _turns(*said: str, role: Role = Role.USER, first: int = 1) -> Iterator[Turn]:
    session = "ses_01KBDQM2Z0000000000000000A"
    for number, text in enumerate(said, start=first):
        yield Turn(
            id=ids.turn_id(session, number), session_id=session, sequence_number=number,
            role=role, content=text, created_at=START, status=TurnStatus.ANSWERED,
        )  # fmt: skip


def _offline(excerpt: Excerpt) -> dict[str, Any]:
    until = Deadline.after(5)
    completion = OfflineRules().complete(
        draft_messages(excerpt, FULL), schema=SCHEMA, deadline=until
    )
    return dict(json.loads(completion.text))


def _of(*said: str) -> Excerpt:
    return turns_excerpt(list(_turns(*said))[::-1], FULL, first=1, more=False)


def test_the_offline_rules_draft_a_window() -> None:
    """Decisions, commitments and questions of the user's own words; what is supposed is none."""
    excerpt = _of(
        "I want two weeks in Australia, budget KANGAROO-4000.",
        "Let's go with the ferry to Manly, and I need to book it. Should we rent a car?",
        "Cairns it is. If I moved to Oslo, I'd need to get a visa.",
    )
    drawn = _offline(excerpt)
    assert [each["text"] for each in drawn["decisions"]] == [
        "Let's go with the ferry to Manly", "Cairns it is",
    ]  # fmt: skip
    assert [each["text"] for each in drawn["tasks"]] == ["I need to book it"]
    assert drawn["open_questions"] == ["Should we rent a car?"]
    assert drawn["title"] == "I want two weeks in Australia, budget KANGAROO-4000"
    assert {"Australia", "KANGAROO-4000", "Manly"} <= set(drawn["entities"])


def test_of_a_window_the_assistants_words_decide_nothing() -> None:
    """A proposal that nobody took up is no decision."""
    excerpt = turns_excerpt(
        list(_turns("Let's go with Redis.", role=Role.ASSISTANT)), FULL, first=1, more=False
    )
    assert _offline(excerpt)["decisions"] == []


TEXTS = st.lists(
    st.sampled_from(
        ["Let's go with Redis", "I have to call Anna", "Should we wait?", "We decided to wait",
         "Decision: wait", "# Decisions", "- Use it", "- [ ] Do it", "If I did", "it is",
         "我们决定了", "“Let's use X”", "remind me to pay", "## Tasks", "\n", ".", "e\u0301t "]
    )
    | st.text(alphabet="aB .\n-#?!'’é好", max_size=12),
    min_size=1,
    max_size=8,
)  # fmt: skip


@law(150)
@given(st.lists(TEXTS.map(" ".join), min_size=1, max_size=4), st.booleans())
def test_what_the_offline_rules_draft_can_be_found(said: list[str], document: bool) -> None:
    """Law: every decision and task of the rules quotes the text word for word."""
    excerpt = document_excerpt("\n".join(said)) if document else _of(*said)
    drawn = _offline(excerpt)
    parsed = parse_draft(json.dumps(drawn))
    assert isinstance(parsed, DraftProposal)
    made = verify_proposal(parsed, DraftVerifier.for_excerpt(excerpt, "en"))
    unfound = [each for each in made.dropped if "quote" in each.reason and "not in" in each.reason]
    assert unfound == []


def test_other_messages_are_refused_by_the_rules() -> None:
    """What isn't the JSON of a window or a document is told, not guessed at."""
    from strandline.providers.base import Message

    for text in ("hello", "[]", '{"turns": 3}', '{"turns": [{}]}', '{"document": 3}', "null"):
        with pytest.raises(ModelRejected):
            OfflineRules().complete(
                [Message("user", text)], schema=SCHEMA, deadline=Deadline.after(5)
            )


def _numbered(*sizes: int, **fields: Any) -> list[Turn]:
    """Turns of those sizes, newest first; user and assistant take turns."""
    made = list(_turns(*("x" * size for size in sizes)))
    roles = [Role.USER if n % 2 == 0 else Role.ASSISTANT for n in range(len(made))]
    changed = zip(made, roles, strict=True)
    return [turn.model_copy(update={"role": role, **fields}) for turn, role in changed][::-1]


def test_a_reply_does_not_stand_without_its_question() -> None:
    """Where the budget ends between the two, the reply is left out too."""
    sizes = [12_000] * 6
    excerpt = turns_excerpt(_numbered(10, 10, *sizes), FULL, first=1, more=False)
    assert list(excerpt.sources) == [5, 6, 7, 8]
    [left_out] = excerpt.left_out
    assert (left_out.from_sequence, left_out.to_sequence) == (1, 4)


def test_a_turn_too_long_is_shortened_and_told() -> None:
    """The model sees its beginning and its end; citations are of the whole turn."""
    excerpt = turns_excerpt(_numbered(50_000), FULL, first=1, more=False)
    assert excerpt.sources[1] == SourceText("x" * 50_000, excerpt.sources[1].turn)
    assert [each.reason for each in excerpt.left_out] == ["shortened"]
    assert len(draft_messages(excerpt, FULL)[-1].content) < 13_000


def test_a_question_being_answered_waits_for_the_next_draft() -> None:
    """A draft ends before it: committed up to there, the next window begins with it."""
    turns = _numbered(10, 10, 10)
    turns[0] = turns[0].model_copy(update={"status": TurnStatus.ANSWERING})
    excerpt = turns_excerpt(turns, FULL, first=1, more=False)
    assert list(excerpt.sources) == [1, 2]
    assert [(each.reason, each.to_sequence) for each in excerpt.left_out] == [("being_answered", 3)]
