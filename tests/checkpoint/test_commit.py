"""Committing: once, on the branch's head, sealed; and nothing changes a checkpoint after that."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from functions.checkpoint import commit_checkpoint
from functions.checkpoint.commit_checkpoint import CommitRequest
from functions.checkpoint.requests import NewCheckpoint
from strandline.models.checkpoint import Checkpoint, commit_hash
from tests.support.checkpoint_requests import alter_stored, commit, mount, new_space, stored
from tests.support.comparisons import assert_problem, state_of
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import ROUTES, World

FULL: dict[str, Any] = {
    "objective": "Plan the trip",
    "summary": "Two weeks.",
    "decisions": ["Sydney first"],
    "tasks": ["Book flights"],
    "open_questions": ["Which hotel?"],
    "entities": ["Sydney"],
    "assumptions": ["No visa is needed"],
    "artifacts": [{"name": "route", "text": "Sydney, Cairns"}],
}


def with_turns(world: World) -> tuple[str, str]:
    """A space and a session in it with two exchanges."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    world.say(session_id, "one")
    world.say(session_id, "two")
    return space_id, session_id


def read(world: World, checkpoint_id: str) -> Any:
    """A checkpoint as its owner sees it."""
    return world.call("GET", f"/v1/checkpoints/{checkpoint_id}")


def test_a_commit_is_read_as_it_was_sent(world: World) -> None:
    """With its place in the lineage, the turns it covers and a hash that anyone can check."""
    space_id, session_id = with_turns(world)
    made = commit(world, space_id, "Trip", session_id=session_id, author="ada", **FULL)
    assert made.status == 201
    assert {name: made[name] for name in FULL} == FULL
    assert made["source"] == {"session_id": session_id, "from_sequence": 1, "to_sequence": 4}
    assert (made["branch"], made["parent_id"], made["author"]) == ("main", None, "ada")
    assert read(world, made["id"]).body == made.body
    assert commit_hash(Checkpoint.model_validate(made.body)) == made["commit_hash"]


def test_a_commit_goes_on_its_branchs_head(world: World) -> None:
    """Each names the one before; the space knows the head of each branch."""
    space_id = new_space(world)
    made = [commit(world, space_id, f"number {n}") for n in range(3)]
    other = commit(world, space_id, "aside", branch="aside")
    assert [each["parent_id"] for each in made] == [None, made[0]["id"], made[1]["id"]]
    assert other["parent_id"] is None
    heads = world.call("GET", f"/v1/spaces/{space_id}")["heads"]
    assert heads == {"main": made[2]["id"], "aside": other["id"]}


def test_the_next_commit_covers_what_came_after_the_first(world: World) -> None:
    """Its range begins where the session's window begins."""
    space_id, session_id = with_turns(world)
    commit(world, space_id, session_id=session_id)
    world.say(session_id, "three")
    made = commit(world, space_id, session_id=session_id)
    assert (made["source"]["from_sequence"], made["source"]["to_sequence"]) == (5, 6)
    turns = world.call("GET", f"/v1/checkpoints/{made['id']}/turns")["items"]
    assert [turn["content"] for turn in turns] == ["three", "Understood."]


def test_a_commit_while_mounted_covers_what_came_after_the_mount(world: World) -> None:
    """What the boundary hides isn't among its turns."""
    space_id, session_id = with_turns(world)
    first = commit(world, space_id, session_id=session_id, to_sequence=2)
    mount(world, session_id, first["id"])
    world.say(session_id, "after the mount")
    made = commit(world, space_id, session_id=session_id)
    assert (made["source"]["from_sequence"], made["source"]["to_sequence"]) == (5, 6)


def test_the_same_commit_with_one_key_is_one_checkpoint(world: World) -> None:
    """Sent again it gives the same answer; another body with the key is refused."""
    space_id, session_id = with_turns(world)
    how: dict[str, Any] = {"session_id": session_id, "headers": {"Idempotency-Key": "k"}, **FULL}
    first = commit(world, space_id, **how)
    before = state_of(world)
    again = commit(world, space_id, **how)
    assert (again.status, again.body) == (201, first.body)
    assert_problem(
        commit(world, space_id, "Other", headers={"Idempotency-Key": "k"}),
        422,
        "IDEMPOTENCY_KEY_REUSED",
    )
    assert state_of(world) == before


