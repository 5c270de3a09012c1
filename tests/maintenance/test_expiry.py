"""What has expired is removed by maintenance, to be interrupted anywhere."""

import json
from contextlib import suppress
from typing import Any

import pytest

from functions.maintenance import expiry
from strandline import keys
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.store.accounts import profiles
from tests.support import invariants
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found
from tests.support.feedback_requests import (
    claims,
    correct,
    events_after,
    give_feedback,
    status,
    stored_challenger,
    stored_memory,
)
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

ZEBRA = found("The user keeps a zebra.", "I keep a zebra", topic="pet")
UNFOUNDED = found("The zebra is blue.", "The zebra is blue")


def keep(world: World, **days: Any) -> None:
    fields = {f"{what}_retention_days": number for what, number in days.items()}
    assert world.call("PATCH", "/v1/profile", fields).status == 200


def taught(world: World) -> tuple[Any, Any]:
    """A memory and the question it was learned from, which has a note and an earlier version."""
    session_id = world.session()
    answer = world.learn(session_id, "I keep a zebra.", ZEBRA, UNFOUNDED)
    [memory] = world.memories()
    path = f"/v1/turns/{answer['user_turn']['id']}"
    world.call("POST", f"{path}/notes", {"content": "A striped zebra."})
    return memory, answer["user_turn"]


def of_partitions(world: World, *parts: str) -> str:
    """Everything in partitions whose key holds one of these."""
    rows = [row for row in world.rows() if any(part in row["pk"] for part in parts)]
    return json.dumps(rows, default=repr)


def read(world: World, memory: Any, what: str = "") -> Reply:
    return world.call("GET", f"/v1/debug/memories/{memory['id']}{what}", account=claims())


def retention_jobs(world: World) -> list[str]:
    """The states of the account's retention jobs, oldest first."""
    jobs = [row for row in world.rows() if row.get("kind") == "retention" and "state" in row]
    return [row["state"] for row in sorted(jobs, key=lambda row: row["created_at"])]


def test_of_an_expired_turn_only_its_place_is_left(world: World) -> None:
    """Its words, earlier versions, notes, receipt and what its job told of them are gone."""
    keep(world, turn=30)
    memory, turn = taught(world)
    path = f"/v1/turns/{turn['id']}"
    world.call("POST", f"{path}/replacement", {"content": "I keep a zebra at home."})
    world.background.will(json.dumps({"memories": [ZEBRA]}))
    world.drain()
    world.clock.advance(days=30)
    world.maintain()
    session = keys.session_partition("ada", turn["session_id"])
    left = sorted(row["sk"].partition("#")[0] for row in world.rows() if row["pk"] == session)
    assert left == ["CITED", "EXPIRED", "EXPIRED"]
    jobs = [row for row in world.rows() if row["sk"].startswith("JOB#")]
    assert "zebra" not in of_partitions(world, "#S#") + json.dumps(jobs, default=repr)
    for name in (turn["id"], turn["id"].replace("_00000001", "_00000002")):
        gone = world.call("GET", f"/v1/turns/{name}")
        assert (gone.status, gone["code"]) == (410, "CONTENT_EXPIRED")
        assert gone["removed_at"] == "2026-10-20T12:00:00.000000Z"
    missing = turn["id"].replace("_00000001", "_00000003")
    assert world.call("GET", f"/v1/turns/{missing}").status == 404
    assert read(world, memory)["text"] == "The user keeps a zebra."
    assert {each["source"]["state"] for each in read(world, memory, "/evidence")["items"]} == {
        "expired"
    }
    invariants.hold(world)


def test_of_an_expired_memory_no_word_is_left(world: World) -> None:
    """A tombstone, and the event that it can't be read any more: nobody deleted it."""
    keep(world, memory=30)
    memory, _ = taught(world)
    assert correct(world, memory["id"], 1).status == 200
    assert give_feedback(world, memory["id"], "confirm", 2).status == 200
    before = len(world.call("GET", "/v1/events?limit=100")["items"])
    world.clock.advance(days=30)
    world.maintain()
    assert events_after(world, before) == [("memory.updated", memory["id"], 2, ("availability",))]
    held = of_partitions(world, "#MEMOR", "#M#", "#VECTORS", "#USE", "#UNSHOWN")
    assert not [word for word in ("zebra", "Bergen") if word in held]
    for what in ("", "/revisions", "/references", "/referenced_by", "/evidence"):
        gone = read(world, memory, what)
        assert (gone.status, gone["code"]) == (410, "CONTENT_EXPIRED"), what
        assert gone["removed_at"] == "2026-10-20T12:00:00.000000Z"
    assert world.call("GET", f"/v1/memories/{memory['id']}", account="bob").status == 404
    invariants.hold(world)


