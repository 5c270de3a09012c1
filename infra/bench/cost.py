"""Bench (e): what 1,000 turns cost on AWS, calculated from item sizes and list prices.

A turn is one exchange: a question, its answer, and what is learned from it. The model's own price
and the time spent waiting for it are left out, the latter told apart.
"""

import json
from dataclasses import dataclass
from typing import Any

from functions.extract.app import handler as extract
from infra.bench.aws_calls import QUESTION, context, post
from infra.bench.bench_account import ACCOUNT, ROOT, Stage, stage
from infra.bench.metering import Call, Meter
from infra.local.queue_worker import sqs_record
from infra.local.template import functions, load_template

MEMORIES = 500
TURNS = 1_000

PRICES = {
    "DynamoDB write request unit": 0.625e-6,
    "DynamoDB read request unit": 0.125e-6,
    "HTTP API request": 1.00e-6,
    "Lambda request": 0.20e-6,
    "Lambda GB-second, arm64": 13.3334e-6,
    "SQS request": 0.40e-6,
    "CloudWatch Logs, GB taken in": 0.50,
}
"""US dollars, on demand, us-east-1, first tier, as listed in November 2026."""

ASSUMPTIONS: dict[str, float | str] = {
    "memories of the account": MEMORIES,
    "memories learned from a turn": 1,
    "history": "full: 40 turns of about 300 characters",
    "seconds the chat function runs beside the model": 0.15,
    "seconds the extract function runs beside the model": 0.15,
    "SQS requests for a job": 3,
    "bytes of log for a turn": 1_500,
    "one cold start (whole vector log read) in so many turns": 50,
    "one minute's maintenance runs for so many turns": 20,
    "seconds a maintenance run takes": 0.1,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """Capacity units of one turn."""

    write_units: float
    read_units: float
    cold_read_units: float


def run() -> list[dict[str, Any]]:
    """Rows `what`, `units` for 1,000 turns, `dollars`; the last is the sum."""
    measured = measure()
    rows = [
        _row("DynamoDB write request unit", measured.write_units * TURNS),
        _row("DynamoDB read request unit", _read_units(measured)),
        _row("HTTP API request", TURNS),
        _row("Lambda request", TURNS * (2 + 1 / _number("one minute's"))),
        _row("Lambda GB-second, arm64", _gb_seconds()),
        _row("SQS request", TURNS * _number("SQS requests")),
        _row("CloudWatch Logs, GB taken in", TURNS * _number("bytes of log") / 1e9),
    ]
    total = sum(row["dollars"] for row in rows)
    return [*rows, {"what": "sum", "units": TURNS, "dollars": round(total, 5)}]


def waiting() -> float:
    """Dollars for 1,000 turns that each wait a second for the model, beside the sum."""
    return TURNS * _gigabytes("ChatFunction") * PRICES["Lambda GB-second, arm64"]


def measure() -> Measured:
    """The units of one warm turn with a full history, its extraction, and a cold log read."""
    with stage(MEMORIES) as made:
        session = json.loads(post("/v1/sessions", "{}")["body"])["id"]
        path = f"/v1/sessions/{session}/messages"
        for number in range(21):
            _exchange(made, path, f"{QUESTION} Chapter {number}. {'More of it. ' * 20}")
        meter = Meter(latency=0)
        made.install(meter.watch(made.client), meter.watch(made.sqs))
        _exchange(made, path, f"{QUESTION} Once to warm up.")
        cold = [c for c in meter.take() if c.partition.endswith("#VECTORS")]
        _exchange(
            made, path, f"I keep a violin of {'rare ' * 3}wood by the harbour. {'Yes. ' * 50}"
        )
        calls = meter.take()
    return Measured(_sum(calls, "write_units"), _sum(calls, "read_units"), _sum(cold, "read_units"))


def _exchange(made: Stage, path: str, text: str) -> None:
    """A turn, and what is learned from it: one memory that quotes its first sentence."""
    quote = text.partition(".")[0]
    memory = {
        "kind": "observation",
        "title": quote[:40],
        "text": quote,
        "importance": 0.5,
        "labels": [],
        "subject": "user",
        "topic": "",
        "quotes": [{"turn": "user", "quote": quote}],
    }
    made.background.reply = json.dumps({"memories": [memory]})
    job_id = json.loads(post(path, json.dumps({"content": text}))["body"])["extraction"]["job_id"]
    message = {
        "MessageId": job_id,
        "ReceiptHandle": job_id,
        "Body": json.dumps({"account": ACCOUNT, "job_id": job_id}),
        "MD5OfBody": "",
        "Attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "0"},
    }
    failed = extract({"Records": [sqs_record(message, made.data)]}, context())["batchItemFailures"]
    if failed:
        raise RuntimeError("the extraction failed")


def _read_units(measured: Measured) -> float:
    cold = measured.cold_read_units / _number("one cold start")
    return (measured.read_units + cold) * TURNS


def _gb_seconds() -> float:
    chat = _number("seconds the chat") * _gigabytes("ChatFunction")
    extraction = _number("seconds the extract") * _gigabytes("ExtractFunction")
    maintenance = _number("seconds a maintenance") * _gigabytes("MaintenanceFunction")
    return TURNS * (chat + extraction + maintenance / _number("one minute's"))


def _gigabytes(function: str) -> float:
    return functions(load_template(ROOT / "template.yaml"))[function].memory / 1024


def _number(beginning: str) -> float:
    """The assumption whose name begins so."""
    [found] = [value for name, value in ASSUMPTIONS.items() if name.startswith(beginning)]
    return float(found)


def _sum(calls: list[Call], what: str) -> float:
    return float(sum(getattr(call, what) for call in calls))


def _row(what: str, units: float) -> dict[str, Any]:
    return {"what": what, "units": round(units, 4), "dollars": round(units * PRICES[what], 5)}
