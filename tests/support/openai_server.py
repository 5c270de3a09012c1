"""A scriptable OpenAI-compatible server on loopback, for tests through the real SDK.

Give it replies in order (`server.will(...)`) or a function from request to reply
(`OpenAIServer(respond)`); it remembers every request.
"""

import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

TRICKLE_SECONDS = 0.05


@dataclass(frozen=True)
class Received:
    """A request as it came in; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What to answer.

    `hang` never answers, `trickle` sends the head and then a blank every 50 ms,
    `trickle_head` sends the status line and then a header that never ends.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    trickle: bool = False
    trickle_head: bool = False

    def content(self) -> bytes:
        """The bytes of the body."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Respond = Callable[[Received], Reply]


def chat(content: Any = "Hello.", finish: Any = "stop", **message: Any) -> Reply:
    """A chat completion by the model `served-model`, with 7 tokens in and 3 out."""
    said = {"role": "assistant", "content": content, **message}
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "served-model",
            "choices": [{"index": 0, "message": said, "finish_reason": finish}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
    )


def embeddings(vectors: Sequence[Any], order: Sequence[int] | None = None) -> Reply:
    """Those vectors under their indices, sent in `order`."""
    rows = [
        {"object": "embedding", "index": index, "embedding": vectors[index]}
        for index in (order or range(len(vectors)))
    ]
    return Reply({"object": "list", "data": rows, "model": "served-embedder"})


def failure(status: int, code: Any = None, param: Any = None, **headers: str) -> Reply:
    """An error the way OpenAI words it; its message quotes the request, as real ones do."""
    error = {"message": "LEAKED-BODY", "type": "some_error", "param": param, "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply({"error": error}, status=status, headers=named)


class OpenAIServer:
    """The server; use it in a `with`, read `base_url` and `requests`."""

    def __init__(self, respond: Respond | None = None) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self._respond = respond
        self._replies: deque[Reply] = deque()
        self._stop = threading.Event()
        self._http = _Loopback(("127.0.0.1", 0), _Handler)
        self._http.owner = self

    @property
    def base_url(self) -> str:
        """The address to give to the SDK."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def will(self, *replies: Reply) -> None:
        """Answer the next requests with these, in order."""
        self._replies.extend(replies)

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: Received) -> Reply:
        """Remember the request; the next reply for it."""
        self.requests.append(request)
        if self._replies:
            return self._replies.popleft()
        return self._respond(request) if self._respond else failure(500)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait; true when the server is being stopped."""
        return self._stop.wait(seconds)


class _Loopback(ThreadingHTTPServer):
    daemon_threads = True
    owner: OpenAIServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Loopback

    def setup(self) -> None:
        super().setup()
        self.server.owner.connections += 1

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.owner.answer(Received(self.path, headers, json.loads(raw)))
        try:
            self._send(reply)
        except OSError:  # the client gave up, as some tests want it to
            self.close_connection = True

    def _send(self, reply: Reply) -> None:
        if reply.hang:
            self.server.owner.wait()
            self.close_connection = True
        elif reply.trickle_head:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            self._trickle()
        elif reply.trickle:
            self._head(reply, 1_000_000)
            self._trickle()
        else:
            content = reply.content()
            self._head(reply, len(content))
            self.wfile.write(content)

    def _head(self, reply: Reply, length: int) -> None:
        self.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(length))
        self.end_headers()

    def _trickle(self) -> None:
        self.close_connection = True
        while not self.server.owner.wait(TRICKLE_SECONDS):
            self.wfile.write(b" ")
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Silent."""
