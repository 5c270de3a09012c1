"""The gateway and the front: routes, tokens, limits and time-outs, without a socket."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from infra.local import gateway as gateways
from infra.local import server
from infra.local.gateway import Gateway
from infra.local.lambdas import Lambdas
from infra.local.template import Function, Route
from infra.local.tokens import TokenRequest, Tokens, open_tokens

Handler = Callable[[dict[str, Any], Any], Any]
ROUTES = (
    Route("POST", "/v1/things/{thing_id}", "FakeFunction", needs_token=True),
    Route("GET", "/v1/health", "FakeFunction", needs_token=False),
)


class HeldQueue:
    """A worker as far as the front knows one."""

    def __init__(self) -> None:
        self.held = False

    def hold(self, held: bool) -> None:
        self.held = held

    def counts(self) -> dict[str, dict[str, int]]:
        return {"queue": {"visible": 2}, "dead_letter_queue": {"visible": 1}}


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    """An issuer."""
    return open_tokens(tmp_path_factory.mktemp("gateway"))


class Front:
    """Sends requests to the front as a client would."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._token = token

    def __call__(
        self, method: str, path: str, *, token: bool = True, **parts: Any
    ) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._token}"} if token else {}
        headers |= parts.pop("headers", {})

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1"
            ) as client:
                return await client.request(method, path, headers=headers, **parts)

        return asyncio.run(ask())


@pytest.fixture
def front(tokens: Tokens, function: Callable[..., Function]) -> Callable[..., Front]:
    """Makes a front of a handler."""

    def make(handler: Handler, timeout: int = 5) -> Front:
        served = {"FakeFunction": function(handler, timeout)}
        gateway = Gateway(ROUTES, served, tokens, Lambdas("us-east-1"))
        worker: Any = HeldQueue()
        app = server.application(gateway, tokens, worker)
        return Front(app, tokens.issue(TokenRequest(account="ada", scopes=("a", "b"))))

    return make