def in_parallel(
    world: World, space_id: str, titles: list[str], key: str | None
) -> list[Checkpoint]:
    """Commits at the same time, past the handler: in Lambda each request has one to itself."""

    def one(title: str) -> Checkpoint:
        wanted = CommitRequest("ada", space_id, NewCheckpoint(title=title), key)
        return commit_checkpoint.commit(world.runtime, wanted)

    with ThreadPoolExecutor(len(titles)) as threads:
        return [*threads.map(one, titles)]


def test_the_same_commit_at_the_same_time_is_one_checkpoint(world: World) -> None:
    """Six of them in parallel with one key."""
    space_id = new_space(world)
    made = in_parallel(world, space_id, ["same"] * 6, "k")
    assert len({each.id for each in made}) == 1
    assert len(world.call("GET", f"/v1/spaces/{space_id}/lineage")["nodes"]) == 1


def test_commits_at_the_same_time_form_a_chain(world: World) -> None:
    """Six in parallel on one branch: none is lost, each has another parent, one is the head."""
    space_id = new_space(world)
    made = in_parallel(world, space_id, [f"number {n}" for n in range(6)], None)
    parents = {each.id: each.parent_id for each in made}
    chain = [world.call("GET", f"/v1/spaces/{space_id}")["heads"]["main"]]
    while (parent := parents[chain[-1]]) is not None:
        chain.append(parent)
    assert len(chain) == 6
    assert set(chain) == parents.keys()


@pytest.mark.parametrize(
    "field",
    [
        {"summary": "x" * 400_000},
        {"decisions": ["é" * 1_000] * 200},
        {"artifacts": [{"name": "big", "text": "x" * 400_000}]},
    ],
    ids=lambda field: next(iter(field)),
)
def test_a_checkpoint_of_400_kb_is_refused_before_anything_is_written(
    world: World, field: dict[str, Any]
) -> None:
    """413, and the head stays where it was."""
    space_id = new_space(world)
    before = state_of(world)
    assert_problem(commit(world, space_id, **field), 413, "TOO_LARGE")
    assert state_of(world) == before


