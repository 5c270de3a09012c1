"""An account says how long its content is kept; what is older is read no more, from then on."""

import json
from datetime import timedelta
from typing import Any

import pytest

from strandline.models.memory import Reference, inherited_turns
from strandline.store.accounts import profiles
from tests.support import invariants
from tests.support.checkpoint_requests import commit, new_space
from tests.support.extraction_replies import found
from tests.support.feedback_requests import (
    claims,
    events_after,
    give_feedback,
    recalled,
    stored_memory,
)
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import START, Reply, World

OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
NUTS = found("The user is allergic to nuts.", "I'm allergic to nuts", topic="allergy")
READS = ("", "/revisions", "/revisions/1", "/references", "/referenced_by", "/evidence")


def keep(world: World, **days: Any) -> Reply:
    fields = {f"{what}_retention_days": number for what, number in days.items()}
    return world.call("PATCH", "/v1/profile", fields)


def learned(world: World, words: str = "I live in Oslo.", what: Any = OSLO) -> Any:
    """A memory that was just learned, and the exchange it was learned from."""
    answer = world.learn(world.session(), words, what)
    return world.memories()[-1], answer


def gone(reply: Reply) -> tuple[int, str, str]:
    return reply.status, reply["code"], reply["removed_at"][:10]


def debug(world: World, method: str, memory: Any, what: str = "", body: Any = None) -> Reply:
    path = f"/v1/debug/memories/{memory['id']}{what}"
    return world.call(method, path, body, account=claims())


def test_nothing_expires_unless_the_account_says_so(world: World) -> None:
    """By default everything is kept; what is set is told, and null takes it back."""
    profile = world.call("GET", "/v1/profile").body
    assert (profile["turn_retention_days"], profile["memory_retention_days"]) == (None, None)
    set_ = keep(world, turn=30).body
    assert (set_["turn_retention_days"], set_["memory_retention_days"]) == (30, None)
    assert world.call("GET", "/v1/profile").body == set_
    assert keep(world, turn=None)["turn_retention_days"] is None
    world.clock.advance(days=4_000)
    memory, answer = learned(world)
    assert world.call("GET", f"/v1/memories/{memory['id']}").status == 200
    assert world.call("GET", f"/v1/turns/{answer['user_turn']['id']}").status == 200


@pytest.mark.parametrize("days", [0, -1, 3_651, 1.5, "30", True])
def test_days_are_whole_and_bounded(world: World, days: Any) -> None:
    """One day to ten years; nothing is changed by what is refused."""
    assert keep(world, turn=days).status == 400
    assert world.call("GET", "/v1/profile")["turn_retention_days"] is None


def test_an_expired_turn_is_shown_nowhere(world: World) -> None:
    """To the second: a moment before it is there, then in no read at all, before any removal."""
    keep(world, turn=30)
    session_id = world.session()
    answer = world.say(session_id, "My zebra sleeps.")
    turn = f"/v1/turns/{answer['user_turn']['id']}"
    note = world.call("POST", f"{turn}/notes", {"content": "zebra"})
    assert note.status == 201
    world.clock.advance(days=29, hours=23, minutes=59, seconds=59)
    assert world.call("GET", turn)["content"] == "My zebra sleeps."
    later = world.say(session_id, "What sleeps?")
    assert "zebra" in world.chat.text(-1)
    world.clock.advance(seconds=1)
    for method, path, body in (
        ("GET", turn, None),
        ("GET", f"{turn}/notes", None),
        ("POST", f"{turn}/notes", {"content": "again"}),
        ("POST", f"{turn}/replacement", {"content": "My lion sleeps."}),
        ("POST", f"{turn}/reply", None),
        ("GET", f"{turn}/receipt", None),
        ("GET", f"/v1/turns/{answer['assistant_turn']['id']}", None),
    ):
        reply = world.call(method, path, body)
        assert gone(reply) == (410, "CONTENT_EXPIRED", "2026-10-20"), path
    listed = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
    assert [each["sequence_number"] for each in listed] == [3, 4]
    receipt = world.call("GET", f"/v1/turns/{later['user_turn']['id']}/receipt").body
    assert "zebra" not in receipt["prompt"]
    assert receipt["prompt_matches"] is False
    world.say(session_id, "And now?")
    assert "zebra" not in world.chat.text(-1)
    assert "What sleeps?" in world.chat.text(-1)
    invariants.hold(world)


