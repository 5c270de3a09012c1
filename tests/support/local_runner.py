"""The local runner as users start it: a process of its own, spoken to over HTTP on loopback."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

ROOT = Path(__file__).parents[2]
POLL_SECONDS = 0.1
POLLS = 200
_READY = re.compile(r"Strandline serves (http://127\.0\.0\.1:\d+)\n.*?/messages", re.DOTALL)
T = TypeVar("T")


class Runner:
    """A runner over one data folder, which can be ended, killed and started again.

    It remembers whatever it answered, and what its processes printed.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        self.data = folder / "data"
        self.url = ""
        self.answers: list[str] = []
        self._printed = folder / "printed.txt"
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._client = httpx.Client(timeout=30, event_hooks={"response": [self._remember]})

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.interrupt()
        self._client.close()

    def start(self) -> None:
        """Start it on a free port and wait until it says that it serves."""
        before = len(self.printed())
        with self._printed.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "infra.local"],
                cwd=ROOT,
                env={
                    "PATH": os.environ["PATH"],
                    "PORT": "0",
                    "STRANDLINE_DATA": str(self.data),
                    **self._environment,
                },
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        try:
            self.url = self.eventually(lambda: self._ready(before), "it to serve")
        except BaseException:
            self.kill()
            raise

    def interrupt(self) -> int:
        """End it as ^C does; its exit status."""
        return self._end(signal.SIGINT)

    def kill(self) -> int:
        """End it without a chance to do anything; its exit status."""
        return self._end(signal.SIGKILL)

    def printed(self) -> str:
        """What it and its functions printed so far, over all its starts."""
        return self._printed.read_text(errors="replace") if self._printed.exists() else ""

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        """One request, with that JSON body if any."""
        given = {} if body is None else {"json": body}
        return self._client.request(method, self.url + path, headers=headers, **given)

    @contextmanager
    def held(self) -> Iterator[None]:
        """The queue is held meanwhile, or until a restart."""
        self._hold(True)
        try:
            yield
        finally:
            self._hold(False)

    def account(self, name: str) -> "Account":
        """Someone with a token."""
        reply = self.call("POST", "/local/token", {"account": name})
        assert reply.status_code == 201, reply.text
        return Account(self, reply.json()["token"])

    def eventually(self, ask: Callable[[], T | None], what: str) -> T:
        """The first answer that is something, asked for a bounded number of times."""
        for _ in range(POLLS):
            if (found := ask()) is not None:
                return found
            time.sleep(POLL_SECONDS)
        raise AssertionError(f"waited in vain for {what}; printed: {self.printed()[-3000:]}")

    def _hold(self, held: bool) -> None:
        assert self.call("POST", "/local/queue", {"held": held}).json()["held"] is held

    def _ready(self, before: int) -> str | None:
        assert self._process is not None
        found = _READY.search(self.printed(), before)
        assert found or self._process.poll() is None, self.printed()
        return found and found[1]

    def _end(self, number: int) -> int:
        assert self._process is not None
        process, self._process = self._process, None
        process.send_signal(number)
        try:
            return process.wait(timeout=20)
        finally:
            process.kill()
            process.wait()

    def _remember(self, response: httpx.Response) -> None:
        self.answers.append(f"{response.headers}\n{response.read().decode()}")


@dataclass(frozen=True)
class Account:
    """One account's way to a runner; its token outlives the runner's restarts."""

    runner: Runner
    token: str = field(repr=False)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """A request of this account to a path below /v1."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        authorization = {"Authorization": f"Bearer {self.token}"}
        return self.runner.call(method, f"/v1{path}", body, authorization | named)

    def get(self, path: str) -> Any:
        """What is there."""
        reply = self.call("GET", path)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def session(self) -> str:
        """A new session."""
        return str(self.call("POST", "/sessions", {}).json()["id"])

    def send(self, session_id: str, content: str, **fields: Any) -> httpx.Response:
        """Send a message, whatever comes of it."""
        return self.call("POST", f"/sessions/{session_id}/messages", {"content": content, **fields})

    def say(self, session_id: str, content: str, **fields: Any) -> Any:
        """Send a message that is answered."""
        reply = self.send(session_id, content, **fields)
        assert reply.status_code == 201, reply.text
        return reply.json()

    def turns(self, session_id: str) -> Any:
        """The session's turns, oldest first."""
        return self.get(f"/sessions/{session_id}/turns?limit=100")["items"]

    def memories(self) -> Any:
        """The account's memories, newest first."""
        return self.get("/memories?limit=100")["items"]

    def receipt(self, answer: Any) -> Any:
        """The receipt of an answer."""
        return self.get(f"/turns/{answer['assistant_turn']['id']}/receipt")

    def ended(self, answer: Any) -> Any:
        """The job of an answer, once it has ended."""
        path = f"/jobs/{answer['extraction']['job_id']}"

        def job() -> Any:
            found = self.get(path)
            return found if found["state"] not in ("queued", "running") else None

        return self.runner.eventually(job, f"{path} to end")
