"""HTTP as clients, gateways and attackers get it wrong: refused plainly, and nothing is done."""

import base64
import json
from typing import Any

import pytest

from functions.chat.app import handler
from tests.support.comparisons import assert_problem, state_of
from tests.support.world import Context, World

CONTENT = '{"content": "hello"}'
BROKEN = {
    "not UTF-8": b"\xff\xfe",
    "not UTF-8 in a string": b'{"content": "a\xff"}',
    "UTF-16": '{"content": "a"}'.encode("utf-16"),
    "lone surrogate": b'{"content": "\\ud800"}',
    "lone surrogate as a key": b'{"content": "a", "\\udfff": 1}',
    "NUL": b'{"content": "a\\u0000b"}',
    "bare NUL": b'{"content": "a\x00b"}',
    "deep nesting": b"[" * 100_000,
    "deep nesting, closed": b"[" * 100_000 + b"]" * 100_000,
    "NaN": b'{"content": NaN}',
    "infinity": b'{"content": "a", "history_base_seq": Infinity}',
    "infinity by overflow": b'{"content": "a", "history_base_seq": 1e999}',
    "duplicate keys": b'{"content": "a", "content": "b"}',
    "half a JSON": b'{"content": "a"',
    "two JSONs": b'{"content": "a"}{"content": "b"}',
    "nothing": b"",
    "a word": b"content",
}
FIELDS: list[dict[str, Any]] = [
    {"content": "a", "unknown": 1},
    {"content": "a", "recall": "everything"},
    {"content": "a", "memory_scope": "latest_2"},
    {"content": "a", "history": "maybe"},
    {"content": "a", "provider": "x y"},
    {"content": "a", "model": ""},
    {"content": "\u2028\u00a0"},
    {"content": True},
]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "application/json"},
        {"content-type": "application/json; charset=utf-8"},
        {"Content-Type": "APPLICATION/JSON;charset=UTF-8"},
    ],
)
def test_json_works_with_any_charset_and_without_a_content_type(
    place: World, headers: dict[str, str]
) -> None:
    """Without a content type the gateway hands the body on in base64; that works as well."""
    made = place.session()
    reply = place.call(
        "POST", f"/v1/sessions/{made}/messages", body=CONTENT.encode(), headers=headers
    )
    assert (reply.status, reply["user_turn"]["content"]) == (201, "hello")


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded"])
def test_another_media_type_is_415(place: World, session_id: str, content_type: str) -> None:
    """A body that doesn't call itself JSON isn't read."""
    before = state_of(place)
    reply = place.call(
        "POST",
        f"/v1/sessions/{session_id}/messages",
        body=CONTENT.encode(),
        headers={"content-type": content_type},
    )
    assert_problem(reply, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert state_of(place) == before


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("content_type", ["application/json", None])
def test_a_broken_body_is_400(
    place: World, session_id: str, name: str, content_type: str | None
) -> None:
    """On a message and on a note, as text and as base64: invalid, and nothing is done."""
    before = state_of(place)
    headers = {"content-type": content_type} if content_type else {}
    turn_id = f"trn_{session_id.removeprefix('ses_')}_00000001"
    for path in (f"sessions/{session_id}/messages", f"turns/{turn_id}/notes"):
        reply = place.call("POST", f"/v1/{path}", body=BROKEN[name], headers=headers)
        assert_problem(reply, 400, "INVALID")
    assert state_of(place) == before


@pytest.mark.parametrize("body", [7, "text", ["a"], True, None])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/sessions"),
        ("POST", "/v1/spaces"),
        ("PATCH", "/v1/profile"),
        ("PATCH", "/v1/sessions/{session_id}"),
        ("POST", "/v1/sessions/{session_id}/messages"),
    ],
)
def test_a_body_that_is_no_object_is_400(
    place: World, session_id: str, method: str, path: str, body: Any
) -> None:
    """Also where every field of the object may be left out."""
    before = state_of(place)
    raw = json.dumps(body).encode()
    reply = place.call(method, path.format(session_id=session_id), body=raw)
    assert_problem(reply, 400, "INVALID")
    assert state_of(place) == before


@pytest.mark.parametrize("body", FIELDS, ids=repr)
def test_a_field_that_is_unknown_or_out_of_range_is_named(
    place: World, session_id: str, body: dict[str, Any]
) -> None:
    """The error says where, and nothing is stored."""
    before = state_of(place)
    reply = place.call("POST", f"/v1/sessions/{session_id}/messages", body)
    assert_problem(reply, 400, "INVALID")
    assert [error["field"] for error in reply["errors"]] == [f"body.{list(body)[-1]}"]
    assert not any(error["message"].startswith("Value error") for error in reply["errors"])
    assert state_of(place) == before


