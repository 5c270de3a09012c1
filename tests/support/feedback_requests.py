"""Feedback requests of a developer, the memories they need, and the state they leave."""

import uuid
from typing import Any

from strandline.models.memory import Memory, Reference
from strandline.models.memory_head import Head
from strandline.models.memory_status import MemoryStatus
from strandline.store.memories import memory_heads
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

MISSING = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"


def claims(account: str = "ada") -> dict[str, Any]:
    """A developer's token with every scope."""
    return {"sub": account, "scope": "debug:read debug:write turns:read", "developer": True}


def give_feedback(
    world: World,
    memory_id: str,
    action: str,
    revision: int,
    **more: Any,
) -> Reply:
    """One verdict of ada's as feedback; `more` are further members of the body."""
    body = {"action": action, "expected_revision": revision, **more}
    body.setdefault("idempotency_key", str(uuid.uuid4()))
    path = f"/v1/debug/memories/{memory_id}/feedback"
    return world.call("POST", path, body, account=claims())


def correction_content(**other: Any) -> dict[str, Any]:
    """A correction's whole content."""
    return {
        "kind": "observation",
        "title": "Home",
        "text": "The user lives in Bergen.",
        "importance": 0.8,
        "labels": ["home"],
        "subject": "user",
        "topic": "home city",
        **other,
    }


def correct(world: World, memory_id: str, revision: int, **other: Any) -> Reply:
    """A correction with that content."""
    return give_feedback(world, memory_id, "correct", revision, content=correction_content(**other))


def stored_memory(
    world: World, text: str, topic: str = "", session_id: str | None = None
) -> Memory:
    """A stored memory that rests on a turn of its own."""
    said = world.say(session_id or world.session(), text)
    memory = make_memory(world, text, text, said["user_turn"]["id"])
    memory = memory.model_copy(update={"topic": topic})
    store_memories(world, memory)
    return memory


def stored_challenger(world: World, target: Memory, text: str, topic: str = "") -> Memory:
    """A stored memory that challenges the target's words."""
    said = world.say(world.session(), text)
    pinned = Reference(memory_id=target.id, revision=target.revision)
    memory = make_memory(world, text, text, said["user_turn"]["id"]).model_copy(
        update={"topic": topic, "references": (pinned,), "challenges": pinned}
    )
    store_memories(world, memory)
    return memory


def head(world: World, memory: Memory | str, account: str = "ada") -> Head:
    """The memory's head as it is stored."""
    name = memory if isinstance(memory, str) else memory.id
    found = memory_heads.find(world.runtime.table, account, name)
    assert isinstance(found, Head)
    return found


def status(world: World, memory: Memory | str) -> MemoryStatus:
    """How the memory stands."""
    return head(world, memory).status


def recalled(world: World, question: str) -> set[str]:
    """The titles of what recall shows, by a process that is warm already."""
    found = world.call("GET", f"/v1/recall?limit=50&q={question.replace(' ', '+')}")
    return {hit["title"] for hit in found["items"]}


def events_after(world: World, number: int) -> list[tuple[str, str, int, tuple[str, ...]]]:
    """The account's events behind that many: type, memory, revision, what changed."""
    found = world.call("GET", "/v1/events?limit=100")["items"]
    return [
        (each["type"], each["memory_id"], each["revision"], tuple(each["changed"]))
        for each in found[number:]
    ]