def test_a_turn_of_somebody_else_is_missing_expired_or_not(world: World) -> None:
    """Nobody learns from a 410 that it ever was."""
    keep(world, turn=1)
    answer = world.say(world.session(), "My zebra sleeps.")
    world.clock.advance(days=2)
    path = f"/v1/turns/{answer['user_turn']['id']}"
    assert world.call("GET", path, account="bob").status == 404
    unborn = path.replace("_00000001", "_00000009")
    assert world.call("GET", unborn).status == 404


def test_expiry_of_a_turn_is_no_deletion_of_what_was_learned_from_it(world: World) -> None:
    """The memory keeps its words and is recalled; its evidence says that the quote expired."""
    keep(world, turn=30)
    memory, answer = learned(world)
    world.clock.advance(days=30)
    assert world.call("GET", f"/v1/memories/{memory['id']}")["text"] == "The user lives in Oslo."
    assert recalled(world, "Where does the user live?") == {"The user lives in Oslo."}
    [item] = debug(world, "GET", memory, "/evidence")["items"]
    assert item["source"] == {"state": "expired"}
    assert item["turn_id"] == answer["user_turn"]["id"]
    assert item["said_at"] == "2026-09-20T12:00:00.000000Z"
    assert item["citations"] == [{"word_start": 0, "word_end": 4, "text": None}]
    shown = world.call("GET", f"/v1/memories/{memory['id']}")["evidence"]
    assert [each["quote"] for each in shown] == [None]
    assert [each["id"] for each in world.memories()] == [memory["id"]]


def test_the_earlier_versions_of_a_turn_expire_with_it(world: World) -> None:
    """A replacement makes the turn no younger."""
    keep(world, turn=30)
    memory, answer = learned(world)
    world.clock.advance(days=20)
    path = f"/v1/turns/{answer['user_turn']['id']}/replacement"
    assert world.call("POST", path, {"content": "I live in Bergen."}).status == 201
    [before] = debug(world, "GET", memory, "/evidence")["items"]
    assert (before["source"]["state"], before["citations"][0]["text"]) == (
        "superseded",
        "I live in Oslo",
    )
    world.clock.advance(days=10)
    [after] = debug(world, "GET", memory, "/evidence")["items"]
    assert (after["source"]["state"], after["citations"][0]["text"]) == ("expired", None)


def test_an_expired_memory_is_read_no_more(world: World) -> None:
    """From its very moment on: in no list, search or prompt of a warm process, and 410 by id."""
    keep(world, memory=30)
    memory, _ = learned(world)
    world.clock.advance(days=1)
    learned(world, "I'm allergic to nuts.", NUTS)
    assert len(recalled(world, "Oslo nuts")) == 2
    world.clock.advance(days=29)
    for what in READS:
        reply = debug(world, "GET", memory, what)
        assert gone(reply) == (410, "CONTENT_EXPIRED", "2026-10-20"), what
    assert gone(world.call("GET", f"/v1/memories/{memory['id']}"))[1] == "CONTENT_EXPIRED"
    for action in ("confirm", "reject", "save", "dismiss"):
        assert gone(give_feedback(world, memory["id"], action, 1))[1] == "CONTENT_EXPIRED"
    patched = world.call(
        "PATCH", f"/v1/memories/{memory['id']}", {"expected_revision": 1, "saved": True}
    )
    assert gone(patched)[1] == "CONTENT_EXPIRED"
    assert [each["title"] for each in world.memories()] == [NUTS["title"]]
    listed = world.call("GET", "/v1/debug/memories?freshness=any&state=any", account=claims())
    assert [each["title"] for each in listed["items"]] == [NUTS["title"]]
    search = world.call("GET", "/v1/debug/memories/search?q=Oslo+nuts", account=claims())
    assert [each["title"] for each in search["items"]] == [NUTS["title"]]
    assert recalled(world, "Oslo nuts") == {NUTS["title"]}
    world.say(world.session(), "Oslo nuts?")
    assert "Oslo." not in world.chat.text(-1).replace("Oslo nuts", "")
    world.cold()
    assert recalled(world, "Oslo nuts") == {NUTS["title"]}
    invariants.hold(world)