@pytest.mark.parametrize(
    "body",
    [
        {"title": " "},
        {"title": None},
        {"decisions": "one"},
        {"decisions": [1]},
        {"decisions": None},
        {"to_sequence": 2},
        {"from_sequence": 3, "to_sequence": 1, "session_id": "{session}"},
        {"to_sequence": 99, "session_id": "{session}"},
        {"branch": "a#b"},
        {"memories": [{"memory_id": "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", "revision": 1}]},
        {"commit_hash": "0" * 64},
        {"created_at": "2020-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_a_commit_that_is_not_valid_stores_nothing(world: World, body: dict[str, Any]) -> None:
    """400, whatever is wrong with it."""
    space_id, session_id = with_turns(world)
    named = {k: session_id if v == "{session}" else v for k, v in body.items()}
    before = state_of(world)
    sent = {"title": "Trip"} | named
    assert_problem(world.call("POST", f"/v1/spaces/{space_id}/checkpoints", sent), 400, "INVALID")
    assert state_of(world) == before


def test_a_commit_cites_memories_that_are_there(world: World) -> None:
    """By revision; one that the memory hasn't reached is refused."""
    space_id, session_id = with_turns(world)
    turn = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"][0]["id"]
    memory = make_memory(world, "One", "one", turn)
    store_memories(world, memory)
    cited = [{"memory_id": memory.id, "revision": 1}]
    assert commit(world, space_id, memories=cited)["memories"] == cited
    later = [{"memory_id": memory.id, "revision": 2}]
    assert_problem(commit(world, space_id, memories=later), 400, "INVALID")


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Another"},
        {"decisions": ["Cairns first"]},
        {"author": "grace"},
        {"parent_id": "chk_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
        {"created_at": "2020-01-01T00:00:00.000000Z"},
        {"commit_hash": "0" * 64},
        {"artifacts": []},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_altered_checkpoint_is_seen_wherever_it_is_read(
    world: World, change: dict[str, Any]
) -> None:
    """500 with its own code, in every read and in chat, where no model is called."""
    space_id, session_id = with_turns(world)
    made = commit(world, space_id, session_id=session_id, **FULL)
    mount(world, session_id, made["id"])
    alter_stored(world, made["id"], **change)
    prompts = len(world.chat.prompts)
    for path in ("", "/turns", "/pack", "/notes", f"/compare?with={made['id']}"):
        reply = world.call("GET", f"/v1/checkpoints/{made['id']}{path}")
        assert (reply.status, reply["code"]) == (500, "CHECKPOINT_ALTERED")
    assert mount(world, session_id, made["id"])["code"] == "CHECKPOINT_ALTERED"
    said = world.say(session_id, "hello")
    assert (said.status, said["code"]) == (500, "CHECKPOINT_ALTERED")
    assert len(world.chat.prompts) == prompts
    kept = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"][-1]
    assert (kept["content"], kept["status"]) == ("hello", "unanswered")


def test_no_route_alters_a_checkpoint(world: World) -> None:
    """Every method on every route that names one, with bodies that would; the row stays."""
    space_id, session_id = with_turns(world)
    made = commit(world, space_id, session_id=session_id, **FULL)
    second = commit(world, space_id, session_id=session_id)
    before = stored(world, made["id"])
    bodies: list[Any] = [
        {},
        {"title": "Another", "decisions": []},
        {"content": "a note"},
        {"with": second["id"]},
        {"checkpoint_id": made["id"]},
    ]
    names = {"checkpoint_id": made["id"], "session_id": session_id, "space_id": space_id}
    paths = {
        route.path.format_map(names)
        for route in ROUTES
        if "checkpoint" in route.path or route.path.endswith("/mount")
    }
    for path in sorted(paths):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            for body in bodies:
                world.call(method, path, None if method == "GET" else body)
                assert stored(world, made["id"]) == before
    assert read(world, made["id"]).status == 200


def test_notes_are_beside_the_hash(world: World) -> None:
    """They add to a checkpoint, oldest first, and change nothing of it."""
    made = commit(world, new_space(world), **FULL)
    path = f"/v1/checkpoints/{made['id']}/notes"
    for content in ("first", "second"):
        world.clock.advance(seconds=1)
        assert world.call("POST", path, {"content": content}).status == 201
    assert [note["content"] for note in world.call("GET", path)["items"]] == ["first", "second"]
    assert read(world, made["id"]).body == made.body


def test_a_list_of_checkpoints_pages_to_its_end(world: World) -> None:
    """Newest first, each once, also those of one branch."""
    space_id = new_space(world)
    made = [commit(world, space_id, branch=("main", "aside")[n % 2])["id"] for n in range(7)]
    for branch, expected in (("", made), ("&branch=aside", made[1::2])):
        found, cursor = [], ""
        while True:
            path = f"/v1/spaces/{space_id}/checkpoints?limit=2{branch}{cursor}"
            page = world.call("GET", path)
            found += [item["id"] for item in page["items"]]
            if page["cursor"] is None:
                break
            cursor = f"&cursor={page['cursor']}"
        assert found == expected[::-1]


def test_deleting_a_space_takes_its_checkpoints_along(world: World) -> None:
    """Checkpoints, their places in the lineage and their notes leave no row behind."""
    space_id, session_id = with_turns(world)
    made = commit(world, space_id, session_id=session_id, summary="WOMBAT-1")
    world.call("POST", f"/v1/checkpoints/{made['id']}/notes", {"content": "WOMBAT-2"})
    kept = commit(world, new_space(world, name="Other"))
    assert world.call("DELETE", f"/v1/spaces/{space_id}").status == 204
    assert_problem(read(world, made["id"]), 404, "NOT_FOUND")
    assert "WOMBAT" not in str(world.rows())
    left = [row["sk"] for row in world.rows() if row["sk"].startswith("CHECKPOINT#")]
    assert left == [f"CHECKPOINT#{kept['id']}"] * 2


def test_turns_of_a_deleted_session_are_no_longer_shown(world: World) -> None:
    """The checkpoint stays; where it came from is gone."""
    space_id, session_id = with_turns(world)
    made = commit(world, space_id, session_id=session_id, **FULL)
    world.call("DELETE", f"/v1/sessions/{session_id}")
    assert read(world, made["id"]).body == made.body
    assert world.call("GET", f"/v1/checkpoints/{made['id']}/turns")["items"] == []
