"""Looking into the job queues, and moving messages back: what a person on call does."""

import time
from typing import Any

COUNTS = {
    "ApproximateNumberOfMessages": "waiting",
    "ApproximateNumberOfMessagesNotVisible": "at work",
}


def counts(sqs: Any, url: str) -> dict[str, int]:
    """How many messages wait in a queue, and how many are being worked on."""
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(COUNTS))["Attributes"]
    return {word: int(found[name]) for name, word in COUNTS.items()}


def bodies(sqs: Any, url: str) -> list[str]:
    """What the waiting messages say; they stay where they are."""
    found: list[str] = []
    while got := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=2, WaitTimeSeconds=0
    ).get("Messages", []):
        found += [message["Body"] for message in got]
    time.sleep(2.1)  # until they can be seen again
    return found


def move_back(sqs: Any, dead_url: str, url: str) -> int:
    """Send every dead message to the queue again; how many.

    On AWS this is `aws sqs start-message-move-task`, which the emulator doesn't have.
    """
    moved = 0
    while got := sqs.receive_message(
        QueueUrl=dead_url, MaxNumberOfMessages=10, VisibilityTimeout=30, WaitTimeSeconds=0
    ).get("Messages", []):
        for message in got:
            sqs.send_message(QueueUrl=url, MessageBody=message["Body"])
            sqs.delete_message(QueueUrl=dead_url, ReceiptHandle=message["ReceiptHandle"])
            moved += 1
    return moved
