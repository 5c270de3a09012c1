"""Mounting, message by message and session by session: what is shown from where on."""

from typing import Any

import pytest

from strandline import keys
from strandline.writes import put
from tests.support.checkpoint_requests import alter_stored, commit, mount, new_space, unmount
from tests.support.comparisons import assert_problem, state_of
from tests.support.world import Reply, World

MISSING = "chk_01ARZ3NDEKTSV4RRFFQ69G5FAV"


def said(world: World, session_id: str, *contents: str) -> list[Reply]:
    """Those messages, a second apart, and their answers."""
    answers = []
    for content in contents:
        world.clock.advance(seconds=1)
        answers.append(world.say(session_id, content))
    return answers


def begun(world: World) -> tuple[str, str, str]:
    """A space, a session in it with one exchange, and a checkpoint that covers it."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    said(world, session_id, "first words")
    made = commit(world, space_id, session_id=session_id, summary="The first summary.")
    return space_id, session_id, made["id"]


def receipt(world: World, answer: Reply) -> Any:
    """The receipt of an answer."""
    return world.call("GET", f"/v1/turns/{answer['assistant_turn']['id']}/receipt").body


def test_in_an_empty_session_the_first_turn_after_the_mount_is_remembered(world: World) -> None:
    """The boundary is 0, and nothing of the session lies behind it."""
    space_id, _, checkpoint_id = begun(world)
    session_id = world.session(space_id=space_id)
    assert mount(world, session_id, checkpoint_id)["mount"]["history_base_seq"] == 0
    said(world, session_id, "my code word is teal", "what is my code word?")
    assert "my code word is teal" in world.chat.text()


def test_the_turn_at_the_boundary_is_hidden_and_the_next_is_shown(world: World) -> None:
    """A message's own boundary N hides turn N and shows turn N + 1."""
    _, session_id, checkpoint_id = begun(world)
    said(world, session_id, "third turn", "fifth turn")
    own = {"mounted_checkpoint_id": checkpoint_id, "history_base_seq": 4}
    answer = world.say(session_id, "seventh turn", **own)
    prompt = world.chat.text()
    assert "third turn" not in prompt
    assert "fifth turn" in prompt
    assert answer["context"]["boundary"] == {"checkpoint_id": checkpoint_id, "history_base_seq": 4}
    assert answer["context"]["history"] == {"from_sequence": 5, "to_sequence": 6, "turns": 2}


def test_of_25_pairs_after_the_mount_the_newest_are_in_the_prompt(world: World) -> None:
    """Twenty pairs fit, oldest first; the five oldest are cut, and the receipt says so."""
    _, session_id, checkpoint_id = begun(world)
    mount(world, session_id, checkpoint_id)
    said(world, session_id, *(f"pair number <{number}>" for number in range(25)))
    [answer] = said(world, session_id, "and now?")
    prompt = world.chat.text()
    shown = [number for number in range(25) if f"<{number}>" in prompt]
    assert shown == list(range(5, 25))
    positions = [prompt.index(f"<{number}>") for number in shown]
    assert positions == sorted(positions)
    reasons = {left["reason"] for left in receipt(world, answer)["left_out"]}
    assert reasons == {"turn_limit"}


@pytest.mark.parametrize(
    "form",
    [
        {"mounted_checkpoint_id": "{checkpoint}"},
        {"history_base_seq": 2},
        {"mounted_checkpoint_id": "{checkpoint}", "history_base_seq": -1},
        {"mounted_checkpoint_id": "{checkpoint}", "history_base_seq": 10**9},
        {"mounted_checkpoint_id": "{checkpoint}", "history_base_seq": 3},
        {"mounted_checkpoint_id": "{checkpoint}", "history_base_seq": "2"},
        {"mounted_checkpoint_id": "{checkpoint}", "history_base_seq": 2.5},
        {"mounted_checkpoint_id": "{checkpoint}", "history_base_seq": True},
        {"mounted_checkpoint_id": 7, "history_base_seq": 2},
    ],
    ids=str,
)
def test_half_a_mount_or_a_boundary_out_of_range_is_invalid(
    world: World, form: dict[str, Any]
) -> None:
    """400, no model is called and nothing is stored."""
    _, session_id, checkpoint_id = begun(world)
    named = {k: checkpoint_id if v == "{checkpoint}" else v for k, v in form.items()}
    before = state_of(world)
    assert_problem(world.say(session_id, "hello", **named), 400, "INVALID")
    assert state_of(world) == before


