"""Wholes to compare: everything a request could change, and a refusal as its caller sees it."""

import json
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends

from tests.support.world import REGION, Reply, World

Everything = tuple[list[tuple[Any, ...]], int, int, int]


def everything(world: World) -> Everything:
    """The rows, the waiting messages, how often the chat model and the embedder were called.

    The rows come from moto's own store: a scan of all of them costs thirty times as much.
    """
    table = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[world.data.table]
    rows = [
        (partition.value, sort.value, {k: v.to_regular_json() for k, v in item.attrs.items()})
        for partition, shelf in table.items.items()
        for sort, item in shelf.items()
    ]
    rows.sort(key=lambda row: row[:2])
    return rows, world.waiting(), len(world.chat.prompts), len(world.embedder.asked)


def refusal(reply: Reply) -> tuple[int, dict[str, str], Any]:
    """A refusal without the one thing that differs in every answer, the request's id."""
    assert reply.body.pop("request_id")
    return reply.status, reply.headers, reply.body


def is_problem(reply: Reply, status: int, code: str) -> None:
    """The reply is a problem document that tells its reader what to know, and no more."""
    assert (reply.status, reply["code"]) == (status, code)
    assert reply.headers["content-type"] == "application/problem+json"
    extra = {"errors"} if status == 400 else set()
    assert set(reply.body) - extra == {"type", "title", "status", "detail", "code", "request_id"}
    assert reply["status"] == status
    assert reply["request_id"]
    for inner in ("Traceback", ".py", "Error(", "<class", "pydantic", "boto"):
        assert inner not in json.dumps(reply.body)
