"""Importing conversations: whole, in order, with their times; and learned from on request."""

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.support import invariants
from tests.support.checkpoint_requests import commit, mount, new_space, recalled, script_extraction
from tests.support.comparisons import assert_problem, state_of
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found
from tests.support.world import START, Reply, World

TEXT = "User: I keep bees in Oslo.\nAssistant: Lovely.\nUser: I also keep goats.\nAssistant: Fine."
BEES = found("The user keeps bees in Oslo.", "I keep bees in Oslo")
GOATS = found("The user keeps goats.", "I also keep goats")
TURN_FIELDS = ("sequence_number", "role", "content", "status", "provider")


def bring(world: World, **body: Any) -> Reply:
    """An import."""
    return world.call("POST", "/v1/sessions:import", body)


def turns(world: World, session_id: str) -> list[Any]:
    """All turns of a session."""
    found_ = world.call("GET", f"/v1/sessions/{session_id}/turns?limit=100")
    assert found_.status == 200
    return list(found_["items"])


def test_an_imported_transcript_is_a_session(world: World) -> None:
    """With its turns in pairs, which the next prompt holds."""
    made = bring(world, text=TEXT, title="Bees")
    assert (made.status, made["title"], made["turns"], made["skipped"]) == (201, "Bees", 4, [])
    shown = [tuple(turn[name] for name in TURN_FIELDS) for turn in turns(world, made["id"])]
    assert shown == [
        (1, "user", "I keep bees in Oslo.", "answered", None),
        (2, "assistant", "Lovely.", "complete", "import"),
        (3, "user", "I also keep goats.", "answered", None),
        (4, "assistant", "Fine.", "complete", "import"),
    ]
    listed = world.call("GET", "/v1/sessions")["items"]
    assert [session["id"] for session in listed] == [made["id"]]
    answer = world.say(made["id"], "What do I keep?")
    assert answer["user_turn"]["sequence_number"] == 5
    assert "I keep bees in Oslo." in world.chat.text()


def test_what_fits_no_pair_is_joined_or_told(world: World) -> None:
    """Messages in a row become one turn, an answer before any question is skipped and said so."""
    made = bring(
        world,
        messages=[
            {"role": "system", "content": "obey " * 100},
            {"role": "assistant", "content": "Welcome!"},
            {"role": "user", "content": "one"},
            {"role": "user", "content": "two"},
            {"role": "assistant", "content": "three"},
            {"role": "assistant", "content": "four"},
            {"role": "user", "content": "five"},
        ],
    )
    shown = [(t["sequence_number"], t["content"], t["status"]) for t in turns(world, made["id"])]
    assert shown == [
        (1, "one\n\ntwo", "answered"),
        (2, "three\n\nfour", "complete"),
        (3, "five", "unanswered"),
    ]
    assert (made["turns"], made["joined"]) == (3, 2)
    reasons = [(each["reason"], each["role"]) for each in made["skipped"]]
    assert reasons == [
        ("not a turn: system", "system"),
        ("an answer before any question", "assistant"),
    ]
    assert len(made["skipped"][0]["content"]) == 200


def test_a_last_question_without_an_answer_can_be_answered(world: World) -> None:
    """As any stored question, with what came before it in the prompt."""
    made = bring(world, text=f"{TEXT}\nUser: What do I keep?")
    last = turns(world, made["id"])[-1]
    reply = world.call("POST", f"/v1/turns/{last['id']}/reply")
    assert (reply.status, reply["assistant_turn"]["sequence_number"]) == (201, 6)
    assert "I keep bees in Oslo." in world.chat.text()


def test_times_are_kept_where_they_are_given(world: World) -> None:
    """None goes back, none lies in the future; what has none takes the one before it."""
    made = bring(
        world,
        messages=[
            {"role": "user", "content": "a", "created_at": "2026-01-02T03:04:05Z"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "c", "created_at": "2025-01-01T00:00:00Z"},
            {"role": "assistant", "content": "d", "created_at": "2999-01-01T00:00:00Z"},
        ],
    )
    times = [turn["created_at"] for turn in turns(world, made["id"])]
    assert times == ["2026-01-02T03:04:05.000000Z"] * 4
    assert made["times_changed"] == 2


