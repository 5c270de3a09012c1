"""Deleting: gone from every read at once, then without a trace, also when it is interrupted."""

import json
from typing import Any

import pytest

from strandline import ids
from strandline.models.memory import Memory
from tests.support.comparisons import assert_problem
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import ROUTES, Reply, World

SECRET = "The zebra orchid is in the cellar."
QUESTION = "Where is the zebra orchid?"


@pytest.fixture(params=["at once", "interrupted"])
def interrupted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the request has no time to remove anything itself."""
    if request.param == "interrupted":
        monkeypatch.setattr("strandline.deletion.deletion_requests.SECONDS_FOR_REMOVAL", 0.0)
    return bool(request.param == "interrupted")


def taught(world: World, session_id: str, *more_turns: str) -> tuple[Reply, Memory]:
    """An exchange in the session, a note on it, and a memory that rests on it."""
    reply = world.say(session_id, "zebra orchid seeds arrived")
    turn_id = reply["user_turn"]["id"]
    world.call("POST", f"/v1/turns/{turn_id}/notes", {"content": "cellar note"})
    memory = make_memory(world, "Orchid", SECRET, turn_id, *more_turns)
    store_memories(world, memory)
    return reply, memory


def is_gone(world: World, session_id: str, turn_id: str) -> None:
    """No route of the session or its turns finds anything."""
    for route in ROUTES:
        if "{session_id}" in route.path or "{turn_id}" in route.path:
            path = route.path.format(session_id=session_id, turn_id=turn_id)
            body = {"content": "a"} if route.method == "POST" else None
            body = {} if route.method == "PATCH" else body
            if route.function == "ChatFunction":
                assert_problem(world.call(route.method, path, body), 404, "NOT_FOUND")


def everything_read(world: World) -> str:
    """Every list, the search, and the prompt of a new session, as one text."""
    paths = (
        "sessions?limit=100",
        "spaces?limit=100",
        "memories?limit=100",
        "events?limit=100",
        "recall?q=zebra+orchid+cellar",
    )
    read: list[Any] = [world.call("GET", f"/v1/{path}").body for path in paths]
    read.append(world.say(world.session(), QUESTION).body)
    return json.dumps(read).replace(QUESTION, "") + world.chat.text().replace(QUESTION, "")


def traces(world: World, session_id: str) -> list[str]:
    """Where the table still names the session: the kinds of rows, each once."""
    bare = session_id.removeprefix("ses_")
    kinds = set()
    for row in world.rows():
        if bare in json.dumps(row, default=str):
            kinds.add(
                f"{row['pk'].partition('#')[2].partition('#')[2]}/{row['sk'].partition('#')[0]}"
            )
    return sorted(kinds)


def stored(world: World) -> str:
    """The whole table as one text."""
    return json.dumps([{k: str_of(v) for k, v in row.items()} for row in world.rows()])


def str_of(value: Any) -> str:
    """A stored value as text; boto3's binary has none of its own."""
    return repr(bytes(value)) if hasattr(value, "value") else str(value)


def test_a_deleted_session_is_gone_from_every_read_at_once(world: World, interrupted: bool) -> None:
    """Its ids are missing; its memory is in no list, search or prompt, before any removal ran."""
    session_id = world.session(title="zebra")
    reply, memory = taught(world, session_id)
    assert "cellar" in everything_read(world)
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    is_gone(world, session_id, reply["user_turn"]["id"])
    read = everything_read(world)
    assert "cellar" not in read
    assert "zebra" not in read
    is_problem_410(world.call("GET", f"/v1/memories/{memory.id}"))


def test_what_is_left_of_a_deleted_session_holds_no_words(world: World, interrupted: bool) -> None:
    """Ended jobs, events and the memory's tombstone stay; no turn, note, receipt or mark does."""
    session_id = world.session(title="zebra")
    reply, memory = taught(world, session_id)
    world.drain()
    world.call("DELETE", f"/v1/sessions/{session_id}")
    if interrupted:
        assert any("zebra" in str(row) for row in world.rows())
        assert world.maintain()["finished"] == 1
    rows = world.rows()
    for word in ("zebra", "orchid", "cellar", "Understood"):
        assert word not in json.dumps(rows, default=str)
    assert traces(world, session_id) == ["/JOB", "EVENTS/000000000002", "VECTORS/000000000002"]
    assert [row["sk"] for row in rows if "FORGOTTEN" in row["pk"]] == []
    [tombstone] = [row for row in rows if row["sk"] == f"MEMORY#{memory.id}"]
    assert set(tombstone) == {
        "pk",
        "sk",
        "id",
        "revision",
        "log_change",
        "deleted_at",
        "evidence",
    }
    assert tombstone["evidence"] == []
    jobs = {row["id"]: row["state"] for row in rows if row["sk"].startswith("JOB#") and "id" in row}
    assert jobs.pop(reply["extraction"]["job_id"]) == "none"
    assert list(jobs.values()) == ["done"]
    assert not [row for row in rows if row["pk"].endswith("#OPEN")]


