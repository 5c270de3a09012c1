"""Ids, limits, cursors and paths as they come in: each names its own thing or nothing."""

from urllib.parse import quote

import pytest

from tests.support.comparisons import assert_problem, state_of
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
OUT_OF_RANGE = ["0", "-1", "101", "abc", "", "1.5", "1e2", "%20", "1%002", "5&limit=6"]
STRANGE = {
    "hash": f"{ULID}%23TURN",
    "hash alone": "%23",
    "blank": "%20",
    "blank inside": f"{ULID[:10]}%20{ULID[10:]}",
    "slash": f"{ULID}%2Fturns",
    "slash twice encoded": f"{ULID}%252Fturns",
    "dots": "..%2F..",
    "300 characters": ULID * 12,
    "emoji": quote("\U0001f41d" * 3),
    "NUL": "%00",
    "line break": f"{ULID}%0A",
    "lower case": ULID.lower(),
    "half a byte": "%E2%82",
    "per cent": "%25",
    "wide digits": quote("０" * 26),
    "a key of another kind": f"{ULID}_00000001",
    "another partition": quote(f"x#A#grace#S#ses_{ULID}"),
}


@pytest.mark.parametrize(
    "limit",
    OUT_OF_RANGE,
)
@pytest.mark.parametrize(
    "path", ["sessions", "spaces", "memories", "events", "sessions/{}/turns", "recall?q=a"]
)
def test_a_limit_out_of_range_is_400(place: World, session_id: str, path: str, limit: str) -> None:
    """On every list."""
    where = f"/v1/{path.format(session_id)}"
    reply = place.call("GET", f"{where}{'&' if '?' in where else '?'}limit={limit}")
    assert_problem(reply, 400, "INVALID")


@pytest.mark.parametrize("limit", [1, 100])
def test_a_limit_at_its_bounds_is_taken(place: World, session_id: str, limit: int) -> None:
    """1 and 100 are in range."""
    reply = place.call("GET", f"/v1/sessions/{session_id}/turns?limit={limit}")
    assert (reply.status, len(reply["items"])) == (200, min(limit, 2))


def test_a_cursor_is_good_for_its_own_list_only(place: World) -> None:
    """Altered, of another list, of other filters or of another account: 400."""
    first, second = place.session(), place.session()
    for made in (first, second):
        place.say(made, "hello")
    place.session("grace")
    cursor = place.call("GET", f"/v1/sessions/{first}/turns?limit=1")["cursor"]
    sessions = place.call("GET", "/v1/sessions?limit=1")["cursor"]
    assert place.call("GET", f"/v1/sessions/{first}/turns?cursor={cursor}").status == 200
    assert place.call("GET", f"/v1/sessions?cursor={sessions}").status == 200
    wrong = [
        (f"sessions/{first}/turns", cursor[:-1]),
        (
            f"sessions/{first}/turns",
            cursor[:10] + ("A" if cursor[10] != "A" else "B") + cursor[11:],
        ),
        (f"sessions/{first}/turns", sessions),
        (f"sessions/{second}/turns", cursor),
        ("memories", sessions),
        (f"sessions?space_id=spc_{ULID}", sessions),
        ("sessions", ""),
        ("sessions", "null"),
        ("sessions", quote("\u00fc\U0001f41d")),
        ("sessions", "A" * 3_000),
    ]
    for path, given in wrong:
        reply = place.call("GET", f"/v1/{path}{'&' if '?' in path else '?'}cursor={given}")
        assert_problem(reply, 400, reply["code"])
        assert reply["code"] in ("WRONG_CURSOR", "INVALID")
    foreign = place.call("GET", f"/v1/sessions?cursor={sessions}", account="grace")
    assert_problem(foreign, 400, "WRONG_CURSOR")


def test_the_filters_of_memories_are_part_of_their_cursor(place: World) -> None:
    """A cursor made with a kind, a label or a session doesn't lead on with others."""
    made = place.session()
    turn_id = f"trn_{made.removeprefix('ses_')}_00000001"
    store_memories(
        place, *(make_memory(place, "T", f"t {n}", turn_id, labels=("x",)) for n in range(3))
    )
    cursor = place.call("GET", "/v1/memories?label=x&limit=1")["cursor"]
    assert place.call("GET", f"/v1/memories?label=x&cursor={cursor}").status == 200
    for query in ("", "label=y&", "kind=decision&label=x&", f"label=x&session={made}&"):
        reply = place.call("GET", f"/v1/memories?{query}cursor={cursor}")
        assert_problem(reply, 400, "WRONG_CURSOR")


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "sessions/ses_{}"),
        ("DELETE", "sessions/ses_{}"),
        ("POST", "sessions/ses_{}/messages"),
        ("GET", "turns/trn_{}_00000001"),
        ("GET", "turns/{}"),
        ("GET", "spaces/spc_{}"),
        ("GET", "memories/mem_{}"),
        ("GET", "jobs/job_{}"),
        ("GET", "jobs/ses_{}"),
    ],
)
def test_an_id_that_is_none_is_missing(place: World, method: str, path: str, name: str) -> None:
    """404, never 500, and never another partition."""
    before = state_of(place)
    body = {"content": "hello"} if method == "POST" else None
    reply = place.call(method, f"/v1/{path.format(STRANGE[name])}", body)
    assert_problem(reply, 404, "NOT_FOUND")
    assert state_of(place) == before


@pytest.mark.parametrize("name", STRANGE)
def test_an_id_in_a_query_or_body_that_is_none_is_missing_or_invalid(
    place: World, name: str
) -> None:
    """A space to join and a place to search are looked up in the caller's own partition only."""
    text = STRANGE[name]
    for query in (f"scope=space&space_id={text}", f"scope=session&session_id={text}"):
        assert place.call("GET", f"/v1/recall?q=a&{query}").status in (400, 404)
    for where in (f"sessions?space_id={text}", f"memories?session={text}"):
        reply = place.call("GET", f"/v1/{where}")
        assert reply.status == 400 or reply["items"] == []
    assert place.call("POST", "/v1/sessions", {"space_id": text}).status in (400, 404)


@pytest.mark.parametrize("account", ["a#b", "a/b", "a b", "A%23b", "\u00e9\U0001f41d", "a" * 255])
def test_no_account_gets_into_anothers_partition(place: World, account: str) -> None:
    """An account's name is encoded before it is part of a key."""
    made = place.session(account)
    assert place.call("GET", f"/v1/sessions/{made}", account=account).status == 200
    for other in ("a", "ada", quote(account), account.replace("#", "/"), account.upper()):
        if other != account and len(other) < 256:
            assert place.call("GET", f"/v1/sessions/{made}", account=other).status == 404
    [row] = [row for row in place.rows() if row["sk"] == f"SESSION#{made}"]
    assert row["pk"].count("#") == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/v1"),
        ("GET", "/v1/nothing"),
        ("PUT", "/v1/sessions"),
        ("DELETE", "/v1/profile"),
        ("OPTIONS", "/v1/sessions"),
        ("GET", "/v1/sessions/"),
        ("GET", f"/v1/sessions/ses_{ULID}/notes"),
    ],
)
def test_an_unknown_route_is_missing(place: World, method: str, path: str) -> None:
    """A path or method that isn't served is 404 like anything else that isn't there."""
    assert_problem(place.call(method, path), 404, "NOT_FOUND")
