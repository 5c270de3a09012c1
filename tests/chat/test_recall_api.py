"""What is recalled for a message, seen from outside: found, not found, or failed, and said so."""

from typing import Any

import pytest

from strandline import ids
from strandline.errors import ModelTimeout, ModelUnavailable
from tests.support.logs_and_metrics import log_lines, metrics
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

GARDENING = [
    ("Tomatoes", "Grows tomatoes under glass."),
    ("Compost", "Turns the compost in spring."),
    ("Plums", "Prunes the plum trees in August."),
]


def remember(
    world: World, *said: tuple[str, str], session_id: str | None = None, **how: Any
) -> list[str]:
    """Those memories, resting on a session's first turn; their ids."""
    turn_id = ids.turn_id(session_id or world.session(), 1)
    made = [make_memory(world, title, text, turn_id, **how) for title, text in said]
    store_memories(world, *made)
    return [memory.id for memory in made]


def found(reply: Reply) -> list[str]:
    """The memories of an answer."""
    return [memory["memory_id"] for memory in reply["context"]["memories"]]


def receipt_of(world: World, reply: Reply) -> Reply:
    """The receipt of an answer."""
    return world.call("GET", f"/v1/turns/{reply['assistant_turn']['id']}/receipt")


def test_a_question_about_nothing_remembered_injects_nothing(world: World) -> None:
    """ "2+2?" among memories about gardening: no block, and the receipt says no match."""
    remember(world, *GARDENING)
    world.embedder.vectors["2+2?"] = [0.0] * 63 + [1.0]
    reply = world.say(world.session(), "2+2?")
    assert (reply["context"]["recall"], found(reply)) == ("no_match", [])
    assert [m.content for m in world.chat.prompts[-1]] == ["2+2?"]
    receipt = receipt_of(world, reply)
    assert (receipt["prompt"], receipt["context"]["recall"]) == ("2+2?", "no_match")
    assert (receipt["recall_failure"], receipt["prompt_matches"]) == (None, True)