def test_an_expired_memory_can_still_be_deleted(world: World) -> None:
    """It reads as deleted then, what it stated is forgotten, and again is fine."""
    keep(world, memory=30)
    memory, _ = taught(world)
    world.clock.advance(days=30)
    world.maintain()
    assert not [row for row in world.rows() if row["pk"].endswith("#FORGOTTEN")]
    path = f"/v1/debug/memories/{memory['id']}"
    world.clock.advance(days=1)
    for _ in range(2):
        assert world.call("DELETE", path, account=claims()).status == 204
        gone = read(world, memory)
        assert (gone.status, gone["code"]) == (410, "CONTENT_DELETED")
        assert gone["removed_at"] == "2026-10-21T12:00:00.000000Z"
    assert [row for row in world.rows() if row["pk"].endswith("#FORGOTTEN")]
    told = [event[0] for event in events_after(world, 0)]
    assert told == ["memory.created", "memory.updated", "memory.deleted"]
    invariants.hold(world)


def test_deleting_an_expired_turn_takes_along_what_rests_on_it(world: World) -> None:
    """Expiry keeps what was learned; the user's deletion doesn't."""
    keep(world, turn=30)
    memory, turn = taught(world)
    world.clock.advance(days=30)
    world.maintain()
    path = f"/v1/turns/{turn['id']}"
    for _ in range(2):
        assert world.call("DELETE", path).status == 204
        assert world.call("GET", path)["code"] == "CONTENT_DELETED"
    assert read(world, memory)["code"] == "CONTENT_DELETED"
    assert world.call("DELETE", path, account="bob").status == 404
    invariants.hold(world)


def test_deleting_a_session_leaves_no_place_of_its_expired_turns(world: World) -> None:
    """Its marks go with it."""
    keep(world, turn=30)
    _, turn = taught(world)
    world.clock.advance(days=30)
    world.maintain()
    assert world.call("DELETE", f"/v1/sessions/{turn['session_id']}").status == 204
    assert not [row for row in world.rows() if "#S#" in row["pk"]]
    assert world.call("GET", f"/v1/turns/{turn['id']}").status == 404
    invariants.hold(world)


def test_what_derives_from_a_deleted_memory_goes_also_through_an_expired_one(world: World) -> None:
    """The marks of an expired memory's references stay, so that the way is found."""
    keep(world, memory=30)
    root = stored_memory(world, "The user rents.")
    world.clock.advance(days=20)
    middle = _resting_on(world, root, "middle")
    world.clock.advance(days=20)
    leaf = _resting_on(world, middle, "leaf")
    keep(world, memory=25)
    world.clock.advance(days=5)
    world.maintain()
    assert read(world, {"id": middle.id})["code"] == "CONTENT_EXPIRED"
    assert read(world, {"id": leaf.id})["title"] == "leaf"
    invariants.hold(world)
    world.call("DELETE", f"/v1/memories/{root.id}")
    assert read(world, {"id": leaf.id})["code"] == "CONTENT_DELETED"
    invariants.hold(world)


def _resting_on(world: World, target: Memory, title: str) -> Memory:
    pinned = Reference(memory_id=target.id, revision=target.revision)
    made = make_memory(world, title, f"What {title} says.").model_copy(
        update={"references": (pinned,), "inherited": inherited_turns((), [target])}
    )
    store_memories(world, made)
    return made


def test_what_an_expired_memory_challenged_waits_for_it_no_longer(world: World) -> None:
    """The flag goes with the challenge; what was decided before stays decided."""
    old = stored_memory(world, "The user lives in Oslo.", "home city")
    assert give_feedback(world, old.id, "confirm", 1).status == 200
    new = stored_challenger(world, old, "The user lives in Bergen.", "home city")
    give_feedback(world, new.id, "save", 1)
    world.clock.advance(days=20)
    assert correct(world, old.id, 1, text="The user lives in Oslo now.").status == 200
    keep(world, memory=15)
    world.maintain()
    assert read(world, {"id": new.id})["code"] == "CONTENT_EXPIRED"
    assert status(world, old).flags == ()
    invariants.hold(world)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_an_expiry_killed_anywhere_is_finished_by_the_next_run(world: World, after: bool) -> None:
    """Whatever write it ended at: unreadable throughout, in the end nothing is left."""
    keep(world, turn=30, memory=30)
    memory, turn = taught(world)
    correct(world, memory["id"], 1)
    world.clock.advance(days=30)
    start, at = world.rows(), world.clock.at
    client = CrashingClient(world.client, at=0, after=False)
    world.go_through(client)
    world.maintain()
    whole = _left(world)
    assert "zebra" not in str(whole)
    for number in range(1, client.writes + 1):
        world.go_through(world.client)
        world.put_back(start)
        world.clock.at = at
        world.go_through(CrashingClient(world.client, at=number, after=after))
        # A write whose condition doesn't hold is no place to be killed after.
        with suppress(Crashed):
            world.maintain()
        world.go_through(world.client)
        assert world.call("GET", f"/v1/turns/{turn['id']}")["code"] == "CONTENT_EXPIRED"
        assert read(world, memory)["code"] == "CONTENT_EXPIRED"
        world.clock.advance(minutes=2)
        world.maintain()
        assert _left(world) == whole, number
        invariants.hold(world)


