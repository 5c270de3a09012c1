"""An execution environment: a process that imports one handler and runs it, one call at a time.

It reads a call a line from standard input and writes an answer a line to where standard output
was; what handlers print goes to the terminal. When its parent is gone, so is it.
"""

import importlib
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

MAX_RESPONSE_BYTES = 6 * 1024 * 1024

Call = dict[str, Any]
Answer = dict[str, Any]


@dataclass(frozen=True)
class LambdaContext:
    """https://docs.aws.amazon.com/lambda/latest/dg/python-context.html"""

    function_name: str
    memory_limit_in_mb: int
    invoked_function_arn: str
    aws_request_id: str
    timeout: float
    started: float = field(default_factory=time.monotonic)
    function_version: str = "$LATEST"
    log_group_name: str = "local"
    log_stream_name: str = "local"
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the function's time-out, never negative."""
        return max(0, int((self.started + self.timeout - time.monotonic()) * 1000))


Handler = Callable[[dict[str, Any], LambdaContext], Any]


def main(handler_path: str) -> None:
    """Answer calls until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = _WithoutMetrics(sys.stderr)
    calls: queue.Queue[Call] = queue.Queue()
    threading.Thread(target=_read, args=(sys.stdin, calls), daemon=True).start()
    try:
        handler = load_handler(handler_path)
    except Exception:  # noqa: BLE001 - whatever an import raises, the first caller is told
        calls.get()
        _write(answers, {"error": traceback.format_exc(), "alive": False})
        return
    while True:
        _write(answers, {**run(handler, calls.get()), "alive": True})


def load_handler(path: str) -> Handler:
    """The handler a template's Handler names: `package.module.function`."""
    module, _, name = path.rpartition(".")
    handler: Handler = getattr(importlib.import_module(module), name)
    return handler


def run(handler: Handler, call: Call) -> Answer:
    """`{"result": …}`, or `{"error": traceback}` when it raised or gave what JSON can't carry."""
    try:
        result = handler(call["event"], LambdaContext(**call["context"]))
        size = len(json.dumps(result))
    except BaseException:  # noqa: BLE001 - a SystemExit too is a failed call, as in Lambda
        return {"error": traceback.format_exc()}
    if size > MAX_RESPONSE_BYTES:
        return {"error": f"the response of {size} bytes is above {MAX_RESPONSE_BYTES}"}
    return {"result": result}


class _WithoutMetrics:
    """Standard output for people: lines of CloudWatch's metric format are left out."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        self._out.write("".join(f"{line}\n" for line in lines if not line.startswith('{"_aws"')))
        return len(text)

    def flush(self) -> None:
        self._out.flush()


def _read(calls_in: IO[str], calls: "queue.Queue[Call]") -> None:
    for line in calls_in:
        calls.put(json.loads(line))
    os._exit(0)  # nobody waits for the call that may be running


def _write(answers: IO[str], answer: Answer) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
