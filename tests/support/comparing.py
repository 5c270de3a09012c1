"""Wholes to compare: everything a request could change, and a refusal as its caller sees it."""

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