def test_a_deleted_sessions_waiting_jobs_are_cancelled(world: World, interrupted: bool) -> None:
    """The job ends as cancelled with a reason; delivered later, it calls no model."""
    session_id = world.session()
    reply = world.say(session_id, "I keep bees.")
    world.call("DELETE", f"/v1/sessions/{session_id}")
    if interrupted:
        world.maintain()
    job = world.job(reply["extraction"]["job_id"])
    assert (job["state"], job["reason"]) == ("cancelled", "the session was deleted")
    assert world.drain() == []
    assert world.background.prompts == []
    assert world.job(reply["extraction"]["job_id"]) == job
    assert world.memories() == []


def test_a_job_delivered_between_the_mark_and_the_removal_teaches_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session is gone the moment it is marked, for the worker as well."""
    session_id = world.session()
    world.say(session_id, "I keep bees.")
    monkeypatch.setattr("strandline.deletion.deletion_requests.SECONDS_FOR_REMOVAL", 0.0)
    monkeypatch.setattr("strandline.deletion.session_removal._cancel_open_jobs", lambda *_: None)
    world.call("DELETE", f"/v1/sessions/{session_id}")
    monkeypatch.undo()
    world.drain()
    assert world.background.prompts == []
    world.maintain()
    assert world.memories() == []


def test_a_memory_of_two_sessions_survives_the_deletion_of_one(
    world: World, interrupted: bool
) -> None:
    """Without the evidence that rests on the deleted one, at once and for good."""
    kept_session = world.session()
    kept = world.say(kept_session, "the orchid again")["user_turn"]["id"]
    gone_session = world.session()
    reply, memory = taught(world, gone_session, kept)
    world.call("DELETE", f"/v1/sessions/{gone_session}")
    at_once = world.call("GET", f"/v1/memories/{memory.id}")
    assert [e["turn_id"] for e in at_once["evidence"]] == [kept]
    assert [e["quote"] for e in at_once["evidence"]] == ["the"]
    if interrupted:
        world.maintain()
    later = world.call("GET", f"/v1/memories/{memory.id}")
    assert later.body == at_once.body | {"revision": 2}
    assert world.call("GET", f"/v1/memories?session={gone_session}")["items"] == []
    assert [m["id"] for m in world.memories()] == [memory.id]
    assert reply["user_turn"]["id"] not in stored(world)
    found = world.say(world.session(), QUESTION)["context"]["memories"]
    assert [(m["memory_id"], m["revision"]) for m in found] == [(memory.id, 2)]
    world.call("DELETE", f"/v1/sessions/{kept_session}")
    if interrupted:
        world.maintain()
    assert world.memories() == []


def test_a_memory_of_a_deleted_session_isnt_in_that_sessions_scope(
    world: World, interrupted: bool
) -> None:
    """A memory that survives in one session isn't looked for under the other any more."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Plants"})["id"]
    outside = world.say(world.session(), "the orchid again")["user_turn"]["id"]
    inside = world.session(space_id=space_id)
    asking = world.session(space_id=space_id)
    _, memory = taught(world, inside, outside)
    found = world.say(asking, QUESTION, recall="space")["context"]["memories"]
    assert [m["memory_id"] for m in found] == [memory.id]
    world.call("DELETE", f"/v1/sessions/{inside}")
    assert world.say(asking, QUESTION, recall="space")["context"]["memories"] == []
    assert len(world.say(asking, QUESTION)["context"]["memories"]) == 1


def test_a_deleted_space_takes_its_sessions_along(world: World, interrupted: bool) -> None:
    """Space, sessions and memories are gone at once; what was outside stays."""
    space_id = world.call("POST", "/v1/spaces", {"name": "zebra plans"})["id"]
    inside = [world.session(space_id=space_id) for _ in range(3)]
    outside = world.session()
    world.say(outside, "good morning")
    reply, _ = taught(world, inside[0])
    assert world.call("DELETE", f"/v1/spaces/{space_id}").status == 204
    assert_problem(world.call("GET", f"/v1/spaces/{space_id}"), 404, "NOT_FOUND")
    for session_id in inside:
        is_gone(world, session_id, reply["user_turn"]["id"])
    assert world.call("GET", f"/v1/sessions?space_id={space_id}")["items"] == []
    assert "cellar" not in everything_read(world)
    if interrupted:
        assert world.maintain()["finished"] == 1
    assert world.call("GET", f"/v1/sessions/{outside}")["last_sequence_number"] == 2
    rows = [row for row in world.rows() if not row["sk"].startswith("JOB#")]
    assert space_id not in json.dumps(rows, default=str)
    assert "zebra" not in json.dumps([r for r in rows if QUESTION not in str(r)], default=str)


