"""Deletions that were interrupted: the maintenance function takes them to their end."""

from typing import Any

import pytest

from strandline import ids, keys
from strandline.clock import Deadline
from strandline.deletion import deletion_jobs, deletion_requests
from strandline.deletion.erasure import Erasure
from strandline.item_codec import encode
from strandline.models.session import Session
from tests.support import invariants
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found
from tests.support.world import World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
NUTS = found("The user is allergic to nuts.", "I'm allergic to nuts", topic="allergy")


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that delete leave the whole removal to the maintenance function."""
    monkeypatch.setattr(deletion_requests, "SECONDS_FOR_REMOVAL", 0.0)


def _rest(world: World) -> set[tuple[str, str]]:
    """What is left apart from jobs, events and the log."""
    aside = ("#EVENTS", "#VECTORS")
    return {
        (row["pk"], row["sk"].partition("#")[0])
        for row in world.rows()
        if not row["sk"].startswith("JOB#") and not row["pk"].endswith(aside)
    }


def _finish(world: World) -> int:
    """Run maintenance until nothing is due; how many jobs it finished."""
    finished = 0
    for _ in range(10):
        world.clock.advance(minutes=2)
        done = world.maintain()["finished"]
        finished += done
        if not any(row["pk"].endswith("#OPEN") for row in world.rows()):
            break
    return finished


def test_a_deletion_that_had_no_time_is_finished(world: World, unhurried: None) -> None:
    """Hidden at once, removed later: of the session nothing is left but its jobs."""
    session_id = world.session()
    world.learn(session_id, "I live in Oslo.", OSLO)
    world.call("POST", f"/v1/turns/{_first_turn(session_id)}/notes", {"content": "keep this"})
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    assert world.call("GET", f"/v1/sessions/{session_id}").status == 404
    assert world.memories() == []
    assert ("A#ada", "DELETING") in _rest(world)
    invariants.hold(world)

    assert _finish(world) == 1
    assert _rest(world) == {("A#ada", "PROFILE"), ("A#ada#MEMORIES", "MEMORY")}
    invariants.hold(world, removed=["Oslo", "keep this"])


def _first_turn(session_id: str) -> str:
    return ids.turn_id(session_id, 1)


def test_a_memory_with_another_source_stays_with_that_source(world: World, unhurried: None) -> None:
    """Only the deleted session's evidence goes; the memory keeps its words and the other source."""
    first, second = world.session(), world.session()
    world.learn(first, "I live in Oslo.", OSLO)
    answer = world.learn(second, "Yes, I live in Oslo.", OSLO)
    world.call("DELETE", f"/v1/sessions/{first}")
    (hidden,) = world.memories()
    assert [e["turn_id"] for e in hidden["evidence"]] == [answer["user_turn"]["id"]]
    invariants.hold(world)
    assert _finish(world) == 1
    (memory,) = world.memories()
    assert [e["turn_id"] for e in memory["evidence"]] == [answer["user_turn"]["id"]]
    assert (memory["text"], memory["revision"]) == (OSLO["text"], 3)
    invariants.hold(world)


def test_a_memory_deleted_before_its_session_does_not_hold_up_the_removal(world: World) -> None:
    """The turn's marks name a memory that is gone already: the removal goes on to its end."""
    session_id = world.session()
    world.learn(session_id, "I live in Oslo.", OSLO)
    (memory,) = world.memories()
    world.call("DELETE", f"/v1/memories/{memory['id']}")
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    assert not [row for row in world.rows() if row["pk"].endswith(("#OPEN", session_id))]
    invariants.hold(world, removed=["Oslo"])


def test_an_unanswered_and_an_unlearned_exchange_go_as_well(world: World, unhurried: None) -> None:
    """Jobs that never ran are cancelled; their messages find nothing to do."""
    session_id = world.session()
    answer = world.say(session_id, "I live in Oslo.")
    world.call("DELETE", f"/v1/sessions/{session_id}")
    assert _finish(world) == 1
    assert world.job(answer["extraction"]["job_id"])["state"] == "cancelled"
    assert world.drain() == []
    assert world.background.prompts == []
    invariants.hold(world, removed=["Oslo"])


