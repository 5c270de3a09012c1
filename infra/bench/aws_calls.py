"""Bench (b): what a chat turn asks of AWS, cold and warm, for accounts of several sizes."""

import json
from typing import Any

from functions.chat.app import handler
from infra.bench.bench_account import ACCOUNT, stage
from infra.bench.metering import Call, Meter, depth
from infra.local.api_events import Request, api_event
from infra.local.bootstrap import LambdaContext
from infra.local.template import Route
from strandline.clock import utc_now

SIZES = (0, 1_000, 10_000)
COLUMNS = ("memories", "state", "calls", "in_sequence", "bytes_read", "log_bytes")
QUESTION = "What did I say about the violin and the harbour?"


def run(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """Rows with COLUMNS: a cold process's first turn, its second, and one after a new memory."""
    return [row for size in sizes for row in _rows(size)]


def context() -> LambdaContext:
    """What Lambda tells a handler that has just been started."""
    arn = "arn:aws:lambda:us-east-1:123456789012:function:bench"
    return LambdaContext("bench", 1024, arn, "bench", timeout=29)


def post(path: str, body: str) -> dict[str, Any]:
    """One POST through the handler."""
    request = Request("POST", path, "", [("content-type", "application/json")], body.encode())
    route = Route("POST", path, "ChatFunction", needs_token=True)
    answer = handler(api_event(request, route, {}, {"sub": ACCOUNT}, utc_now()), context())
    if answer["statusCode"] != 201:
        raise RuntimeError(answer["body"])
    return answer


def _rows(size: int) -> list[dict[str, Any]]:
    with stage(size) as made:
        session = json.loads(post("/v1/sessions", "{}")["body"])["id"]
        path, body = f"/v1/sessions/{session}/messages", json.dumps({"content": QUESTION})
        meter = Meter()
        made.install(meter.watch(made.client), meter.watch(made.sqs))
        rows = []
        for state in ("cold", "warm", "one new"):
            if state == "one new":
                made.fill(1, first=size)
            post(path, body)
            rows.append(_row(size, state, meter.take()))
        return rows


def _row(size: int, state: str, calls: list[Call]) -> dict[str, Any]:
    log = [call for call in calls if call.partition.endswith("#VECTORS")]
    return {
        "memories": size,
        "state": state,
        "calls": len(calls),
        "in_sequence": depth(calls),
        "bytes_read": sum(call.bytes_read for call in calls),
        "log_bytes": sum(call.bytes_read for call in log),
    }
