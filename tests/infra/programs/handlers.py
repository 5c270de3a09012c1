"""Handlers for tests of the processes that handlers run in."""

import os
import sys
import time
from typing import Any

import boto3

_calls = 0


def handler(event: dict[str, Any], context: Any) -> Any:
    """Does what the event says."""
    global _calls  # noqa: PLW0603 - what stays in a process between calls is what is tested
    _calls += 1
    return globals()[f"_{event.pop('do')}"](event, context)


def _tell(event: dict[str, Any], context: Any) -> Any:
    return {
        "event": event,
        "name": context.function_name,
        "memory": context.memory_limit_in_mb,
        "arn": context.invoked_function_arn,
        "request": context.aws_request_id,
        "left": context.get_remaining_time_in_millis(),
        "calls": _calls,
        "process": os.getpid(),
    }


def _wait(event: dict[str, Any], context: Any) -> Any:
    time.sleep(event["seconds"])
    return os.getpid()


def _print(event: dict[str, Any], context: Any) -> Any:
    sys.stdout.write("for people\n")
    sys.stdout.write('{"_aws": {}}\n')
    return "printed"


def _fail(event: dict[str, Any], context: Any) -> Any:
    raise RuntimeError("the reason")


def _leave(event: dict[str, Any], context: Any) -> Any:
    sys.exit(3)


def _die(event: dict[str, Any], context: Any) -> Any:
    os._exit(3)


def _unspeakable(event: dict[str, Any], context: Any) -> Any:
    return {"a": {1}}


def _huge(event: dict[str, Any], context: Any) -> Any:
    return "x" * (6 * 1024 * 1024)


def _count(event: dict[str, Any], context: Any) -> Any:
    """One more in the embedded table, and a message into the embedded queue."""
    boto3.client("sqs").send_message(QueueUrl=event["queue"], MessageBody="counted")
    reply = boto3.client("dynamodb").update_item(
        TableName=event["table"],
        Key={"pk": {"S": "A"}, "sk": {"S": "n"}},
        UpdateExpression="ADD n :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
        ReturnValues="ALL_NEW",
    )
    return reply["Attributes"]["n"]["N"]