@pytest.mark.parametrize("which", ["unknown", "malformed", "of another space", "foreign"])
def test_a_checkpoint_that_is_not_the_spaces_is_not_found(world: World, which: str) -> None:
    """404 in both forms, no model is called, and what was mounted stays mounted."""
    _, session_id, checkpoint_id = begun(world)
    other = commit(world, new_space(world))["id"]
    foreign = commit(world, new_space(world, "grace"), account="grace")["id"]
    named = {
        "unknown": MISSING,
        "malformed": "chk_#/../%",
        "of another space": other,
        "foreign": foreign,
    }[which]
    mount(world, session_id, checkpoint_id)
    before = state_of(world)
    assert_problem(mount(world, session_id, named), 404, "NOT_FOUND")
    own = {"mounted_checkpoint_id": named, "history_base_seq": 0}
    assert_problem(world.say(session_id, "hello", **own), 404, "NOT_FOUND")
    assert state_of(world) == before


def test_a_session_in_no_space_mounts_nothing(world: World) -> None:
    """There is nothing of its own to mount."""
    _, _, checkpoint_id = begun(world)
    assert_problem(mount(world, world.session(), checkpoint_id), 404, "NOT_FOUND")


def test_a_mount_survives_a_restart(world: World) -> None:
    """It is the session's, not a process's."""
    _, session_id, checkpoint_id = begun(world)
    said(world, session_id, "hidden words")
    mount(world, session_id, checkpoint_id)
    world.cold()
    [answer] = said(world, session_id, "where were we?")
    assert answer["context"]["mode"] == "MOUNTED"
    assert answer["context"]["boundary"]["history_base_seq"] == 4
    assert "hidden words" not in world.chat.text()


def test_mounting_again_moves_the_boundary(world: World) -> None:
    """The boundary is where the session stands when it is mounted, each time."""
    _, session_id, checkpoint_id = begun(world)
    mount(world, session_id, checkpoint_id)
    said(world, session_id, "between the mounts")
    assert mount(world, session_id, checkpoint_id)["mount"]["history_base_seq"] == 4
    said(world, session_id, "hello")
    assert "between the mounts" not in world.chat.text()


def test_unmounting_is_safe_to_repeat(world: World) -> None:
    """Nothing mounted stays nothing mounted."""
    _, session_id, checkpoint_id = begun(world)
    mount(world, session_id, checkpoint_id)
    assert unmount(world, session_id)["mount"] is None
    assert unmount(world, session_id)["mount"] is None
    [answer] = said(world, session_id, "hello")
    assert answer["context"]["mode"] == "HEAD"
    assert answer["context"]["boundary"] is None


def test_a_session_that_moves_to_another_space_loses_its_mount(world: World) -> None:
    """Its checkpoint means nothing there; the next prompt holds nothing of it."""
    _, session_id, checkpoint_id = begun(world)
    mount(world, session_id, checkpoint_id)
    elsewhere = new_space(world)
    moved = world.call("PATCH", f"/v1/sessions/{session_id}", {"space_id": elsewhere})
    assert (moved["mount"], moved["branch"]) == (None, "main")
    said(world, session_id, "hello")
    assert "The first summary." not in world.chat.text()


def test_a_question_answered_late_keeps_the_mount_it_was_asked_with(world: World) -> None:
    """The reply is the same request, whatever was unmounted in between."""
    _, session_id, checkpoint_id = begun(world)
    said(world, session_id, "hidden words")
    mount(world, session_id, checkpoint_id)
    world.chat.will(ConnectionError("down"))
    world.say(session_id, "where were we?")
    unmount(world, session_id)
    turns = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
    answer = world.call("POST", f"/v1/turns/{turns[-1]['id']}/reply")
    assert answer["context"]["mode"] == "MOUNTED"
    assert "hidden words" not in world.chat.text()


@pytest.mark.parametrize("mode", ["HEAD", "MOUNTED"])
def test_an_answers_receipt_rebuilds_its_prompt(world: World, mode: str) -> None:
    """With the checkpoints, their hashes and the boundary; the hash agrees."""
    space_id, session_id, checkpoint_id = begun(world)
    if mode == "MOUNTED":
        mount(world, session_id, checkpoint_id)
    said(world, session_id, "something new")
    [answer] = said(world, session_id, "where were we?")
    commit(world, space_id, "Later", session_id=session_id)
    found = receipt(world, answer)
    assert found["prompt_matches"] is True
    assert "The first summary." in found["prompt"]
    assert found["context"] == answer["context"]
    [named] = found["context"]["checkpoints"]
    stored = world.call("GET", f"/v1/checkpoints/{checkpoint_id}")
    assert named == {
        "id": checkpoint_id,
        "commit_hash": stored["commit_hash"],
        "short_hash": stored["commit_hash"][:7],
    }
    boundary = {"checkpoint_id": checkpoint_id, "history_base_seq": 2}
    assert found["context"]["boundary"] == (boundary if mode == "MOUNTED" else None)


