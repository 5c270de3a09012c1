"""Foreign is missing, whatever is sent; and what is refused changes nothing.

The table of the matrix, and ids in bodies and queries; tests/faults/test_other_accounts.py walks
every route.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.comparisons import refusal, state_of
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World, running_world

MATRIX = json.loads((Path(__file__).parents[1] / "fixtures/ownership-matrix.json").read_text())
VALID = {"content": "Hello."}
EXACT = "  \u00a0 n\u0303o\u0308 \U0001f469\u200d\U0001f469\u200d\U0001f467\r\n\tlast line \n "
RELATIONS = ("owner", "foreign", "missing")
MISSING = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
LIST = "a second account's list of sessions shows none of the first's"
TEXT = next(case["request"] for case in MATRIX["ordinary"] if "exactly" in case["request"])
ON_IDS = [
    (case["request"], relation, case[relation])
    for case in MATRIX["ordinary"]
    for relation in RELATIONS
    if relation in case and "{" in case["request"]
]
INVALID = [
    (route, relation, payload)
    for route in MATRIX["post_routes"]
    for relation in RELATIONS
    for payload in MATRIX["invalid_payloads"]
]


@dataclass(frozen=True)
class Things:
    """The ids of one account's things."""

    session_id: str
    turn_id: str
    space_id: str
    memory_id: str
    job_id: str

    def path(self, template: str) -> str:
        return template.format_map(vars(self))


@pytest.fixture(scope="module")
def place() -> Iterator[World]:
    """One world for the whole table of cases, none of which depends on another."""
    with running_world() as world:
        yield world


@pytest.fixture(scope="module")
def things(place: World) -> dict[str, Things]:
    """What each relation to the caller, ada, leads to."""
    return {
        "owner": made_for(place, "ada"),
        "foreign": made_for(place, "grace"),
        "missing": Things(
            f"ses_{MISSING}",
            f"trn_{MISSING}_00000001",
            f"spc_{MISSING}",
            f"mem_{MISSING}",
            f"job_{MISSING}",
        ),
    }


def made_for(world: World, account: str) -> Things:
    """A session in a space, an answered turn, a memory and a job."""
    space_id = world.call("POST", "/v1/spaces", {"name": "Plans"}, account=account)["id"]
    session_id = world.session(account, space_id=space_id)
    answer = world.say(session_id, "I keep bees.", account)
    turn_id = answer["user_turn"]["id"]
    memory = make_memory(world, "Bees", "Keeps bees.", turn_id)
    store_memories(world, memory, account=account)
    return Things(session_id, turn_id, space_id, memory.id, answer["extraction"]["job_id"])


def test_the_matrix_has_its_62_cases() -> None:
    """Twenty ordinary cases and 42 with an invalid body; none is left out below."""
    assert {case["request"] for case in MATRIX["ordinary"] if "{" not in case["request"]} == {
        TEXT,
        LIST,
    }
    assert (len(ON_IDS) + 2, len(INVALID)) == (20, 42)


@pytest.mark.parametrize(("request_", "relation", "status"), ON_IDS)
def test_an_ordinary_request_is_answered_by_who_owns_the_thing(
    place: World, things: dict[str, Things], request_: str, relation: str, status: int
) -> None:
    """The owner is served; for anyone else there is no such thing, and nothing changes."""
    route, _, valid = request_.partition(", ")
    method, path = route.split(" ")
    before = state_of(place)
    reply = place.call(method, things[relation].path(path), VALID if valid else None)
    assert reply.status == status
    assert (state_of(place) != before) is (relation == "owner" and method == "POST")
    if relation != "owner":
        assert refusal(reply) == missing(place, things, method, path, VALID if valid else None)


@pytest.mark.parametrize(
    ("route", "relation", "payload"),
    INVALID,
    ids=[f"{route} {relation} {payload['name']}" for route, relation, payload in INVALID],
)
def test_an_invalid_body_is_told_to_the_owner_only(
    place: World, things: dict[str, Things], route: str, relation: str, payload: dict[str, Any]
) -> None:
    """400 for the owner, else the 404 of a valid body; no row, call or message either way."""
    method, path = route.split(" ")
    before = state_of(place)
    reply = place.call(method, things[relation].path(path), payload["body"])
    assert state_of(place) == before
    assert reply.status == MATRIX["relations"][relation]
    if relation == "owner":
        assert reply["code"] == "INVALID"
        assert [error["field"] for error in reply["errors"]] == ["body.content"]
    else:
        assert refusal(reply) == missing(place, things, method, path, VALID)


def test_valid_text_is_stored_and_returned_exactly(place: World, things: dict[str, Things]) -> None:
    """Blanks at the ends, emoji, combining marks and line breaks come back as they were sent."""
    answer = place.say(things["owner"].session_id, EXACT)
    assert answer.status == 201
    assert answer["user_turn"]["content"] == EXACT
    read = place.call("GET", f"/v1/turns/{answer['user_turn']['id']}")
    assert read["content"] == EXACT
    assert place.chat.prompts[-1][-1].content.endswith(EXACT)


def test_a_second_accounts_lists_show_nothing_of_the_firsts(
    place: World, things: dict[str, Things]
) -> None:
    """Every list of an account without anything of its own is empty."""
    for path in ("sessions", "spaces", "memories", "events", "recall?q=bees"):
        reply = place.call("GET", f"/v1/{path}", account="lin")
        assert (reply.status, reply["items"]) == (200, [])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/sessions", {"space_id": "{space_id}"}),
        ("PATCH", "/v1/sessions/{own}", {"space_id": "{space_id}"}),
        ("GET", "/v1/recall?q=bees&scope=space&space_id={space_id}", None),
        ("GET", "/v1/recall?q=bees&space_id={space_id}", None),
        ("GET", "/v1/recall?q=bees&scope=session&session_id={own}&space_id={space_id}", None),
        ("GET", "/v1/recall?q=bees&scope=session&session_id={session_id}", None),
        ("GET", "/v1/recall?q=bees&session_id={session_id}", None),
    ],
)
def test_an_id_in_a_body_or_query_is_missing_when_foreign(
    place: World, things: dict[str, Things], method: str, path: str, body: dict[str, str] | None
) -> None:
    """Attaching to, or searching in, a foreign thing is the same as in a missing one."""
    before = state_of(place)
    answers = []
    for whose in ("foreign", "missing"):
        filled = {k: things[whose].path(v) for k, v in (body or {}).items()} or None
        where = things[whose].path(path.replace("{own}", things["owner"].session_id))
        answers.append(refusal(place.call(method, where, filled)))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404
    assert state_of(place) == before


@pytest.mark.parametrize(
    "filter_", ["memories?session={session_id}", "sessions?space_id={space_id}"]
)
def test_a_filter_by_a_foreign_id_finds_nothing(
    place: World, things: dict[str, Things], filter_: str
) -> None:
    """A list filtered by what isn't the caller's is as empty as by what isn't there."""
    found = [
        place.call("GET", f"/v1/{things[whose].path(filter_)}").body
        for whose in ("foreign", "missing")
    ]
    assert found == [{"items": [], "cursor": None}] * 2


def missing(
    world: World, things: dict[str, Things], method: str, path: str, body: Any
) -> tuple[int, dict[str, str], Any]:
    """What a request for a thing that isn't there gets."""
    reply: Reply = world.call(method, things["missing"].path(path), body)
    return refusal(reply)
