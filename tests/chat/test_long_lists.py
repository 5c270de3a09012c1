"""Lists longer than a page, an answer or a transaction: read to the end, deleted to the end."""

from collections.abc import Sequence
from typing import Any

import pytest

from strandline import ids, keys
from strandline.item_codec import encode
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.models.session import Session
from strandline.models.turn import Note
from strandline.store.conversations import sessions, turn_notes, turns
from strandline.store.memories.memory_heads import head_item
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World


def to_the_end(world: World, path: str, limit: int = 100) -> list[dict[str, Any]]:
    """Every item of a list, page by page; no page is larger than asked."""
    found: list[dict[str, Any]] = []
    cursor = ""
    for _ in range(1_000):
        sign = "&" if "?" in path else "?"
        page = world.call("GET", f"/v1/{path}{sign}limit={limit}{cursor}")
        assert page.status == 200
        assert len(page["items"]) <= limit
        found += page["items"]
        if page["cursor"] is None:
            return found
        cursor = f"&cursor={page['cursor']}"
    raise AssertionError("the list has no end")


def test_400_sessions_are_listed_newest_first_and_all_go_with_their_space(world: World) -> None:
    """Five pages of a hundred; a filter gives some of them; the space takes its own along."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Large"})["id"]
    made = [new_session(world, space_id if number % 16 == 0 else None) for number in range(400)]
    for session in made:
        if session.space_id:
            sessions.create(world.runtime.table, "ada", session)
    world.put([keys.session("ada", s.id)._asdict() | encode(s) for s in made])
    newest_first = [session.id for session in reversed(made)]
    assert [found["id"] for found in to_the_end(world, "sessions")] == newest_first
    inside = [session.id for session in reversed(made) if session.space_id]
    filtered = to_the_end(world, f"sessions?space_id={space_id}", limit=7)
    assert [found["id"] for found in filtered] == inside
    assert world.call("DELETE", f"/v1/spaces/{space_id}").status == 204
    outside = [name for name in newest_first if name not in inside]
    assert [found["id"] for found in to_the_end(world, "sessions")] == outside
    world.maintain()
    left = {row["sk"] for row in world.rows() if row["sk"].startswith("SESSION#")}
    assert left == {f"SESSION#{name}" for name in outside}


def new_session(world: World, space_id: str | None) -> Session:
    """A session made a millisecond after the last one."""
    world.clock.advance(milliseconds=1)
    at = world.clock()
    return Session(id=ids.new_id("ses", at), space_id=space_id, created_at=at, updated_at=at)


def test_250_notes_are_listed_oldest_first_and_go_with_their_session(world: World) -> None:
    """Those of one turn, whatever notes its neighbours have."""
    session_id = world.session()
    reply = world.say(session_id, "hello")
    at = world.clock()
    question, answer = (
        turns.get(world.runtime.table, "ada", reply[name]["id"], at)
        for name in ("user_turn", "assistant_turn")
    )
    made = [
        Note(id=ids.new_id("not", at), turn_id=question.id, content=f"note {n}", created_at=at)
        for n in range(250)
    ]
    world.put([keys.note("ada", session_id, 1, note.id)._asdict() | encode(note) for note in made])
    turn_notes.add(world.runtime.table, "ada", answer, "another", at)
    assert [note["id"] for note in to_the_end(world, f"turns/{question.id}/notes")] == [
        note.id for note in made
    ]
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    world.maintain()
    assert not [row for row in world.rows() if row["pk"].startswith("A#ada#S#")]


def test_1200_memories_of_5_kb_are_listed_to_the_end(world: World) -> None:
    """Newest first, each once, a hundred to a page."""
    turn_id = ids.turn_id(world.session(), 1)
    made = [make_memory(world, f"Part {n}", f"{n} " + "x" * 5_000, turn_id) for n in range(1_200)]
    put_heads(world, made)
    found = to_the_end(world, "memories")
    assert [memory["id"] for memory in found] == [memory.id for memory in reversed(made)]


def test_memories_for_many_transactions_go_with_their_session(world: World) -> None:
    """Of 40 memories of 5 KB, which are more than one transaction takes, no word is left."""
    session_id = world.session()
    world.say(session_id, "a long story")
    turn_id = ids.turn_id(session_id, 1)
    made = [make_memory(world, f"Part {n}", f"{n} " + "x" * 5_000, turn_id) for n in range(40)]
    store_memories(world, *made, vectors=[[1.0] + [0.0] * 63] * 40)
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    assert to_the_end(world, "memories") == []
    world.maintain()
    rows = world.rows()
    assert "xxxxx" not in str(rows)
    kinds = {row["sk"].partition("#")[0] for row in rows}
    assert kinds & {"TURN", "RECEIPT", "CITED", "REV", "SESSION", "DELETING"} == set()
    assert not [row for row in rows if row["pk"].endswith("#FORGOTTEN")]


def test_a_page_of_large_memories_is_bounded_in_bytes(world: World) -> None:
    """A hundred memories of 60 KB are more than one answer may carry; the cursor leads on."""
    turn_id = ids.turn_id(world.session(), 1)
    put_heads(world, [make_memory(world, f"Part {n}", "x" * 60_000, turn_id) for n in range(50)])
    first = world.call("GET", "/v1/memories?limit=100")
    assert 30 <= len(first["items"]) < 50
    assert first["cursor"] is not None
    assert len(to_the_end(world, "memories")) == 50


def test_a_filter_that_matches_little_gives_empty_pages_with_a_way_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading stops after a bounded number of pages, not at the next match."""
    monkeypatch.setattr("strandline.store.pagination.MAX_PAGES_READ", 1)
    turn_id = ids.turn_id(world.session(), 1)
    oldest = make_memory(world, "Rare", "The one.", turn_id, labels=("rare",))
    put_heads(world, [oldest, *(make_memory(world, "T", str(n), turn_id) for n in range(130))])
    first = world.call("GET", "/v1/memories?label=rare")
    assert first["items"] == []
    assert first["cursor"] is not None
    found = to_the_end(world, "memories?label=rare")
    assert [memory["id"] for memory in found] == [oldest.id]


def put_heads(world: World, memories: Sequence[Memory]) -> None:
    """Only the heads, which lists read: without the rest, a thousand are stored in no time."""
    world.put(
        [
            keys.memory("ada", memory.id)._asdict()
            | head_item(Head(memory=memory, change=1, log_change=1))
            for memory in memories
        ]
    )