def _left(world: World) -> list[Any]:
    """What is left, apart from jobs, their marks and when they ran."""
    aside = {"updated_at", "expires_at", "retention", "created_at"}
    return [
        {name: value for name, value in row.items() if name not in aside}
        for row in world.rows()
        if not row["sk"].startswith("JOB#") and not row["pk"].endswith("#EVENTS")
    ]


def test_a_run_without_time_goes_on_where_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Session by session, then memory by memory, until nothing is left."""
    keep(world, turn=30, memory=30)
    for words in ("I keep a zebra.", "I keep a zebra, yes."):
        world.learn(world.session(), words, ZEBRA)
    world.clock.advance(days=30)
    steps = iter([True, True, True, False] * 8)
    monkeypatch.setattr("strandline.deletion.erasure.Erasure.has_time", lambda _: next(steps))
    for _ in range(8):
        world.maintain()
        invariants.hold(world)
        if retention_jobs(world)[-2:] == ["done", "queued"]:
            break
    kinds = {sk.partition("#")[0] for row in world.rows() if (sk := row["sk"])}
    assert "TURN" not in kinds
    assert "REV" not in kinds
    assert retention_jobs(world) == ["done", "queued"]


def test_one_job_a_day_while_there_is_a_retention(world: World) -> None:
    """The next is made as one ends; another retention takes over; without any it ends."""
    keep(world, turn=30)
    assert world.maintain()["finished"] == 1
    assert retention_jobs(world) == ["done", "queued"]
    assert world.maintain()["finished"] == 0
    world.clock.advance(days=1)
    assert world.maintain()["finished"] == 1
    assert retention_jobs(world) == ["done", "done", "queued"]
    keep(world, memory=30)
    world.clock.advance(days=1)
    assert world.maintain()["finished"] == 2
    assert sorted(retention_jobs(world)) == ["done", "done", "done", "done", "queued"]
    keep(world, turn=None, memory=None)
    world.clock.advance(days=2)
    world.maintain()
    assert set(retention_jobs(world)) == {"done"}
    invariants.hold(world)


def test_setting_what_is_set_makes_no_job(world: World) -> None:
    """Nor does changing anything else of the profile; both answer with what holds."""
    keep(world, turn=30)
    keep(world, turn=30)
    world.call("PATCH", "/v1/profile", {"about": "keeps animals"})
    assert retention_jobs(world) == ["queued"]
    profile = world.call("GET", "/v1/profile").body
    assert (profile["turn_retention_days"], profile["about"]) == (30, "keeps animals")


def test_another_retention_set_while_a_job_ends_has_the_next_job(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two chains of jobs never run beside each other."""
    keep(world, turn=30)
    asked = profiles.new_retention_job

    def meanwhile(at: Any) -> Any:
        monkeypatch.setattr(profiles, "new_retention_job", asked)
        keep(world, turn=20)
        return asked(at)

    monkeypatch.setattr(expiry.profiles, "new_retention_job", meanwhile)
    world.maintain()
    assert sorted(retention_jobs(world)) == ["done", "queued"]
    kept = profiles.get_retention(world.runtime.table, "ada")
    [open_] = [row for row in world.rows() if row["pk"].endswith("#OPEN")]
    assert (kept.turns.days, kept.job_id) == (20, open_["job_id"])


def test_accounts_without_a_retention_are_left_alone(world: World) -> None:
    """What one account lets expire, another keeps."""
    world.learn(world.session(account="bob"), "I keep a zebra.", ZEBRA, account="bob")
    keep(world, turn=1, memory=1)
    world.clock.advance(days=40)
    world.maintain()
    [memory] = world.memories("bob")
    assert memory["evidence"][0]["quote"] == "I keep a zebra"
    invariants.hold(world, "bob")
