"""Foreign is missing on every route of checkpoints, whatever is sent; and nothing changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from infra.local.template import Route
from tests.support.checkpointing import commit, space
from tests.support.comparing import everything, is_problem, refusal
from tests.support.world import ROUTES, World, running

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
FUNCTIONS = ("MountFunction", "DraftFunction")
NAMED = [r for r in ROUTES if r.function in FUNCTIONS and "{" in r.path]
BODIES: list[Any] = [
    None,
    {},
    [],
    {"title": "Taken over"},
    {"content": "a note"},
    {"checkpoint_id": "{checkpoint_id}"},
    {"with": "{checkpoint_id}"},
]


@dataclass(frozen=True)
class Things:
    """The ids of one account's things."""

    space_id: str
    session_id: str
    checkpoint_id: str


MISSING = Things(f"spc_{ULID}", f"ses_{ULID}", f"chk_{ULID}")
MALFORMED = [
    Things(each, each, each) for each in ("x", "chk_", "%23", "a%2Fb", "%F0%9F%98%80", "a" * 300)
]


@pytest.fixture(scope="module")
def place() -> Iterator[World]:
    """One world for all cases, none of which changes anything."""
    with running() as world:
        yield world


@pytest.fixture(scope="module")
def foreign(place: World) -> Things:
    """What belongs to grace."""
    space_id = space(place, "grace")
    session_id = place.session("grace", space_id=space_id)
    place.say(session_id, "hello", "grace")
    made = commit(place, space_id, account="grace", session_id=session_id, summary="WOMBAT")
    return Things(space_id, session_id, made["id"])


def sent(template: Any, things: Things) -> Any:
    """A body that names those things."""
    if not isinstance(template, dict):
        return template
    return {name: value.format_map(vars(things)) for name, value in template.items()}


def path_of(route: Route, things: Things) -> str:
    """The route's path to those things, compared with the same."""
    path = route.path.format_map(vars(things))
    return f"{path}?with={things.checkpoint_id}" if path.endswith("/compare") else path


@pytest.mark.parametrize("route", NAMED, ids=lambda route: f"{route.method} {route.path}")
def test_what_is_foreign_is_answered_as_what_is_missing(
    place: World, foreign: Things, route: Route
) -> None:
    """The same 404 to the letter, whatever the body, and no row changes."""
    before = everything(place)
    for body in BODIES:
        if route.method == "GET" and body is not None:
            continue
        replies = [
            place.call(route.method, path_of(route, things), sent(body, things))
            for things in (foreign, MISSING)
        ]
        assert [reply.status for reply in replies] == [404, 404]
        assert refusal(replies[0]) == refusal(replies[1])
    assert everything(place) == before


@pytest.mark.parametrize("route", NAMED, ids=lambda route: f"{route.method} {route.path}")
def test_an_id_of_no_known_form_is_missing_too(place: World, route: Route) -> None:
    """Never another partition, never a 500."""
    before = everything(place)
    for things in MALFORMED:
        body = sent({"checkpoint_id": "{checkpoint_id}"}, things)
        reply = place.call(route.method, path_of(route, things), body)
        assert reply.status == 404
    assert everything(place) == before


def test_ones_own_things_are_not_foreign(place: World, foreign: Things) -> None:
    """The owner gets them by the same paths."""
    for route in NAMED:
        if route.method == "GET":
            assert place.call("GET", path_of(route, foreign), account="grace").status == 200


def test_a_foreign_checkpoint_is_missing_inside_a_request(place: World, foreign: Things) -> None:
    """As the other one of a comparison or merge, as a merge's parent, as what to mount."""
    space_id = space(place)
    session_id = place.session(space_id=space_id)
    own = commit(place, space_id)["id"]
    before = everything(place)
    other = foreign.checkpoint_id
    for method, path, body in [
        ("GET", f"/v1/checkpoints/{own}/compare?with={other}", None),
        ("POST", f"/v1/checkpoints/{own}/merge", {"with": other}),
        ("POST", f"/v1/spaces/{space_id}/checkpoints", {"title": "x", "merge_parent_id": other}),
        ("POST", f"/v1/spaces/{space_id}/checkpoints",
         {"title": "x", "session_id": foreign.session_id}),
        ("PUT", f"/v1/sessions/{session_id}/mount", {"checkpoint_id": other}),
    ]:  # fmt: skip
        is_problem(place.call(method, path, body), 404, "NOT_FOUND")
    assert everything(place) == before


def test_without_a_token_there_is_no_service(place: World, foreign: Things) -> None:
    """401 on every route."""
    for route in (r for r in ROUTES if r.function in FUNCTIONS):
        path = route.path.format_map(vars(foreign))
        assert place.call(route.method, path, {}, account=None).status == 401