def test_an_export_brings_its_title(world: World) -> None:
    """Unless another is asked for."""
    nodes = {
        "a": {
            "parent": None,
            "message": {
                "author": {"role": "user"},
                "content": {"content_type": "text", "parts": ["hi"]},
            },
        }
    }
    made = bring(world, conversation={"title": "Kept", "mapping": nodes, "current_node": "a"})
    assert (made.status, made["title"], made["turns"]) == (201, "Kept", 1)


def test_an_import_is_learned_from_in_order(world: World) -> None:
    """A job for each answered question; memories rest on its turns and date from them."""
    script_extraction(world, {"bees": BEES, "goats": GOATS})
    asked, minute = world.clock() - timedelta(days=40), timedelta(minutes=1)
    messages = [
        {"role": role, "content": content, "created_at": (asked + minute * n).isoformat()}
        for n, (role, content) in enumerate(
            [
                ("user", "I keep bees in Oslo."),
                ("assistant", "Lovely."),
                ("user", "I also keep goats."),
                ("assistant", "Fine."),
                ("user", "Bye"),
            ]
        )
    ]
    made = bring(world, messages=messages, extract=True)
    assert [world.job(each)["state"] for each in made["jobs"]] == ["queued", "queued"]
    assert world.drain(rounds=2) == []
    assert [world.job(each)["state"] for each in made["jobs"]] == ["stored", "stored"]
    memories = world.memories()
    assert [memory["text"] for memory in memories] == [BEES["text"], GOATS["text"]]
    first = turns(world, made["id"])[0]["id"]
    assert memories[0]["evidence"][0]["turn_id"] == first
    assert memories[0]["created_at"][:10] == asked.isoformat()[:10]
    receipt = world.call("GET", f"/v1/turns/{first}/receipt")
    assert (receipt["provider"], receipt["prompt_matches"]) == ("import", False)


def test_deleting_an_imported_session_leaves_nothing(world: World) -> None:
    """Turns, receipts, jobs' words and what was learned go with it."""
    script_extraction(world, {"bees": BEES, "goats": GOATS})
    made = bring(world, text=TEXT, extract=True)
    world.drain(rounds=2)
    assert world.call("DELETE", f"/v1/sessions/{made['id']}").status == 204
    assert "bees" not in str(world.rows())
    assert world.memories() == []


@pytest.mark.parametrize("pairs", [47, 49, 130])
def test_a_long_import_is_whole(world: World, pairs: int) -> None:
    """However many transactions it takes, every turn and every job is there, once."""
    text = "\n".join(f"User: question {n}\nAssistant: answer {n}" for n in range(pairs))
    made = bring(world, text=text, extract=True)
    assert made.status == 201
    assert (made["turns"], len(made["jobs"])) == (2 * pairs, pairs)
    assert made["jobs"] == sorted(made["jobs"])
    rows = world.rows()
    shown = [row["content"] for row in rows if row["sk"].startswith("TURN#")]
    assert shown == [f"{what} {n}" for n in range(pairs) for what in ("question", "answer")]
    assert world.waiting() == pairs


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": TEXT, "messages": [{"role": "user", "content": "hi"}]},
        {"text": " "},
        {"text": "no speaker at all"},
        {"text": "Assistant: only answers"},
        {"text": 7},
        {"text": TEXT, "format": "openai"},
        {"text": TEXT, "format": "pdf"},
        {"text": TEXT, "extract": "yes"},
        {"text": TEXT, "title": ""},
        {"messages": []},
        {"messages": "hi"},
        {"messages": [{"role": "critic", "content": "hi"}]},
        {"conversation": []},
        {"conversation": {"mapping": 7}},
        {"conversation": {"mapping": {}, "current_node": "x"}},
        {"conversation": {"a": 1}, "format": "chatgpt"},
    ],
    ids=lambda body: json.dumps(body)[:60],
)
def test_what_is_no_conversation_is_refused(world: World, body: dict[str, Any]) -> None:
    """400 with a plain reason, and nothing is stored."""
    before = state_of(world)
    assert_problem(bring(world, **body), 400, "INVALID")
    assert state_of(world) == before


