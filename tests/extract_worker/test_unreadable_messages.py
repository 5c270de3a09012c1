"""What is no job at all: it must not take half an hour to reach the dead-letter queue."""

from dataclasses import replace
from typing import Any

import pytest

from strandline import runtime as runtimes
from strandline.queue import Queue
from tests.support.world import World


class Postponing(Queue):
    """Notes what is postponed, and by how much."""

    def __init__(self, client: Any, url: str) -> None:
        super().__init__(client, url)
        self.seconds: list[int] = []

    def postpone(self, receipt_handle: str, seconds: int) -> None:
        self.seconds.append(seconds)
        super().postpone(receipt_handle, seconds)


@pytest.mark.parametrize("body", ["{}", "null", "no JSON at all", '{"job_id": "job_x"}'])
def test_an_unreadable_message_comes_back_within_a_second(world: World, body: str) -> None:
    """At the queue's own visibility six deliveries would take 36 minutes."""
    queue = Postponing(world.sqs, world.data.queue_url)
    runtimes.install(replace(world.runtime, queue=queue))
    world.sqs.send_message(QueueUrl=world.data.queue_url, MessageBody=body)
    assert len(world.drain()) == 1
    assert queue.seconds == [1]