@pytest.mark.parametrize("action", ["confirm", "save"])
def test_a_judgment_makes_a_memory_no_younger(world: World, action: str) -> None:
    """Confirmed or saved, it expires with its words; only other words are kept anew."""
    keep(world, memory=30)
    memory, _ = learned(world)
    world.clock.advance(days=20)
    assert give_feedback(world, memory["id"], action, 1).status == 200
    world.clock.advance(days=10)
    assert debug(world, "GET", memory).status == 410


def test_a_correction_is_kept_for_as_long_again(world: World) -> None:
    """The age of a memory counts from when its words were written."""
    keep(world, memory=30)
    memory, _ = learned(world)
    world.clock.advance(days=20)
    change = {"expected_revision": 1, "text": "The user lives in Bergen."}
    assert world.call("PATCH", f"/v1/memories/{memory['id']}", change).status == 200
    world.clock.advance(days=29)
    assert debug(world, "GET", memory)["text"] == "The user lives in Bergen."
    world.clock.advance(days=1)
    assert gone(debug(world, "GET", memory)) == (410, "CONTENT_EXPIRED", "2026-11-09")


def test_a_shorter_retention_takes_what_is_too_old_at_once(world: World) -> None:
    """It went when the rule came, and a longer one or none brings nothing back."""
    memory, answer = learned(world)
    world.clock.advance(days=40)
    at = (START + timedelta(days=40)).date().isoformat()
    keep(world, turn=30, memory=30)
    paths = f"/v1/memories/{memory['id']}", f"/v1/turns/{answer['user_turn']['id']}"
    for days in (30, 90, None):
        keep(world, turn=days, memory=days)
        for path in paths:
            assert gone(world.call("GET", path)) == (410, "CONTENT_EXPIRED", at), days
    world.maintain()
    assert [gone(world.call("GET", path))[1:] for path in paths] == [("CONTENT_EXPIRED", at)] * 2
    assert world.memories() == []
    invariants.hold(world)


def test_an_expired_memory_is_not_extended_but_learned_anew(world: World) -> None:
    """Said again later, it is a new memory, with its own age."""
    keep(world, memory=30)
    memory, _ = learned(world)
    world.clock.advance(days=31)
    again, _ = learned(world, "As I said, I live in Oslo.")
    assert again["id"] != memory["id"]
    assert again["revision"] == 1
    assert debug(world, "GET", memory).status == 410
    invariants.hold(world)


def test_an_expired_memory_can_be_deleted_before_it_is_removed(world: World) -> None:
    """Then it reads as deleted, and its statement isn't learned again from the same words."""
    keep(world, memory=30)
    memory, _ = learned(world)
    world.clock.advance(days=30)
    assert debug(world, "DELETE", memory).status == 204
    assert gone(debug(world, "GET", memory)) == (410, "CONTENT_DELETED", "2026-10-20")
    assert [r for r in world.rows() if r["pk"].endswith("#FORGOTTEN")]
    assert "Oslo" not in json.dumps(
        [r for r in world.rows() if "MEMOR" in r["pk"] or "#M#" in r["pk"]], default=repr
    )
    assert events_after(world, 1) == [("memory.deleted", memory["id"], 1, ())]
    invariants.hold(world)


def test_what_refers_to_an_expired_memory_stays(world: World) -> None:
    """Its words and the handle, by which the expired one reads as that."""
    keep(world, memory=30)
    old = stored_memory(world, "The user rents in Oslo.")
    world.clock.advance(days=20)
    pinned = Reference(memory_id=old.id, revision=1)
    new = make_memory(world, "bought", "The user bought it.").model_copy(
        update={"references": (pinned,), "inherited": inherited_turns((), [old])}
    )
    store_memories(world, new)
    world.clock.advance(days=10)
    memory, handle = {"id": new.id}, [{"memory_id": old.id, "revision": 1}]
    for _ in range(2):
        assert debug(world, "GET", memory)["references"] == handle
        assert debug(world, "GET", memory, "/references")["items"] == handle
        assert debug(world, "GET", memory, "/evidence?depth=2")["items"] == []
        assert gone(debug(world, "GET", {"id": old.id}))[1] == "CONTENT_EXPIRED"
        assert recalled(world, "bought it") == {"bought"}
        world.maintain()
        invariants.hold(world)


