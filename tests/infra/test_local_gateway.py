"""The gateway and the front: routes, tokens, limits and time-outs, without a socket."""

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from infra.local import gateway as gateways
from infra.local import server
from infra.local.api_events import Request
from infra.local.gateway import Gateway
from infra.local.lambda_environments import FunctionFailed
from infra.local.template import Function, Route, serving
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


MakeFront = Callable[[Handler], Front]


@pytest.fixture
def front(tokens: Tokens, function: Function, in_process: Callable[[Handler], Any]) -> MakeFront:
    """Makes a front of a handler."""

    def make(handler: Handler) -> Front:
        gateway = Gateway(ROUTES, {function.name: function}, tokens, in_process(handler))
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


def test_the_handler_gets_the_gateways_event(front: MakeFront) -> None:
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


def test_the_most_exact_route_serves() -> None:
    """Whatever the template's order; of another method it isn't."""
    one = Route("GET", "/v1/things/{thing_id}", "One", needs_token=True)
    search = Route("GET", "/v1/things/search", "Search", needs_token=True)
    assert serving([one, search], "GET", "/v1/things/search") == (search, {})
    assert serving([one, search], "GET", "/v1/things/1") == (one, {"thing_id": "1"})
    assert serving([one, search], "POST", "/v1/things/search") is None


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
def test_an_unknown_route_is_not_found(front: MakeFront, method: str, path: str) -> None:
    """With or without a token, whatever a handler would say: nobody is asked."""
    reply = front(echo)(method, path)
    assert reply.status_code == 404
    assert method == "HEAD" or reply.json() == {"message": "Not Found"}


@pytest.mark.parametrize("authorization", ["", "Bearer nonsense", "Basic YTpi"])
def test_without_a_valid_token_nobody_gets_in(front: MakeFront, authorization: str) -> None:
    """The gateway's own 401, and the handler isn't called."""
    called: list[Any] = []
    ask = front(lambda event, context: called.append(event))
    reply = ask("POST", "/v1/things/a", token=False, headers={"Authorization": authorization})
    assert (reply.status_code, reply.json()) == (401, {"message": "Unauthorized"})
    assert reply.headers["www-authenticate"] == "Bearer"
    assert called == []


def test_health_needs_no_token(front: MakeFront) -> None:
    """A route without an authorizer has no authorizer in its event."""
    reply = front(echo)("GET", "/v1/health", token=False)
    assert reply.status_code == 200
    assert "authorizer" not in reply.json()["requestContext"]


def test_a_function_that_fails_gives_500(
    front: MakeFront, caplog: pytest.LogCaptureFixture
) -> None:
    """The client learns nothing, the terminal all."""

    def broken(event: dict[str, Any], context: Any) -> Any:
        raise FunctionFailed("the reason")

    reply = front(broken)("GET", "/v1/health")
    assert (reply.status_code, reply.json()) == (500, {"message": "Internal Server Error"})
    assert "the reason" in caplog.text


def test_a_function_that_takes_too_long_gives_503(
    front: MakeFront, caplog: pytest.LogCaptureFixture
) -> None:
    """The gateway's own answer, at the function's time-out."""

    def slow(event: dict[str, Any], context: Any) -> Any:
        raise TimeoutError

    reply = front(slow)("GET", "/v1/health")
    assert (reply.status_code, reply.json()) == (503, {"message": "Service Unavailable"})
    assert "FakeFunction took longer than 5 s" in caplog.text


def test_a_client_that_waits_for_an_environment_waits_no_longer_than_the_gateway(
    tokens: Tokens, caplog: pytest.LogCaptureFixture
) -> None:
    """A call that was never begun is taken back, so that it isn't made for nobody."""
    waiting: Future[Any] = Future()
    lambdas: Any = SimpleNamespace(submit=lambda function, event: waiting)
    busy = Function("FakeFunction", "fake.handler", 0, 128, {}, {})
    gateway = Gateway(ROUTES, {"FakeFunction": busy}, tokens, lambdas)
    answer, _ = asyncio.run(gateway.answer(Request("GET", "/v1/health", "", [], b"")))
    assert answer.status == 503
    assert waiting.cancelled()


def test_the_gateway_gives_up_at_thirty_seconds() -> None:
    """No function's time-out makes a client wait longer than API Gateway would."""
    assert gateways.INTEGRATION_SECONDS == 30


@pytest.mark.parametrize(("size", "status"), [(0, 200), (1, 413)])
def test_a_body_is_ten_megabytes_at_most(
    front: MakeFront, monkeypatch: pytest.MonkeyPatch, size: int, status: int
) -> None:
    """Up to the limit it is passed on, above it is refused."""
    monkeypatch.setattr(server, "MAX_BODY_BYTES", 1000)
    reply = front(echo)("POST", "/v1/things/a", content=b"x" * (1000 + size))
    assert reply.status_code == status
    assert gateways.MAX_BODY_BYTES == 10 * 1024 * 1024


def test_a_token_is_issued_and_opens(front: MakeFront) -> None:
    """POST /local/token gives what the routes take."""
    ask = front(echo)
    token = ask("POST", "/local/token", content='{"account": "grace", "developer": true}').json()
    reply = ask(
        "POST", "/v1/things/a", token=False, headers={"Authorization": f"Bearer {token['token']}"}
    )
    claims = reply.json()["requestContext"]["authorizer"]["jwt"]["claims"]
    assert (claims["sub"], claims["developer"]) == ("grace", "true")


@pytest.mark.parametrize("body", ["", "{", "[]", '{"account": 1}', '{"account": "ada", "x": 1}'])
def test_a_wrong_token_request_is_400(front: MakeFront, body: str) -> None:
    """With a sentence, and without what was sent."""
    reply = front(echo)("POST", "/local/token", content=body)
    assert reply.status_code == 400
    assert reply.json()["message"]


def test_the_queue_is_held_and_counted(front: MakeFront) -> None:
    """The switch says how it stands, and how many messages wait."""
    ask = front(echo)
    counts = {"queue": {"visible": 2}, "dead_letter_queue": {"visible": 1}}
    assert ask("POST", "/local/queue", json={"held": True}).json() == {"held": True, **counts}
    assert ask("GET", "/local/queue").json() == {"held": True, **counts}
    assert ask("POST", "/local/queue", json={"held": "yes"}).status_code == 400
    assert ask("POST", "/local/queue", json={"held": False}).json() == {"held": False, **counts}


def test_a_page_of_elsewhere_can_not_get_in(front: MakeFront) -> None:
    """A name that was bent to this address is refused, so that no page can fetch itself a token."""
    reply = front(echo)(
        "POST", "/local/token", headers={"Host": "evil.example"}, json={"account": "a"}
    )
    assert reply.status_code == 400
    assert "token" not in reply.text


def test_a_request_is_one_log_line_without_secrets(
    front: MakeFront, caplog: pytest.LogCaptureFixture
) -> None:
    """Method, route, status and time; no token, query, body or line break of the client's."""
    caplog.set_level(logging.INFO, "infra.local")
    ask = front(echo)
    ask("POST", "/v1/things/private?q=private", content=b"private")
    ask("GET", "/a%0Ab")
    lines = [r.getMessage() for r in caplog.records if r.name == "infra.local"]
    assert lines[0].startswith("POST /v1/things/{thing_id} 200 ")
    assert lines[1].startswith('GET "/a\\nb" 404 ')
    assert "private" not in caplog.text