def test_a_removal_killed_at_any_write_is_finished(world: World) -> None:
    """Whatever write it died at, the rest is removed by the next runs: the same rows remain."""
    first, second = world.session(), world.session()
    world.learn(first, "I live in Oslo.", OSLO)
    world.learn(first, "I'm allergic to nuts.", NUTS)
    world.learn(second, "I live in Oslo still.", OSLO)
    start = world.rows()
    clock = world.clock.at
    ends = []
    kills = 0
    for write in range(2, 60, 2):
        world.put_back(start)
        world.clock.at = clock
        killing = CrashingClient(world.client, at=write, after=bool(write & 2))
        world.go_through(killing)
        try:
            assert world.call("DELETE", f"/v1/sessions/{first}").status == 204
        except Crashed:
            kills += 1
        world.go_through(world.client)
        if killing.writes < write:
            break
        _finish(world)
        ends.append(_comparable(world))
        invariants.hold(world, removed=["nuts"])
    assert kills > 5
    assert all(end == ends[0] for end in ends)


def _comparable(world: World) -> list[Any]:
    """All rows, without the deletion's own job and the times of the removal."""
    aside = {"created_at", "updated_at", "expires_at", "deleted_at", "attempts", "reason"}
    return [
        {name: value for name, value in row.items() if name not in aside}
        for row in world.rows()
        if row.get("kind") != "deletion"
    ]


def test_a_space_of_four_hundred_sessions_is_deleted_whole(world: World, unhurried: None) -> None:
    """All are hidden, then removed, by as many maintenance runs as it takes."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Harbour"})["id"]
    _many_sessions(world, space_id, 399)
    session_id = world.session(space_id=space_id)
    world.learn(session_id, "I live in Oslo.", OSLO)
    outside = world.session()
    world.learn(outside, "I'm allergic to nuts.", NUTS)

    assert world.call("DELETE", f"/v1/spaces/{space_id}").status == 204
    assert world.call("GET", f"/v1/spaces/{space_id}").status == 404
    assert _finish(world) == 1

    assert [s["id"] for s in world.call("GET", "/v1/sessions?limit=100")["items"]] == [outside]
    assert [memory["text"] for memory in world.memories()] == [NUTS["text"]]
    assert not [row for row in world.rows() if space_id in row["pk"] + row["sk"]]
    invariants.hold(world, removed=["Oslo", "Harbour"])


def _many_sessions(world: World, space_id: str, count: int) -> None:
    """As `sessions.create` leaves them, but in batches."""
    at = world.clock()
    items = []
    for _ in range(count):
        session = Session(id=ids.new_id("ses", at), space_id=space_id, created_at=at, updated_at=at)
        keyed = keys.session("ada", session.id), keys.space_member("ada", space_id, session.id)
        items += [keyed[0]._asdict() | encode(session)]
        items += [keyed[1]._asdict() | {"session_id": session.id}]
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        world.client.batch_write_item(RequestItems={world.data.table: puts})


def test_a_removal_out_of_time_gives_its_lease_back(world: World, unhurried: None) -> None:
    """The next run takes it up at once instead of waiting for the lease to run out."""
    session_id = world.session()
    world.learn(session_id, "I live in Oslo.", OSLO)
    world.call("DELETE", f"/v1/sessions/{session_id}")
    assert world.maintain() == {"sent": 0, "finished": 1}


def test_a_session_deleted_while_its_space_goes_is_no_obstacle(world: World) -> None:
    """A member marked by someone else meanwhile is passed over, the others are marked."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Harbour"})["id"]
    members = [world.session(space_id=space_id) for _ in range(3)]
    table = world.runtime.table
    job = deletion_jobs.delete_space(table, "ada", space_id, world.clock())
    real = table.get_many

    def then_deleted(wanted: Any) -> Any:
        found_ = real(wanted)
        if keys.session("ada", members[0]) in found_:
            table.get_many = real  # type: ignore[method-assign]
            deletion_jobs.delete_session(table, "ada", members[0], world.clock())
        return found_

    table.get_many = then_deleted  # type: ignore[method-assign]
    erasure = Erasure(table, "ada", world.clock, Deadline.after(30))
    assert deletion_jobs.run_deletion(erasure, job.id, deletion_jobs.REDRIVE_AFTER)
    world.clock.advance(minutes=2)
    world.maintain()
    assert world.call("GET", "/v1/sessions")["items"] == []
    invariants.hold(world)