def test_drafts_and_checkpoints_show_no_expired_turns(world: World) -> None:
    """A draft reads what is left; the turns a checkpoint came from are those that are left."""
    keep(world, turn=30)
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    world.say(session_id, "The zebra sails.")
    world.clock.advance(days=29)
    world.say(session_id, "The lion sails.")
    made = commit(world, space_id, session_id=session_id)
    assert made.status == 201
    path = f"/v1/checkpoints/{made['id']}/turns"
    assert [turn["sequence_number"] for turn in world.call("GET", path)["items"]] == [1, 2, 3, 4]
    other = world.session()
    world.say(other, "The zebra sings.")
    world.clock.advance(days=1)
    for _ in range(2):
        shown = world.call("GET", path)["items"]
        assert [turn["sequence_number"] for turn in shown] == [3, 4]
        world.maintain()
    world.clock.advance(days=30)
    asked = len(world.background.prompts)
    draft = world.call("POST", "/v1/checkpoints/draft", {"session_id": other})
    assert (draft.status, draft["decisions"]) == (200, [])
    assert len(world.background.prompts) == asked


@pytest.mark.parametrize("removed", [False, True], ids=["hidden", "removed"])
def test_a_job_that_comes_after_its_turns_expired_learns_nothing(
    world: World, removed: bool
) -> None:
    """Whether or not their words are still in the table."""
    keep(world, turn=1)
    answer = world.say(world.session(), "I live in Oslo.")
    world.background.will(json.dumps({"memories": [OSLO]}))
    world.clock.advance(days=1)
    if removed:
        world.maintain()
    world.drain()
    assert world.job(answer["extraction"]["job_id"])["state"] == "cancelled"
    assert world.background.prompts == []
    assert world.memories() == []
    invariants.hold(world)


def test_an_imported_turn_is_as_old_as_it_says(world: World) -> None:
    """Of an old conversation only what is young enough is shown, and the rest is removed."""
    keep(world, turn=30)
    messages = [
        {"role": role, "content": f"{role} {day}", "created_at": f"2026-{day}T10:00:00Z"}
        for day in ("01-05", "09-19")
        for role in ("user", "assistant")
    ]
    made = world.call("POST", "/v1/sessions:import", {"messages": messages})
    assert made.status == 201
    for _ in range(2):
        listed = world.call("GET", f"/v1/sessions/{made['id']}/turns")["items"]
        assert [turn["content"] for turn in listed] == ["user 09-19", "assistant 09-19"]
        world.maintain()
    assert "01-05" not in json.dumps(
        [row.get("content") for row in world.rows() if "#S#" in row["pk"]]
    )


def test_a_job_tells_no_words_of_expired_turns(world: World) -> None:
    """What was dropped, and why, but not what it said."""
    keep(world, turn=1)
    unfounded = found("The zebra is blue.", "The zebra is blue")
    answer = world.learn(world.session(), "I live in Oslo.", OSLO, unfounded)
    job_id = answer["extraction"]["job_id"]
    [dropped] = world.job(job_id)["result"]["dropped"]
    assert dropped["text"] == "The zebra is blue."
    world.clock.advance(days=1)
    for _ in range(2):
        job = world.job(job_id)
        assert (job["state"], "zebra" in json.dumps(job)) == ("stored", False)
        world.maintain()


def test_of_two_changes_at_once_both_hold(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule for memories isn't lost to one for turns that was set in the same moment."""
    asked = profiles.get_retention

    def meanwhile(*where: Any) -> Any:
        found = asked(*where)
        monkeypatch.setattr(profiles, "get_retention", asked)
        keep(world, memory=20)
        return found

    monkeypatch.setattr(profiles, "get_retention", meanwhile)
    profile = keep(world, turn=10)
    assert (profile["turn_retention_days"], profile["memory_retention_days"]) == (10, 20)
    world.maintain()
    [open_] = [row for row in world.rows() if row["pk"].endswith("#OPEN")]
    assert open_["job_id"] == asked(world.runtime.table, "ada").job_id
    invariants.hold(world)