@pytest.mark.parametrize("failure", [ModelUnavailable(), ModelTimeout()], ids=str)
def test_with_the_embedder_down_the_words_alone_find(
    world: World, failure: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    """The chat answers with what shares words with the question; degraded, logged and counted."""
    [tomatoes, *_] = remember(world, *GARDENING)
    world.embedder.failure = failure
    with log_lines() as lines:
        reply = world.say(world.session(), "Which tomatoes under glass?")
    assert (reply.status, reply["context"]["recall"]) == (201, "degraded")
    assert found(reply) == [tomatoes]
    [hit] = reply["context"]["memories"]
    assert hit["similarity"] is None
    assert hit["relevance"] == hit["lexical"] > 0.3
    assert "- Tomatoes: Grows tomatoes under glass." in world.chat.text()
    assert [(line.levelname, line.getMessage()) for line in lines] == [("ERROR", "recall failed")]
    assert metrics(capsys.readouterr().out) == ["RecallFailed"]
    receipt = receipt_of(world, reply)
    assert receipt["recall_failure"] == failure.code  # type: ignore[attr-defined]
    assert receipt["prompt_matches"] is True


def test_with_the_embedder_down_and_no_word_shared_recall_failed(world: World) -> None:
    """Nothing found because of a failure is not the same as no match."""
    remember(world, *GARDENING)
    world.embedder.failure = ModelUnavailable()
    reply = world.say(world.session(), "2+2?")
    assert (reply.status, reply["context"]["recall"], found(reply)) == (201, "failed", [])


def test_no_log_line_holds_what_was_said(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a failing embedder nor a failing model puts a user's words into the logs."""
    world.embedder.failure = ModelUnavailable()
    world.chat.will(ValueError("cannot parse: my secret word"))
    assert world.say(world.session(), "my secret word").status == 500
    printed = capsys.readouterr().out
    with log_lines() as lines:
        world.chat.will(ValueError("cannot parse: my secret word"))
        world.say(world.session(), "my secret word")
    assert len(lines) >= 2
    assert "secret" not in printed + "".join(str(vars(line)) for line in lines)


@pytest.mark.parametrize("broken", ["index", "heads"])
def test_with_the_memories_unreadable_the_chat_still_answers(
    world: World, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is wrong with the index or the heads, recall says failed and the answer is given."""
    remember(world, *GARDENING)
    world.cold()
    target = (
        "strandline.use_cases.recall_index.current_index"
        if broken == "index"
        else "functions.chat.recall.memory_heads.get_readable"
    )

    def fails(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(target, fails)
    reply = world.say(world.session(), "Which tomatoes under glass?")
    assert (reply.status, reply["context"]["recall"]) == (201, "failed")
    assert receipt_of(world, reply)["recall_failure"] == "INTERNAL_ERROR"


def test_recall_off_asks_nothing(world: World) -> None:
    """No embedding, no memories, and the receipt says off."""
    remember(world, *GARDENING)
    asked = len(world.embedder.asked)
    reply = world.say(world.session(), "Which tomatoes?", recall="off")
    assert (reply["context"]["recall"], found(reply)) == ("off", [])
    assert len(world.embedder.asked) == asked


def test_a_scope_holds_what_it_names(world: World) -> None:
    """Account finds all, space its sessions' memories, session its own."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Garden"})["id"]
    mine, neighbour = world.session(space_id=space_id), world.session(space_id=space_id)
    elsewhere = world.session()
    said = {
        name: remember(world, ("Tomatoes", f"Grows {name} tomatoes."), session_id=session_id)[0]
        for name, session_id in (("red", mine), ("blue", neighbour), ("green", elsewhere))
    }
    question = "Which tomatoes grows?"
    by_scope = {
        scope: set(found(world.say(mine, question, recall=scope)))
        for scope in ("account", "space", "session")
    }
    assert by_scope == {
        "account": set(said.values()),
        "space": {said["red"], said["blue"]},
        "session": {said["red"]},
    }
    for scope, query in (
        ("account", ""),
        ("space", f"&space_id={space_id}"),
        ("space", f"&session_id={mine}"),
        ("session", f"&session_id={mine}"),
    ):
        reply = world.call("GET", f"/v1/recall?q=Which+tomatoes+grows%3F&scope={scope}{query}")
        assert {item["memory_id"] for item in reply["items"]} == by_scope[scope]
    alone = world.say(elsewhere, question, recall="space")
    assert (alone.status, alone["code"]) == (400, "INVALID")


def test_another_accounts_memories_are_never_recalled(world: World) -> None:
    """The same question of two accounts finds each one's own."""
    [hers] = remember(world, GARDENING[0])
    turn_id = ids.turn_id(world.session("lin"), 1)
    memory = make_memory(world, "Tomatoes", "Grows tomatoes under glass.", turn_id)
    store_memories(world, memory, account="lin")
    question = "Which tomatoes under glass?"
    assert found(world.say(world.session(), question)) == [hers]
    assert found(world.say(world.session("lin"), question, "lin")) == [memory.id]
    assert found(world.say(world.session("grace"), question, "grace")) == []


def test_at_most_eight_lines_are_printed_by_importance(world: World) -> None:
    """Five relevant and three of the session; in the prompt the important first."""
    session_id = world.session()
    for number in range(6):
        remember(world, ("Tomatoes", f"Grows tomatoes {number}."), importance=number / 10)
    remember(
        world,
        *((f"Own {number}", f"Said here {number}.") for number in range(5)),
        session_id=session_id,
        importance=0.9,
    )
    reply = world.say(session_id, "Which tomatoes grows?")
    assert [m["selected_by"] for m in reply["context"]["memories"]] == ["relevant"] * 5 + [
        "session"
    ] * 3
    prompt = receipt_of(world, reply)["prompt"]
    lines = [line[2:] for line in prompt.splitlines() if line.startswith("- ")]
    assert len(lines) == 8
    assert [line.partition(" ")[0] for line in lines] == ["Own"] * 3 + ["Tomatoes:"] * 5


def test_equal_memories_come_in_the_same_order_every_time(world: World) -> None:
    """Ties are broken by time and id, warm or cold."""
    for _ in range(9):
        # Each from a turn of its own: on the same turn they would be one.
        remember(world, ("Tomatoes", "Grows tomatoes."))
    orders = []
    for _ in range(3):
        orders.append(found(world.say(world.session(), "Which tomatoes grows?")))
        world.cold()
    assert len(orders[0]) == 5
    assert orders == [orders[0]] * 3


def test_what_is_recalled_is_cited_and_explained(world: World) -> None:
    """A search gives each hit's text, the words it rests on and every term of its score."""
    session_id = world.session()
    turn_id = world.say(session_id, "Tomatoes do well under glass.")["user_turn"]["id"]
    memory = make_memory(world, "Tomatoes", "Grows tomatoes under glass.", turn_id)
    store_memories(world, memory)
    reply = world.call("GET", "/v1/recall?q=tomatoes")
    [hit] = reply["items"]
    terms = {name: hit.pop(name) for name in ("similarity", "lexical", "relevance", "score")}
    assert reply["recall"] == "ok"
    assert terms["score"] == pytest.approx(0.6 * terms["relevance"] + 0.3 * 0.5 + 0.1, abs=1e-6)
    assert hit == {
        "memory_id": memory.id,
        "revision": 1,
        "kind": "observation",
        "title": "Tomatoes",
        "text": "Grows tomatoes under glass.",
        "selected_by": "relevant",
        "importance": 0.5,
        "recency": 1.0,
        "equivalents": [],
        "citations": [
            {
                "turn_id": turn_id,
                "turn_version": 1,
                "role": "user",
                "word_start": 0,
                "word_end": 1,
                "said_at": "2026-09-20T12:00:00.000000Z",
                "quote": "Tomatoes",
            }
        ],
    }


@pytest.mark.parametrize(
    "query",
    [
        "",
        "q=",
        "q=%20%20",
        f"q={'a' * 4001}",
        "q=a&scope=all",
        "q=a&scope=session",
        "q=a&scope=space",
    ],
)
def test_a_search_for_nothing_or_nowhere_is_400(world: World, query: str) -> None:
    """A question is needed, and a scope needs what it stands for."""
    reply = world.call("GET", f"/v1/recall?{query}")
    assert (reply.status, reply["code"]) == (400, "INVALID")
