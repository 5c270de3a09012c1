"""On every route that takes an id, what is another account's is missing; nothing tells it apart.

The routes are the template's: a new one is walked as it comes, and has to be given a body here
with which its owner is served.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from infra.local.template import Route
from tests.support.checkpoint_requests import commit, new_space
from tests.support.comparisons import refusal, state_of
from tests.support.extraction_replies import reply
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import ROUTES, Reply, World, running_world

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
NAMED = [route for route in ROUTES if "{" in route.path]
EVERYTHING_ALLOWED = {"scope": "debug:read debug:write turns:read", "developer": "true"}
BODIES: list[Any] = [
    None,
    {},
    [],
    {"nonsense": 1},
    {"name": "Taken over"},
    {"title": "Taken over"},
    {"content": "Taken over."},
    {"checkpoint_id": "{checkpoint_id}"},
    {"with": "{checkpoint_id}"},
    {"session_id": "{session_id}", "title": "Taken over"},
    {"expected_revision": 1, "saved": True},
    {
        "expected_revision": 1,
        "idempotency_key": "6a1f3f9e-5b0f-4b7e-9d3c-0d5f6f1f2a3b",
        "action": "save",
    },
]
"""Bodies that some route takes and others don't; with ids of the same owner as the path's."""

QUERIES = ["", "limit=5", "limit=0", "cursor=x", "limit=abc&cursor=", "revision=x&depth=-1"]


@dataclass(frozen=True)
class Things:
    """What paths can name, of one account or of none."""

    session_id: str
    turn_id: str
    space_id: str
    checkpoint_id: str
    memory_id: str
    job_id: str
    revision: str = "1"

    def filled(self, value: Any) -> Any:
        """A path or a body that names them."""
        if isinstance(value, dict):
            return {name: self.filled(inner) for name, inner in value.items()}
        return value.format_map(vars(self)) if isinstance(value, str) else value

    def path(self, route: Route, query: str = "") -> str:
        """The route's path to them. A comparison is with itself."""
        if route.path.endswith("/compare"):
            query = f"with={self.checkpoint_id}&{query}"
        return f"{self.filled(route.path)}?{query}"


MISSING = Things(
    f"ses_{ULID}", f"trn_{ULID}_00000001", f"spc_{ULID}", f"chk_{ULID}", f"mem_{ULID}",
    f"job_{ULID}",
)  # fmt: skip


@pytest.fixture(scope="module")
def place() -> Iterator[World]:
    """One world for all requests."""
    with running_world() as world:
        world.background.default = reply()
        yield world


@pytest.fixture(scope="module")
def foreign(place: World) -> Things:
    """What belongs to grace."""
    return made_for(place, "grace")


@pytest.fixture(scope="module")
def gone(place: World) -> Things:
    """What was grace's, and was deleted."""
    things = made_for(place, "grace")
    for path in ("memories/{memory_id}", "sessions/{session_id}", "spaces/{space_id}"):
        deleted = place.call("DELETE", things.filled(f"/v1/{path}"), account="grace")
        assert deleted.status == 204
    return things


def made_for(world: World, account: str) -> Things:
    """A session in a space with a checkpoint, an answered turn, a memory and a job."""
    space_id = new_space(world, account)
    session_id = world.session(account, space_id=space_id)
    said = world.say(session_id, "I keep bees.", account)
    memory = make_memory(world, "Bees", "Keeps bees.", said["user_turn"]["id"])
    store_memories(world, memory, account=account)
    made = commit(world, space_id, account=account, session_id=session_id, summary="WOMBAT")
    job_id = said["extraction"]["job_id"]
    return Things(session_id, said["assistant_turn"]["id"], space_id, made["id"], memory.id, job_id)


def ask(world: World, route: Route, path: str, body: Any = None, **how: Any) -> Reply:
    """A request of ada, who may do everything with what is hers."""
    return world.call(route.method, path, body, account={"sub": "ada", **EVERYTHING_ALLOWED}, **how)


@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.key)
def test_what_is_another_accounts_is_missing(
    place: World, foreign: Things, gone: Things, route: Route
) -> None:
    """There or deleted, with any body and query: the same 404 to the letter, nothing changes."""
    before = state_of(place)
    told = []
    for things in (MISSING, foreign, gone):
        if route.method == "GET":
            told += [ask(place, route, things.path(route, query)) for query in QUERIES]
        else:
            told += [ask(place, route, things.path(route), things.filled(b)) for b in BODIES]
            told.append(ask(place, route, things.path(route), body=b"\xff{"))
    assert {reply.status for reply in told} == {404}
    refusals = [refusal(reply) for reply in told]
    assert refusals == [refusals[0]] * len(told)
    assert state_of(place) == before


@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.key)
def test_an_id_of_no_known_form_is_missing_too(place: World, route: Route) -> None:
    """Never another partition, never a 500."""
    before = state_of(place)
    for bad in ("x", "mem_", "%23", "%00", "a%2Fb", "%F0%9F%98%80", "a" * 300, f"mem_{ULID}%0A"):
        things = replace(Things(*[bad] * 6), revision="1")
        for body in (None, {"content": "x"}, {"nonsense": 1}):
            assert ask(place, route, things.path(route), body).status == 404
    assert state_of(place) == before


@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.key)
def test_the_owner_is_served_by_the_same_path(place: World, route: Route) -> None:
    """What is missing above is not the route, nor all that is asked for with every body."""
    own = made_for(place, "ada")
    user_turn = own.turn_id.rpartition("_")[0] + "_00000001"
    for things in (own, replace(own, turn_id=user_turn)):
        for body in BODIES if route.method != "GET" else [None]:
            reply = ask(place, route, things.path(route), things.filled(body))
            assert reply.status < 500
            # Taken, or refused for what it says (a checkpoint merged with itself), not its shape.
            if reply.status < 300 or (reply.status == 400 and "errors" not in reply.body):
                return
    pytest.fail("BODIES has none that this route takes")


@pytest.mark.parametrize("route", [r for r in ROUTES if r.needs_token], ids=lambda route: route.key)
def test_without_a_token_there_is_no_service(place: World, route: Route) -> None:
    """401, before what is named or sent is looked at."""
    for body in (None, {"nonsense": 1}):
        path = MISSING.filled(route.path)
        assert place.call(route.method, path, body, account=None).status == 401


def test_a_revision_that_never_was_is_missing_like_a_memory(place: World) -> None:
    """Of one's own memory, too; what is no number isn't valid, and for others' still missing."""
    own = made_for(place, "ada")
    [route] = [route for route in NAMED if route.path.endswith("/revisions/{revision}")]
    told = [
        refusal(ask(place, route, replace(things, revision=revision).path(route)))
        for things, revision in ((own, "2"), (own, "0"), (own, "9" * 30), (MISSING, "x"))
    ]
    assert told[0][0] == 404
    assert told == [told[0]] * 4
    assert ask(place, route, replace(own, revision="x").path(route)).status == 400
