"""Lambda as handlers see it: a context that counts down, JSON in, JSON out, one thread a call."""

import importlib
import json
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from infra.local.events import ACCOUNT_ID
from infra.local.template import Function

MAX_RESPONSE_BYTES = 6 * 1024 * 1024

Handler = Callable[[dict[str, Any], "LambdaContext"], Any]


@dataclass(frozen=True)
class LambdaContext:
    """https://docs.aws.amazon.com/lambda/latest/dg/python-context.html"""

    function_name: str
    memory_limit_in_mb: int
    invoked_function_arn: str
    deadline: float
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    function_version: str = "$LATEST"
    log_group_name: str = "local"
    log_stream_name: str = "local"
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function's time-out, never negative."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


class Lambdas:
    """Runs functions, at most `concurrency` at a time; imports a handler at its first call."""

    def __init__(self, region: str, concurrency: int = 32) -> None:
        self._region = region
        self._slots = threading.BoundedSemaphore(concurrency)

    def submit(self, function: Function, event: dict[str, Any]) -> Future[Any]:
        """Start a call. The future holds what the handler returned, or its exception.

        A thread can't be stopped: whoever waits stops waiting at the function's time-out, and
        the thread is a daemon, so that a handler that hangs doesn't keep the process alive.
        """
        future: Future[Any] = Future()
        thread = threading.Thread(
            target=self._run, args=(future, function, event), name=function.name, daemon=True
        )
        thread.start()
        return future

    def call(self, function: Function, event: dict[str, Any]) -> Any:
        """What the handler returned. Raises its exception, or TimeoutError."""
        future = self.submit(function, event)
        try:
            return future.result(timeout=function.timeout)
        except TimeoutError:
            future.cancel()
            raise

    def _run(self, future: Future[Any], function: Function, event: dict[str, Any]) -> None:
        with self._slots:
            if not future.set_running_or_notify_cancel():
                return  # nobody waits any more
            try:
                handler = load_handler(function.handler)
                result = handler(_through_json(event), self._context(function))
                future.set_result(_through_json(result, limit=MAX_RESPONSE_BYTES))
            except Exception as error:  # noqa: BLE001 - the caller gets it
                future.set_exception(error)
            except BaseException as error:  # noqa: BLE001 - a handler that exits is not our exit
                future.set_exception(RuntimeError(f"the handler left by {type(error).__name__}"))

    def _context(self, function: Function) -> LambdaContext:
        return LambdaContext(
            function_name=function.name,
            memory_limit_in_mb=function.memory,
            invoked_function_arn=f"arn:aws:lambda:{self._region}:{ACCOUNT_ID}:function:{function.name}",
            deadline=time.monotonic() + function.timeout,
        )


def load_handler(path: str) -> Handler:
    """The handler a template's Handler names: `package.module.function`."""
    module, _, name = path.rpartition(".")
    handler: Handler = getattr(importlib.import_module(module), name)
    return handler


def _through_json(value: Any, limit: int | None = None) -> Any:
    """A copy as JSON would carry it. Raises TypeError or ValueError for what it can't carry."""
    text = json.dumps(value)
    if limit is not None and len(text) > limit:
        raise ValueError(f"the response of {len(text)} bytes is above Lambda's {limit}")
    return json.loads(text)