@pytest.mark.parametrize(
    ("scope", "expected"), [("latest_1", ["3"]), ("latest_3", ["1", "2", "3"])]
)
@pytest.mark.parametrize("mounted", [True, False], ids=["mounted", "head"])
def test_the_scope_says_how_many_checkpoints_go_in(
    world: World, scope: str, expected: list[str], *, mounted: bool
) -> None:
    """The newest, or it and two before it by parent, oldest first; one without a number."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    made = [commit(world, space_id, summary=f"Summary <{n}>.")["id"] for n in range(4)]
    if mounted:
        mount(world, session_id, made[-1])
    answer = world.say(session_id, "hello", memory_scope=scope)
    prompt = world.chat.text()
    assert [str(n) for n in range(4) if f"Summary <{n}>." in prompt] == expected
    names = [each["id"] for each in answer["context"]["checkpoints"]]
    assert names == made[-len(expected) :]
    assert ("Checkpoint 1 Summary:" in prompt) == (scope == "latest_3")


def test_the_head_window_goes_by_number_within_one_millisecond(world: World) -> None:
    """The clock stands still: what the checkpoint covers is out, what came after it is in."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    world.say(session_id, "covered words")
    commit(world, space_id, session_id=session_id)
    world.say(session_id, "later words")
    world.say(session_id, "and now?")
    prompt = world.chat.text()
    assert "covered words" not in prompt
    assert "later words" in prompt


def test_the_head_window_of_another_session_goes_by_time(world: World) -> None:
    """What was said elsewhere before the checkpoint is out, what was said since is in."""
    space_id = new_space(world)
    maker, other = world.session(space_id=space_id), world.session(space_id=space_id)
    said(world, other, "before it")
    said(world, maker, "made from this")
    commit(world, space_id, session_id=maker)
    said(world, other, "since then", "and now?")
    prompt = world.chat.text()
    assert "before it" not in prompt
    assert "since then" in prompt


def test_without_history_only_the_checkpoint_goes_in(world: World) -> None:
    """`history: off` is kept in every mode."""
    _, session_id, checkpoint_id = begun(world)
    mount(world, session_id, checkpoint_id)
    said(world, session_id, "something new")
    world.say(session_id, "hello", history="off")
    assert "something new" not in world.chat.text()
    assert "The first summary." in world.chat.text()


def test_a_fork_starts_empty_on_a_branch_of_its_own(world: World) -> None:
    """Seeded from the checkpoint, mounted at 0; its commits go to its branch, main stays."""
    space_id, session_id, checkpoint_id = begun(world)
    main = commit(world, space_id, "Main goes on", session_id=session_id)
    fork = world.call("POST", f"/v1/checkpoints/{checkpoint_id}/fork", {"branch": "other"})
    assert fork.status == 201
    assert (fork["branch"], fork["seeded_checkpoint_id"]) == ("other", checkpoint_id)
    assert fork["mount"] == {"checkpoint_id": checkpoint_id, "history_base_seq": 0}
    assert world.call("GET", f"/v1/sessions/{fork['id']}/turns")["items"] == []
    said(world, fork["id"], "in the fork")
    made = commit(world, space_id, "Forked", session_id=fork["id"])
    assert (made["branch"], made["parent_id"]) == ("other", checkpoint_id)
    lineage = world.call("GET", f"/v1/spaces/{space_id}/lineage")
    assert lineage["heads"] == {"main": main["id"], "other": made["id"]}
    parents = {node["id"]: node["parents"] for node in lineage["nodes"]}
    assert parents == {
        checkpoint_id: [],
        main["id"]: [checkpoint_id],
        made["id"]: [checkpoint_id],
    }


def test_a_branch_is_begun_once(world: World) -> None:
    """A second fork by the same name is refused, and makes no session."""
    _, _, checkpoint_id = begun(world)
    path = f"/v1/checkpoints/{checkpoint_id}/fork"
    world.call("POST", path, {"branch": "other"})
    before = state_of(world)
    assert_problem(world.call("POST", path, {"branch": "other"}), 409, "CONFLICT")
    assert state_of(world) == before


def test_a_cycle_of_parents_ends(world: World) -> None:
    """Two checkpoints that name each other, each with a hash that agrees: each goes in once."""
    space_id = new_space(world)
    session_id = world.session(space_id=space_id)
    old = commit(world, space_id, summary="The old one.")["id"]
    new = commit(world, space_id, summary="The new one.")["id"]
    _seal_with_parent(world, old, new)
    answer = world.say(session_id, "hello", memory_scope="latest_3")
    assert answer.status == 201
    assert [each["id"] for each in answer["context"]["checkpoints"]] == [old, new]
    third = commit(world, space_id, branch="other")["id"]
    compared = world.call("GET", f"/v1/checkpoints/{new}/compare?with={third}")
    assert compared["common_ancestor"] is None


def _seal_with_parent(world: World, checkpoint_id: str, parent_id: str) -> None:
    alter_stored(world, checkpoint_id, seal=True, parent_id=parent_id)
    for row in world.rows():
        if row["sk"] == f"CHECKPOINT#{checkpoint_id}" and "parents" in row:
            key = keys.Key(row["pk"], row["sk"])
            world.runtime.table.write(put(key, row | {"parents": [parent_id]}))
