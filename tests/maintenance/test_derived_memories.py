"""A memory is deleted: what derives from it is hidden, and made anew from what is left to it."""

from typing import Any

import pytest

from strandline import keys
from strandline.deletion import deletion_requests
from strandline.memories import derivation_walk, derived_memories
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.models.memory_head import Head
from strandline.store.memories import memory_heads
from tests.support import invariants
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World


def referring(world: World, title: str, *targets: Memory, own: str | None = None) -> Memory:
    """A stored memory that refers to those, and rests on a turn of its own if one is named."""
    evidence = (own,) if own else ()
    memory = make_memory(world, title, f"What {title} says.", *evidence).model_copy(
        update={
            "references": tuple(Reference(memory_id=t.id, revision=t.revision) for t in targets),
            "inherited": inherited_turns((), targets),
        }
    )
    store_memories(world, memory)
    return memory


def turns(world: World, number: int) -> list[str]:
    """The ids of so many questions of one session."""
    session_id = world.session()
    return [str(world.say(session_id, f"Word {n}")["user_turn"]["id"]) for n in range(number)]


def read(world: World, memory: Memory) -> Any:
    return world.call("GET", f"/v1/memories/{memory.id}")


def revisions(world: World, memory: Memory) -> list[str]:
    pk = keys.memory_partition("ada", memory.id)
    return [row["sk"] for row in world.rows() if row["pk"] == pk and row["sk"].startswith("REV#")]


@pytest.fixture
def chain(world: World) -> dict[str, Memory]:
    """Others derive from `root`: `near`, and `far` through it, both with a turn of their own.

    `bare` has nothing but `root`; `aside` refers to none of them.
    """
    one, two, three, four = turns(world, 4)
    root = make_memory(world, "root", "What root says.", one)
    store_memories(world, root)
    near = referring(world, "near", root, own=two)
    return {
        "root": root,
        "near": near,
        "far": referring(world, "far", near, own=three),
        "bare": referring(world, "bare", root),
        "aside": referring(world, "aside", own=four),
    }


def test_a_deletion_takes_along_what_rests_on_nothing_else(
    world: World, chain: dict[str, Memory]
) -> None:
    """What has a source of its own is made anew from that; what has none is deleted, too."""
    world.call("DELETE", f"/v1/memories/{chain['root'].id}")
    assert read(world, chain["root"]).status == 410
    assert read(world, chain["bare"]).status == 410
    near, far = read(world, chain["near"]).body, read(world, chain["far"]).body
    assert (near["revision"], near["references"]) == (2, [])
    assert far["references"] == [{"memory_id": chain["near"].id, "revision": 2}]
    assert revisions(world, chain["near"]) == ["REV#000002"]
    assert revisions(world, chain["far"]) == ["REV#000002"]
    assert read(world, chain["aside"])["revision"] == 1
    titles = {memory["title"] for memory in world.memories()}
    assert titles == {"near", "far", "aside"}
    invariants.hold(world)


