"""Lambda as functions see it: execution environments, each a process that runs one call at a time.

That is what the product is built on (what a handler keeps in its process is never used by two
calls at once), and it makes a time-out mean what it means in Lambda: the process is ended.
"""

import json
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from infra.local.api_events import ACCOUNT_ID
from infra.local.template import Function

CONCURRENCY = 4  # environments of one function: enough for one person's clients on two cores


class FunctionFailed(Exception):
    """The handler raised, could not be imported, or its process ended."""


class Lambdas:
    """Runs functions in environments that are started as they are needed, and kept."""

    def __init__(self, region: str, variables: Mapping[str, str]) -> None:
        self._region = region
        self._variables = variables
        self._lock = threading.Lock()
        self._pools: dict[str, _Pool] = {}

    def submit(self, function: Function, event: dict[str, Any]) -> Future[Any]:
        """Start a call. The future holds what the handler returned, or what `call` raises.

        A call that was cancelled while it waited for an environment never runs.
        """
        future: Future[Any] = Future()
        run = partial(self._run, self._pool(function), event, future)
        threading.Thread(target=run, name=function.name, daemon=True).start()
        return future

    def call(self, function: Function, event: dict[str, Any]) -> Any:
        """What the handler returned. Raises FunctionFailed, or TimeoutError at its time-out."""
        return self.submit(function, event).result()

    def warm(self, functions: Iterable[Function]) -> None:
        """Start an environment of each function before it is asked for."""
        for function in functions:
            self._pool(function).warm()

    def stop(self) -> None:
        """End every environment."""
        with self._lock:
            for pool in self._pools.values():
                pool.stop()

    def _pool(self, function: Function) -> "_Pool":
        with self._lock:
            if function.name not in self._pools:
                self._pools[function.name] = _Pool(function, self._variables)
            return self._pools[function.name]

    def _run(self, pool: "_Pool", event: dict[str, Any], future: Future[Any]) -> None:
        with pool.slots:
            if not future.set_running_or_notify_cancel():
                return
            try:
                answer = pool.answer({"event": event, "context": self._context(pool.function)})
            except Exception as error:  # noqa: BLE001 - whoever waits must be told, whatever it is
                future.set_exception(error)
            else:
                future.set_result(answer)

    def _context(self, function: Function) -> dict[str, Any]:
        name = function.name
        return {
            "function_name": name,
            "memory_limit_in_mb": function.memory,
            "invoked_function_arn": f"arn:aws:lambda:{self._region}:{ACCOUNT_ID}:function:{name}",
            "aws_request_id": str(uuid.uuid4()),
            "timeout": function.timeout,
        }


class _Pool:
    """The environments of one function. `slots` bounds how many run."""

    def __init__(self, function: Function, variables: Mapping[str, str]) -> None:
        self.slots = threading.BoundedSemaphore(CONCURRENCY)
        self.function = function
        self._variables = variables
        self._lock = threading.Lock()
        self._idle: list[_Environment] = []
        self._all: list[_Environment] = []
        self._stopped = False

    def answer(self, call: dict[str, Any]) -> Any:
        """The result from the environment that was used last, or from a new one."""
        with self._lock:
            environment = self._idle.pop() if self._idle else self._new()
        answer = environment.answer(call)
        with self._lock:
            if environment.alive:
                self._idle.append(environment)
            else:
                environment.close()
                self._all.remove(environment)
        if "error" in answer:
            raise FunctionFailed(answer["error"])
        if "timeout" in answer:
            raise TimeoutError
        return answer["result"]

    def warm(self) -> None:
        """Have one ready."""
        with self._lock:
            if not self._all:
                self._idle.append(self._new())

    def stop(self) -> None:
        """End all; a call that runs fails, and its caller closes what it used."""
        with self._lock:
            self._stopped = True
            for environment in self._all:
                environment.kill()
            for environment in self._idle:
                environment.close()
            self._idle.clear()

    def _new(self) -> "_Environment":
        if self._stopped:
            raise FunctionFailed("the runner has ended")
        environment = _Environment(self.function, self._variables)
        self._all.append(environment)
        return environment


class _Environment:
    """One process and its two pipes."""

    def __init__(self, function: Function, variables: Mapping[str, str]) -> None:
        self._timeout = function.timeout
        named = {"AWS_LAMBDA_FUNCTION_NAME": function.name}
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and the template's handler
            [sys.executable, "-m", "infra.local.bootstrap", function.handler],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **variables, **named},
            text=True,
            encoding="utf-8",
            # A ^C in the terminal is for the runner, which ends its environments in order.
            start_new_session=True,
        )
        self.alive = True
        self._ran_out = False

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """`result`, `error` or `timeout`. After a time-out or a crash it isn't alive."""
        timer = threading.Timer(self._timeout, self._run_out)
        timer.daemon = True
        timer.start()
        try:
            line = self._exchange(json.dumps(call) + "\n")
        finally:
            timer.cancel()
        if line.endswith("\n"):
            answer: dict[str, Any] = json.loads(line)
            self.alive = answer.pop("alive")
            return answer
        self.alive = False
        return {"timeout": True} if self._ran_out else {"error": "its process ended"}

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()

    def close(self) -> None:
        """Let go of a process that is ending."""
        self._process.communicate()

    def _run_out(self) -> None:
        self._ran_out = True
        self._process.kill()

    def _exchange(self, line: str) -> str:
        calls, answers = self._process.stdin, self._process.stdout
        if calls is None or answers is None:
            raise TypeError("both are pipes")
        try:
            calls.write(line)
            calls.flush()
        except BrokenPipeError:
            return ""
        return answers.readline()