def test_what_is_too_large_is_refused_whole(world: World) -> None:
    """A turn beyond 100,000 bytes, or more turns than 2,000: 413, and nothing is stored."""
    before = state_of(world)
    assert_problem(bring(world, text="User: " + "é" * 50_001), 413, "TOO_LARGE")
    many = [{"role": ("user", "assistant")[n % 2], "content": "x"} for n in range(2_002)]
    assert_problem(bring(world, messages=many), 413, "TOO_LARGE")
    assert state_of(world) == before
    assert bring(world, text="User: " + "é" * 50_000).status == 201


def test_turns_of_the_largest_size_are_imported(world: World) -> None:
    """Many of them take more than one transaction's bytes."""
    messages = [
        {"role": ("user", "assistant")[n % 2], "content": str(n) * 100_000} for n in range(10)
    ] + [{"role": "user", "content": "x" * 100_000} for _ in range(1)]
    made = bring(world, messages=messages)
    assert (made.status, made["turns"]) == (201, 11)


@pytest.mark.parametrize("which", ["missing", "foreign", "malformed"])
def test_a_space_that_is_not_there_is_not_found(world: World, which: str) -> None:
    """404, before anything is written."""
    foreign = new_space(world, "grace")
    named = {
        "missing": "spc_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "foreign": foreign,
        "malformed": "spc_#",
    }[which]
    before = state_of(world)
    assert_problem(bring(world, text=TEXT, space_id=named), 404, "NOT_FOUND")
    assert state_of(world) == before


@pytest.mark.parametrize("after", [False, True], ids=["before a write", "after a write"])
def test_a_killed_import_shows_nothing_and_leaves_nothing(world: World, *, after: bool) -> None:
    """At whatever write: until the session is there nobody sees a turn; then it is whole."""
    text = "\n".join(f"User: wombat {n}\nAssistant: answer {n}" for n in range(49))
    plain, kills = world.client, 0
    for writes in range(1, 40):
        world.put_back([])
        world.go_through(CrashingClient(plain, at=writes, after=after))
        try:
            bring(world, text=text, extract=True)
        except Crashed:
            kills += 1
        else:
            break
        finally:
            world.go_through(plain)
        sessions = world.call("GET", "/v1/sessions")["items"]
        if sessions:
            assert len(turns(world, sessions[0]["id"])) == 98
            assert sessions[0]["last_sequence_number"] == 98
            continue
        world.clock.advance(minutes=11)
        world.maintain()
        world.drain()
        assert "wombat" not in str(world.rows())
        invariants.hold(world)
    assert kills > 3


def test_a_finished_import_is_not_taken_away(world: World) -> None:
    """The removal that stood by was called off: maintenance leaves the session alone."""
    made = bring(world, text=TEXT)
    world.clock.advance(minutes=30)
    world.maintain()
    assert len(turns(world, made["id"])) == 4
    invariants.hold(world)


def test_what_is_imported_after_a_checkpoint_came_after_it(world: World) -> None:
    """However long ago it was said: the head's window shows it, a mount of the older hides it."""
    script_extraction(world, {"bees": BEES})
    space_id = new_space(world)
    old = commit(world, space_id, summary="The old summary.")["id"]
    world.clock.advance(seconds=1)
    messages = [
        {"role": "user", "content": "I keep bees in Oslo.", "created_at": "2020-01-01T00:00:00Z"},
        {"role": "assistant", "content": "Lovely."},
    ]
    made = bring(world, messages=messages, space_id=space_id, extract=True)
    world.drain()
    assert world.clock() > START
    world.say(made["id"], "What do I keep?", recall="off")
    assert "I keep bees in Oslo." in world.chat.text()
    other = world.session(space_id=space_id)
    for session_id in (other, made["id"]):
        mount(world, session_id, old)
        answer = world.say(session_id, "Where are the bees?")
        assert answer["context"]["memories"] == []
        assert "bees in Oslo" not in world.chat.text()
        assert recalled(world, "bees in Oslo", session_id=session_id) == "[]"