def test_what_derives_from_a_deleted_memory_is_hidden_until_it_is_made_anew(
    world: World, chain: dict[str, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between hiding and making anew it reads as deleted, is in no list and isn't recalled."""
    monkeypatch.setattr(derived_memories, "rebuild_derived", lambda *_: None)
    world.call("DELETE", f"/v1/memories/{chain['root'].id}")
    gone = read(world, chain["near"])
    assert (gone.status, gone["code"]) == (410, "CONTENT_DELETED")
    assert gone["removed_at"] == "2026-09-20T12:00:00.000000Z"
    assert read(world, chain["far"]).status == 410
    assert [memory["title"] for memory in world.memories()] == ["aside"]
    found = world.call("GET", "/v1/recall?q=What+near+says.&limit=10")["items"]
    assert [hit["title"] for hit in found] == ["aside"]


def test_only_the_revisions_that_derive_from_a_deleted_memory_go(world: World) -> None:
    """A memory that no longer refers to the deleted one stays as it is; its old revision goes."""
    one, two = turns(world, 2)
    root = make_memory(world, "root", "What root says.", one)
    store_memories(world, root)
    memory = referring(world, "free", root, own=two)
    head = memory_heads.find(world.runtime.table, "ada", memory.id)
    assert isinstance(head, Head)
    free = memory.model_copy(update={"revision": 2, "references": (), "inherited": ()})
    _publish(world, free, head)
    world.call("DELETE", f"/v1/memories/{root.id}")
    assert read(world, memory)["revision"] == 2
    assert revisions(world, memory) == ["REV#000002"]
    invariants.hold(world)


def test_references_in_a_circle_end(world: World) -> None:
    """Two memories that refer to each other outlive what both derive from."""
    one, two, three = turns(world, 3)
    root = make_memory(world, "root", "What root says.", one)
    store_memories(world, root)
    first = referring(world, "first", root, own=two)
    second = referring(world, "second", first, own=three)
    head = memory_heads.find(world.runtime.table, "ada", first.id)
    assert isinstance(head, Head)
    link = Reference(memory_id=second.id, revision=1)
    _publish(world, first.model_copy(update={"revision": 2, "references": (link,)}), head)
    assert derivation_walk.find_derived(world.runtime.table, "ada", {root.id: None}).revisions == {
        first.id: frozenset({1, 2}),
        second.id: frozenset({1}),
    }
    world.call("DELETE", f"/v1/memories/{root.id}")
    assert {read(world, each).status for each in (first, second)} == {200}
    invariants.hold(world)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_deletion_that_was_killed_anywhere_is_finished(world: World, after: bool) -> None:
    """Maintenance ends in the same table, whichever write the process ended at."""
    one, two = turns(world, 2)
    root = make_memory(world, "root", "What root says.", one)
    store_memories(world, root)
    near = referring(world, "near", root, own=two)
    bare = referring(world, "bare", root)
    before = world.rows()
    client = CrashingClient(world.client, at=0, after=False)
    world.go_through(client)
    deletion_requests.delete_memory(world.runtime, "ada", root.id)
    writes, whole = client.writes, _of_memories(world)
    for number in range(1, writes + 1):
        world.put_back(before)
        world.go_through(CrashingClient(world.client, at=number, after=after))
        with pytest.raises(Crashed):
            deletion_requests.delete_memory(world.runtime, "ada", root.id)
        world.go_through(world.client)
        world.clock.advance(minutes=2)
        world.maintain()
        if (number, after) == (1, False):
            # Nothing was accepted: the client asks again.
            deletion_requests.delete_memory(world.runtime, "ada", root.id)
        assert _of_memories(world) == whole
        assert (read(world, near).status, read(world, bare).status) == (200, 410)
        invariants.hold(world)


def test_deleting_a_session_hides_what_derives_from_its_memories(world: World) -> None:
    """A memory of another session loses the reference, one that rests on nothing else is gone."""
    [one], [two] = turns(world, 1), turns(world, 1)
    root = make_memory(world, "root", "What root says.", one)
    store_memories(world, root)
    near, bare = referring(world, "near", root, own=two), referring(world, "bare", root)
    session_id = world.call("GET", f"/v1/turns/{one}")["session_id"]
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    assert [read(world, each).status for each in (root, near, bare)] == [410, 200, 410]
    assert read(world, near)["references"] == []
    invariants.hold(world)


def test_what_refers_to_a_revision_that_went_with_its_session_refers_to_what_is_left(
    world: World,
) -> None:
    """A memory of two sessions loses one and its history; nobody refers to that any longer."""
    [one], [two], [three] = turns(world, 1), turns(world, 1), turns(world, 1)
    root = make_memory(world, "root", "What root says.", one, two)
    store_memories(world, root)
    near = referring(world, "near", root, own=three)
    bare = referring(world, "bare", root)
    session_id = world.call("GET", f"/v1/turns/{one}")["session_id"]
    assert world.call("DELETE", f"/v1/sessions/{session_id}").status == 204
    assert read(world, root)["revision"] == 2
    assert read(world, near)["references"] == [{"memory_id": root.id, "revision": 2}]
    assert revisions(world, near) == ["REV#000002"]
    assert read(world, bare).status == 410
    invariants.hold(world)


def _publish(world: World, memory: Memory, before: Head) -> None:
    from strandline.memories import index_placement
    from strandline.memories.transaction import NewRevision, apply_changes

    table = world.runtime.table
    entry = index_placement.read_entry(table, "ada", before)
    apply_changes(table, "ada", [NewRevision(memory, entry, before)], world.clock())


def _of_memories(world: World) -> list[tuple[str, str]]:
    """What there is of memories, apart from when it came to be."""
    aside = ("#EVENTS", "#VECTORS")
    return [
        (row["pk"], row["sk"])
        for row in world.rows()
        if not row["sk"].startswith(("JOB#", "PROFILE")) and not row["pk"].endswith(aside)
    ]