def echo(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answers with the event."""
    return {
        "statusCode": 200,
        "headers": {"content-type": "application/json"},
        "body": json.dumps(event),
    }


def test_the_handler_gets_the_gateways_event(front: Callable[..., Front]) -> None:
    """Path, query, headers, claims and body, from real bytes to the handler."""
    reply = front(echo)("POST", "/v1/things/a%20b?q=1&q=2", headers={"X-Two": "a"}, json={"x": "é"})
    event = reply.json()
    assert reply.status_code == 200
    assert event["routeKey"] == "POST /v1/things/{thing_id}"
    assert event["rawPath"] == "/v1/things/a b"
    assert event["pathParameters"] == {"thing_id": "a b"}
    assert event["queryStringParameters"] == {"q": "1,2"}
    assert event["headers"]["x-two"] == "a"
    assert json.loads(event["body"]) == {"x": "é"}
    claims = event["requestContext"]["authorizer"]["jwt"]["claims"]
    assert (claims["sub"], claims["scope"], claims["developer"]) == ("ada", "a b", "false")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nothing"),
        ("GET", "/v1/things/a"),
        ("HEAD", "/v1/health"),
        ("POST", "/v1/things/a%2Fb"),
        ("POST", "/v1/things/"),
        ("GET", "/"),
        ("DELETE", "/local/token"),
    ],
)
def test_an_unknown_route_is_not_found(front: Callable[..., Front], method: str, path: str) -> None:
    """With or without a token, whatever a handler would say: nobody is asked."""
    reply = front(echo)(method, path)
    assert reply.status_code == 404
    assert method == "HEAD" or reply.json() == {"message": "Not Found"}


@pytest.mark.parametrize("authorization", ["", "Bearer nonsense", "Basic YTpi"])
def test_without_a_valid_token_nobody_gets_in(
    front: Callable[..., Front], authorization: str
) -> None:
    """The gateway's own 401, and the handler isn't called."""
    called: list[Any] = []
    ask = front(lambda event, context: called.append(event))
    reply = ask("POST", "/v1/things/a", token=False, headers={"Authorization": authorization})
    assert (reply.status_code, reply.json()) == (401, {"message": "Unauthorized"})
    assert reply.headers["www-authenticate"] == "Bearer"
    assert called == []


def test_health_needs_no_token(front: Callable[..., Front]) -> None:
    """A route without an authorizer has no authorizer in its event."""
    reply = front(echo)("GET", "/v1/health", token=False)
    assert reply.status_code == 200
    assert "authorizer" not in reply.json()["requestContext"]


def test_a_handler_that_raises_gives_500(
    front: Callable[..., Front], caplog: pytest.LogCaptureFixture
) -> None:
    """The client learns nothing, the terminal all."""

    def broken(event: dict[str, Any], context: Any) -> Any:
        raise RuntimeError("the reason")

    reply = front(broken)("GET", "/v1/health")
    assert (reply.status_code, reply.json()) == (500, {"message": "Internal Server Error"})
    assert "the reason" in caplog.text


@pytest.mark.parametrize("result", [{"a": {1, 2}}, "x" * (6 * 1024 * 1024)])
def test_a_result_that_lambda_could_not_return_gives_500(
    front: Callable[..., Front], result: Any
) -> None:
    """What is not JSON, or is above six megabytes, never leaves a Lambda."""
    reply = front(lambda event, context: result)("GET", "/v1/health")
    assert (reply.status_code, reply.json()) == (500, {"message": "Internal Server Error"})


def test_a_handler_that_exits_gives_500(front: Callable[..., Front]) -> None:
    """sys.exit in a handler ends the call, not the server."""

    def leave(event: dict[str, Any], context: Any) -> Any:
        raise SystemExit(3)

    assert front(leave)("GET", "/v1/health").status_code == 500


def test_a_handler_that_takes_too_long_gives_503(front: Callable[..., Front]) -> None:
    """The client is told at the function's time-out, though the handler still runs."""
    release = threading.Event()
    reply = front(lambda event, context: release.wait(20), timeout=0)("GET", "/v1/health")
    release.set()
    assert (reply.status_code, reply.json()) == (503, {"message": "Service Unavailable"})


def test_the_gateway_gives_up_at_thirty_seconds() -> None:
    """No function's time-out makes a client wait longer than API Gateway would."""
    assert gateways.INTEGRATION_SECONDS == 30


@pytest.mark.parametrize(("size", "status"), [(0, 200), (1, 413)])
def test_a_body_is_ten_megabytes_at_most(
    front: Callable[..., Front], monkeypatch: pytest.MonkeyPatch, size: int, status: int
) -> None:
    """Up to the limit it is passed on, above it is refused."""
    monkeypatch.setattr(server, "MAX_BODY_BYTES", 1000)
    reply = front(echo)("POST", "/v1/things/a", content=b"x" * (1000 + size))
    assert reply.status_code == status
    assert gateways.MAX_BODY_BYTES == 10 * 1024 * 1024


def test_a_token_is_issued_and_opens(front: Callable[..., Front]) -> None:
    """POST /local/token gives what the routes take."""
    ask = front(echo)
    token = ask("POST", "/local/token", content='{"account": "grace", "developer": true}').json()
    reply = ask(
        "POST", "/v1/things/a", token=False, headers={"Authorization": f"Bearer {token['token']}"}
    )
    claims = reply.json()["requestContext"]["authorizer"]["jwt"]["claims"]
    assert (claims["sub"], claims["developer"]) == ("grace", "true")


@pytest.mark.parametrize("body", ["", "{", "[]", '{"account": 1}', '{"account": "ada", "x": 1}'])
def test_a_wrong_token_request_is_400(front: Callable[..., Front], body: str) -> None:
    """With a sentence, and without what was sent."""
    reply = front(echo)("POST", "/local/token", content=body)
    assert reply.status_code == 400
    assert reply.json()["message"]


def test_the_queue_is_held_and_counted(front: Callable[..., Front]) -> None:
    """The switch says how it stands, and how many messages wait."""
    ask = front(echo)
    counts = {"queue": {"visible": 2}, "dead_letter_queue": {"visible": 1}}
    assert ask("POST", "/local/queue", json={"held": True}).json() == {"held": True, **counts}
    assert ask("GET", "/local/queue").json() == {"held": True, **counts}
    assert ask("POST", "/local/queue", json={"held": "yes"}).status_code == 400
    assert ask("POST", "/local/queue", json={"held": False}).json() == {"held": False, **counts}


def test_a_page_of_elsewhere_can_not_get_in(front: Callable[..., Front]) -> None:
    """A name that was bent to this address is refused, so that no page can fetch itself a token."""
    reply = front(echo)(
        "POST", "/local/token", headers={"Host": "evil.example"}, json={"account": "a"}
    )
    assert reply.status_code == 400
    assert "token" not in reply.text


def test_a_request_is_one_log_line_without_secrets(
    front: Callable[..., Front], caplog: pytest.LogCaptureFixture
) -> None:
    """Method, route, status and time; no token, query, body or line break of the client's."""
    caplog.set_level(logging.INFO, "strandline.local")
    ask = front(echo)
    ask("POST", "/v1/things/private?q=private", content=b"private")
    ask("GET", "/a%0Ab")
    lines = [r.getMessage() for r in caplog.records if r.name == "strandline.local"]
    assert lines[0].startswith("POST /v1/things/{thing_id} 200 ")
    assert lines[1].startswith('GET "/a\\nb" 404 ')
    assert "private" not in caplog.text


def test_the_context_counts_down_from_the_templates_timeout(front: Callable[..., Front]) -> None:
    """A handler knows its name, its request and what time it has left."""

    def tell(event: dict[str, Any], context: Any) -> dict[str, Any]:
        return {
            "name": context.function_name,
            "memory": context.memory_limit_in_mb,
            "arn": context.invoked_function_arn,
            "request": context.aws_request_id,
            "left": context.get_remaining_time_in_millis(),
        }

    told = front(tell, timeout=29)("GET", "/v1/health").json()
    assert 28_000 < told.pop("left") <= 29_000
    assert len(told.pop("request")) == 36
    assert told == {
        "name": "FakeFunction",
        "memory": 128,
        "arn": "arn:aws:lambda:us-east-1:123456789012:function:FakeFunction",
    }


def test_the_event_is_the_handlers_own(front: Callable[..., Front]) -> None:
    """A handler that changes its event changes nothing for the next."""

    def spoil(event: dict[str, Any], context: Any) -> Any:
        seen = dict(event["headers"])
        event["headers"].clear()
        return seen

    ask = front(spoil)
    assert ask("GET", "/v1/health").json() == ask("GET", "/v1/health").json() != {}
