"""Wholes to compare: everything a request could change, and a refusal as its caller sees it."""

import json
from typing import Any

from tests.support.world import Reply, World

State = tuple[list[dict[str, Any]], int, int, int]


def state_of(world: World) -> State:
    """The rows, the waiting messages, how often the chat model and the embedder were called."""
    return world.rows(), world.waiting(), len(world.chat.prompts), len(world.embedder.asked)


def refusal(reply: Reply) -> tuple[int, dict[str, str], Any]:
    """A refusal without the one thing that differs in every answer, the request's id."""
    assert reply.body.pop("request_id")
    return reply.status, reply.headers, reply.body


def assert_problem(reply: Reply, status: int, code: str, *more: str) -> None:
    """The reply is a problem document that tells its reader what to know, and no more.

    `more` are the members that this code has beside those of all.
    """
    assert (reply.status, reply["code"]) == (status, code)
    assert reply.headers["content-type"] == "application/problem+json"
    extra = {"errors"} if status == 400 else set()
    common = {"type", "title", "status", "detail", "code", "request_id"}
    assert set(reply.body) - extra == {*common, *more}
    assert reply["status"] == status
    assert reply["request_id"]
    for inner in ("Traceback", ".py", "Error(", "<class", "pydantic", "boto"):
        assert inner not in json.dumps(reply.body)