def event(**context: Any) -> dict[str, Any]:
    """A request for the list of sessions, with that request context."""
    http = {"method": "GET", "path": "/v1/sessions", "sourceIp": "127.0.0.1"}
    return {
        "version": "2.0",
        "rawPath": "/v1/sessions",
        "headers": {},
        "requestContext": {"http": http, "requestId": "r-1", "stage": "$default"} | context,
    }


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"authorizer": None},
        {"authorizer": {}},
        {"authorizer": {"jwt": {"claims": {}}}},
        {"authorizer": {"jwt": {"claims": {"sub": ""}}}},
        {"authorizer": {"lambda": {"sub": "ada"}}},
    ],
    ids=repr,
)
def test_without_a_verified_account_there_is_no_service(
    place: World, context: dict[str, Any]
) -> None:
    """401 as a problem document, whatever of the authorizer is missing."""
    answer = handler(event(**context), Context())
    assert answer["statusCode"] == 401
    assert answer["headers"]["content-type"] == "application/problem+json"
    assert json.loads(answer["body"]) == {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": 401,
        "detail": "A valid token is required.",
        "code": "UNAUTHENTICATED",
        "request_id": "r-1",
    }


def test_without_a_token_not_even_an_invalid_body_is_told(place: World) -> None:
    """Who calls comes first; only the service's health is for everybody."""
    before = state_of(place)
    reply = place.call("POST", "/v1/sessions", body=b"\xff", account=None)
    assert_problem(reply, 401, "UNAUTHENTICATED")
    assert state_of(place) == before
    health = place.call("GET", "/v1/health", account=None)
    assert (health.status, health["status"]) == (200, "ok")
    assert place.call("POST", "/v1/health", account=None).status == 404


@pytest.mark.parametrize(
    "scope",
    [None, ["a", "b"], '["a", "b"]', "[a b]", "a b", {"a": 1}, 7],
    ids=repr,
)
def test_no_shape_of_claims_keeps_the_owner_out(place: World, scope: Any) -> None:
    """The chat needs no scope: whatever the claim looks like, the account is served."""
    reply = place.call("GET", "/v1/sessions", account={"sub": "ada", "scope": scope})
    assert reply.status == 200


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("\U0001f41d" * 120_000, 413),
        ("a" * 100_001, 413),
        ("\u00e9" * 50_001, 413),
        ("a" * 100_000, 201),
        ("\U0001f41d" * 25_000, 201),
    ],
    ids=["480 KB of emoji", "a byte too long", "in bytes, not characters", "at the limit", "emoji"],
)
def test_content_is_bounded_in_bytes(place: World, content: str, status: int) -> None:
    """413 before any model is called and with nothing half written; at the limit it is stored."""
    made = place.session()
    before = state_of(place)
    reply = place.say(made, content)
    assert reply.status == status
    if status == 413:
        assert_problem(reply, 413, "TOO_LARGE")
        assert state_of(place) == before
    else:
        turn_id = reply["user_turn"]["id"]
        assert place.call("GET", f"/v1/turns/{turn_id}")["content"] == content


def test_a_body_in_base64_is_read_whatever_its_type_says(place: World) -> None:
    """The gateway's flag decides how to read it."""
    made = event()
    made |= {
        "rawPath": "/v1/sessions",
        "body": base64.b64encode(b'{"title": "Bees"}').decode(),
        "isBase64Encoded": True,
        "headers": {"Content-Type": "application/json"},
    }
    made["requestContext"]["http"]["method"] = "POST"
    made["requestContext"]["authorizer"] = {"jwt": {"claims": {"sub": "ada"}}}
    answer = handler(made, Context())
    assert (answer["statusCode"], json.loads(answer["body"])["title"]) == (201, "Bees")


def test_a_fault_of_ours_tells_nothing_of_itself(
    place: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 with a code; the kind and place of the error are for the log."""

    def fails(*_: object) -> None:
        raise RuntimeError("secret /srv/path.py")

    monkeypatch.setattr("functions.chat.routes.sessions.sessions.page", fails)
    reply = place.call("GET", "/v1/sessions")
    assert_problem(reply, 500, "INTERNAL_ERROR")
    assert "secret" not in json.dumps(reply.body)
