"""HTTP API events and answers, field by field."""

import base64
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.api_events import Request, api_event, claims_as_text, joined
from infra.local.http_responses import Answer, from_handler, message
from infra.local.template import Route
from tests.support.laws import law

NOW = datetime(2026, 3, 12, 19, 3, 58, 250_000, tzinfo=UTC)
ROUTE = Route("POST", "/v1/turns/{turn_id}/notes", "ChatFunction", needs_token=True)
JSON = ("content-type", "application/json")


def request(**parts: Any) -> Request:
    """A request to ROUTE with these parts."""
    given = {
        "method": "POST",
        "path": "/v1/turns/t%201/notes",
        "query": "",
        "headers": [],
        "body": b"",
    }
    return Request(**{**given, **parts})


def event(**parts: Any) -> dict[str, Any]:
    """The event of such a request."""
    return api_event(request(**parts), ROUTE, {"turn_id": "t 1"}, None, NOW)


def test_an_event_is_whole() -> None:
    """Every field of format 2.0, as the gateway fills it."""
    asked = request(
        query="q=a%20b&q=c&empty=",
        headers=[
            ("Host", "127.0.0.1:3000"),
            ("User-Agent", "curl/8"),
            ("Cookie", "a=1; b=2"),
            ("Accept", "text/html"),
            ("accept", "*/*"),
            JSON,
        ],
        body=b'{"content": "x"}',
    )
    found = api_event(asked, ROUTE, {"turn_id": "t 1"}, {"sub": "ada"}, NOW)
    assert len(found["requestContext"].pop("requestId")) == 36
    assert found == {
        "version": "2.0",
        "routeKey": "POST /v1/turns/{turn_id}/notes",
        "rawPath": "/v1/turns/t 1/notes",
        "rawQueryString": "q=a%20b&q=c&empty=",
        "cookies": ["a=1", "b=2"],
        "headers": {
            "host": "127.0.0.1:3000",
            "user-agent": "curl/8",
            "accept": "text/html,*/*",
            "content-type": "application/json",
        },
        "queryStringParameters": {"q": "a b,c", "empty": ""},
        "pathParameters": {"turn_id": "t 1"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "authorizer": {"jwt": {"claims": {"sub": "ada"}, "scopes": None}},
            "domainName": "127.0.0.1:3000",
            "domainPrefix": "local",
            "http": {
                "method": "POST",
                "path": "/v1/turns/t 1/notes",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "curl/8",
            },
            "routeKey": "POST /v1/turns/{turn_id}/notes",
            "stage": "$default",
            "time": "12/Mar/2026:19:03:58 +0000",
            "timeEpoch": 1773342238250,
        },
        "body": '{"content": "x"}',
        "isBase64Encoded": False,
    }


def test_what_a_request_lacks_its_event_lacks() -> None:
    """No query, no cookies, no body, no path parameter, no token: no such key."""
    found = api_event(request(), ROUTE, {}, None, NOW)
    absent = {"queryStringParameters", "cookies", "body", "pathParameters"}
    assert not absent & found.keys()
    assert found["isBase64Encoded"] is False
    assert "authorizer" not in found["requestContext"]


@pytest.mark.parametrize(
    ("content_type", "body", "as_text"),
    [
        ("application/json", b"{}", True),
        ("application/json; charset=utf-8", "ä".encode(), True),
        ("APPLICATION/JSON", b"{}", True),
        ("text/plain", b"{}", True),
        ("application/problem+json", b"{}", True),
        ("application/atom+xml", b"<a/>", True),
        ("application/xml", b"<a/>", True),
        ("application/javascript", b"1", True),
        ("application/json", b"\xff\xfe", False),
        ("application/x-www-form-urlencoded", b"a=1", False),
        ("application/octet-stream", b"{}", False),
        ("", b"{}", False),
    ],
)
def test_a_body_travels_as_text_or_base64(content_type: str, body: bytes, as_text: bool) -> None:
    """Text by its content type, if it is UTF-8; everything else as base64."""
    found = event(headers=[("content-type", content_type)] if content_type else [], body=body)
    assert found["isBase64Encoded"] is not as_text
    assert found["body"] == (body.decode() if as_text else base64.b64encode(body).decode())