def test_a_large_space_goes_with_all_its_sessions(world: World) -> None:
    """More sessions than one transaction can mark."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Large"})["id"]
    for _ in range(26):
        world.session(space_id=space_id)
    assert world.call("DELETE", f"/v1/spaces/{space_id}").status == 204
    assert world.call("GET", "/v1/sessions?limit=100")["items"] == []
    kinds = {row["sk"].partition("#")[0] for row in world.rows()}
    assert kinds & {"SESSION", "SPACE", "DELETING"} == set()


def test_deleting_twice_is_missing(world: World, interrupted: bool) -> None:
    """The second time there is no such session or space, whether or not the removal is done."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Plans"})["id"]
    session_id = world.session(space_id=space_id)
    for path in (f"sessions/{session_id}", f"spaces/{space_id}"):
        assert world.call("DELETE", f"/v1/{path}").status == 204
        assert_problem(world.call("DELETE", f"/v1/{path}"), 404, "NOT_FOUND")


def test_a_message_that_is_being_answered_ends_with_its_session(world: World) -> None:
    """Deleted while the model is asked: 404, and nothing of it comes back."""
    session_id = world.session()

    def meanwhile(_: Any) -> str:
        from strandline.deletion import deletion_requests

        deletion_requests.delete_session(world.runtime, "ada", session_id)
        return "Too late."

    world.chat.will(meanwhile)
    assert_problem(world.say(session_id, "zebra"), 404, "NOT_FOUND")
    assert "zebra" not in stored(world)
    assert "Too late" not in stored(world)
    assert world.waiting() == 0


def test_a_deleted_memory_is_gone_with_its_history(world: World) -> None:
    """410 with the time; of its words nothing is left, and its turns stay."""
    session_id = world.session()
    reply, memory = taught(world, session_id)
    world.say(world.session(), QUESTION)
    path = f"/v1/memories/{memory.id}"
    assert world.call("DELETE", path).status == 204
    gone = world.call("GET", path)
    is_problem_410(gone)
    assert gone["removed_at"] == "2026-09-20T12:00:00.000000Z"
    assert world.call("DELETE", path).status == 204
    rows = world.rows()
    kinds = {row["pk"] for row in rows if memory.id in row["pk"] or memory.id in row["sk"]}
    assert kinds == {"A#ada#MEMORIES", f"A#ada#S#{session_id}"}
    assert "cellar." not in json.dumps(rows, default=str)
    assert [row["sk"] for row in rows if row["pk"] == "A#ada#FORGOTTEN"] == list(
        memory.fingerprints
    )
    turn = world.call("GET", f"/v1/turns/{reply['user_turn']['id']}")
    assert turn["content"] == "zebra orchid seeds arrived"
    events = world.call("GET", "/v1/events")["items"]
    assert [(e["type"], e["change"]) for e in events] == [
        ("memory.created", 1),
        ("memory.deleted", 2),
    ]


def test_a_memory_can_be_deleted_after_its_session(world: World, interrupted: bool) -> None:
    """Whatever order they are deleted in, the second finds it gone."""
    session_id = world.session()
    _, memory = taught(world, session_id)
    world.call("DELETE", f"/v1/sessions/{session_id}")
    assert world.call("DELETE", f"/v1/memories/{memory.id}").status == 204
    world.maintain()
    is_problem_410(world.call("GET", f"/v1/memories/{memory.id}"))
    assert "cellar" not in stored(world)


def test_the_account_of_another_keeps_everything(world: World) -> None:
    """What ada deletes changes no row of lin's."""
    lins = world.session("lin")
    world.say(lins, "hello", "lin")
    before = [row for row in world.rows() if row["pk"].startswith("A#lin")]
    session_id = world.session()
    taught(world, session_id)
    world.call("DELETE", f"/v1/sessions/{session_id}")
    world.maintain()
    assert [row for row in world.rows() if row["pk"].startswith("A#lin")] == before


def is_problem_410(reply: Reply) -> None:
    """The memory was there and was deleted."""
    assert (reply.status, reply["code"]) == (410, "CONTENT_DELETED")
    assert set(reply.body) - {"removed_at"} == {
        "type",
        "title",
        "status",
        "detail",
        "code",
        "request_id",
    }


def test_an_unknown_turn_of_a_memory_leaves_the_quote_empty(world: World) -> None:
    """A citation whose turn is gone shows its place without words."""
    memory = make_memory(world, "Orchid", SECRET, ids.turn_id(world.session(), 7))
    store_memories(world, memory)
    [evidence] = world.call("GET", f"/v1/memories/{memory.id}")["evidence"]
    assert evidence["quote"] is None
