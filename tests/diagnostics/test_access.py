"""Who may come in: asked on every route of diagnostics before anything else is looked at."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from functions.diagnostics.app import handler
from infra import openapi
from infra.local.api_events import Request, api_event, decoded_path
from infra.local.template import Route
from tests.support.comparisons import assert_problem, state_of
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import ROUTES, Context, World, running_world

ROUTES_HERE = [route for route in ROUTES if route.function == "DiagnosticsFunction"]
SCOPES = ("debug:read", "debug:write", "turns:read")
CLAIMS = [
    {"sub": "ada", "scope": " ".join(scopes), "developer": developer}
    for developer in (True, False)
    for count in range(len(SCOPES) + 1)
    for scopes in combinations(SCOPES, count)
]
MISSING = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
BODIES: list[Any] = [None, {"nonsense": 1}, b"\xff{"]


@pytest.fixture(scope="module")
def place() -> Iterator[World]:
    """One world for all requests, none of which is let in."""
    with running_world() as world:
        yield world


@pytest.fixture(scope="module")
def memory_ids(place: World) -> list[str]:
    """The caller's own memory, another account's, and none."""
    made = []
    for account in ("ada", "grace"):
        session_id = place.session(account)
        said = place.say(session_id, "I keep bees.", account)
        memory = make_memory(place, "Bees", "Keeps bees.", said["user_turn"]["id"])
        store_memories(place, memory, account=account)
        made.append(memory.id)
    return [*made, MISSING]


def needed(route: Route) -> tuple[str, ...]:
    """What the route asks for, in the order it is told: said here once more, in other words."""
    last = route.path.rpartition("/")[2]
    reads = "debug:read" if route.method == "GET" else "debug:write"
    return ("developer access", reads, *(["turns:read"] if last == "evidence" else []))


def lacking(route: Route, claims: dict[str, Any]) -> list[str]:
    """What of that a token doesn't have."""
    held = {*claims["scope"].split(), *(["developer access"] if claims["developer"] else [])}
    return [each for each in needed(route) if each not in held]


def test_debug_routes_are_this_functions_and_no_others() -> None:
    """A debug route of another function would be served without this door."""
    assert {r.key for r in ROUTES if r.path.startswith("/v1/debug/")} == {
        route.key for route in ROUTES_HERE
    }
    assert all(route.needs_token for route in ROUTES_HERE)


@pytest.mark.parametrize("route", ROUTES_HERE, ids=lambda route: route.key)
def test_what_a_token_lacks_is_told_before_the_request_is_looked_at(
    place: World, memory_ids: list[str], route: Route
) -> None:
    """The same 403 for each id, whole body, broken body and query; and nothing changes."""
    before = state_of(place)
    for claims in CLAIMS:
        if not (lacks := lacking(route, claims)):
            continue
        for memory_id in memory_ids:
            path = route.path.format(memory_id=memory_id, revision=1)
            for body in BODIES:
                reply = place.call(route.method, f"{path}?limit=0&cursor=x", body, account=claims)
                assert_problem(reply, 403, "FORBIDDEN")
                assert reply["detail"] == f"The token lacks {', '.join(lacks)}."
    assert state_of(place) == before


@pytest.mark.parametrize("route", ROUTES_HERE, ids=lambda route: route.key)
def test_with_all_that_is_needed_and_no_more_one_is_let_in(place: World, route: Route) -> None:
    """A token with just the claim and the scopes gets as far as the id."""
    scopes = " ".join(needed(route)[1:])
    path = route.path.format(memory_id=MISSING, revision=1)
    reply = place.call(
        route.method, path, account={"sub": "ada", "scope": scopes, "developer": "true"}
    )
    assert reply.status != 403


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/debug/memories/mem_x/evidence/", 403),
        ("/v1/debug/memories/mem_x/evidence%0A", 403),
        ("/v1/debug//memories/mem_x/evidence", 403),
        ("/v1/debug/memories/mem_x%2Fevidence", 403),
        ("/v1/debug/memories/mem_x/Evidence", 404),
    ],
)
def test_no_spelling_of_evidence_goes_without_its_scope(
    place: World, path: str, status: int
) -> None:
    """Straight to the handler, past the gateway's own matching: refused, or no route at all."""
    claims = {"sub": "ada", "scope": "debug:read", "developer": "true"}
    route = Route("GET", path, "DiagnosticsFunction", needs_token=True)
    event = api_event(Request("GET", path, "", [], b""), route, {}, claims, place.clock())
    assert event["rawPath"] == decoded_path(path)
    assert handler(event, Context())["statusCode"] == status


def test_no_route_shows_what_was_said_without_the_turns_scope() -> None:
    """Where `turns:read` isn't asked for, no answer has a field for a turn's own words."""
    document = openapi.document()
    for route in ROUTES_HERE:
        operation = document["paths"][route.path][route.method.lower()]
        if "turns:read" not in needed(route):
            named = fields(operation["responses"], document["components"]["schemas"], set())
            assert not named & {"quote", "quotes", "content"}, route.key


def fields(value: Any, schemas: dict[str, Any], seen: set[str]) -> set[str]:
    """Every property that an answer may have, at any depth."""
    if isinstance(value, list):
        return {name for inner in value for name in fields(inner, schemas, seen)}
    if not isinstance(value, dict):
        return set()
    found = set(value.get("properties", ())) if isinstance(value.get("properties"), dict) else set()
    name = str(value.get("$ref", "")).rpartition("/")[2]
    if name and name not in seen:
        seen.add(name)
        found |= fields(schemas[name], schemas, seen)
    return found | {name for inner in value.values() for name in fields(inner, schemas, seen)}