@law()
@given(st.binary(min_size=1), st.sampled_from(["application/json", "text/plain", "image/png", ""]))
def test_every_body_can_be_had_back(body: bytes, content_type: str) -> None:
    """Whatever its type and bytes, the event holds exactly the body."""
    found = event(headers=[("content-type", content_type)], body=body)
    sent = found["body"]
    assert (base64.b64decode(sent) if found["isBase64Encoded"] else sent.encode()) == body


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("ada", "ada"),
        (["a", "b"], "[a b]"),
        ([], "[]"),
        (True, "true"),
        (False, "false"),
        (1700000000, "1700000000"),
        (None, "<nil>"),
        ({"b": 1, "a": ["x"]}, "map[a:[x] b:1]"),
    ],
)
def test_claims_are_text(claim: Any, text: str) -> None:
    """A handler gets each claim as the gateway prints it."""
    assert claims_as_text({"claim": claim}) == {"claim": text}


def test_names_that_come_twice_are_joined() -> None:
    """In the order they came."""
    assert joined([("a", "2"), ("b", "x"), ("a", "1")]) == {"a": "2,1", "b": "x"}


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/v1/turns/t1/notes", {"turn_id": "t1"}),
        ("/v1/turns/a b#ü/notes", {"turn_id": "a b#ü"}),
        ("/v1/turns//notes", None),
        ("/v1/turns/a/b/notes", None),
        ("/v1/turns/t1/notes/", None),
        ("/v1/turns/t1", None),
        ("/v1/turns/t1/notes\n", None),
    ],
)
def test_a_route_takes_whole_paths(path: str, parameters: dict[str, str] | None) -> None:
    """A parameter is one part of the path and never empty."""
    assert ROUTE.match(path) == parameters


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (
            {"statusCode": 201, "headers": {"Content-Type": "application/json"}, "body": "{}"},
            Answer(201, (("content-type", "application/json"),), b"{}"),
        ),
        (
            {
                "statusCode": "204",
                "headers": {"x-count": 3, "x-more": True},
                "cookies": ["a=1", "b=2"],
            },
            Answer(
                204,
                (
                    ("x-count", "3"),
                    ("x-more", "true"),
                    ("set-cookie", "a=1"),
                    ("set-cookie", "b=2"),
                ),
                b"",
            ),
        ),
        (
            {
                "statusCode": 200,
                "headers": {"content-type": "image/png"},
                "body": "/w==",
                "isBase64Encoded": True,
            },
            Answer(200, (("content-type", "image/png"),), b"\xff"),
        ),
        (
            {"statusCode": 200, "body": "hi", "headers": {"Content-Length": "99"}},
            Answer(200, (("content-type", "text/plain; charset=utf-8"),), b"hi"),
        ),
        ({"items": [1]}, Answer(200, (("content-type", "application/json"),), b'{"items": [1]}')),
        ("hello", Answer(200, (("content-type", "application/json"),), b"hello")),
        ({"statusCode": 200, "body": {"not": "text"}}, message(500, "Internal Server Error")),
        ({"statusCode": "soon"}, message(500, "Internal Server Error")),
        ({"statusCode": 20}, message(500, "Internal Server Error")),
        (
            {"statusCode": 200, "body": "%", "isBase64Encoded": True},
            message(500, "Internal Server Error"),
        ),
    ],
)
def test_a_result_becomes_an_answer(result: Any, answer: Answer) -> None:
    """Status, headers, cookies and body as the gateway reads them; nonsense is its own 500."""
    assert from_handler(result) == answer
