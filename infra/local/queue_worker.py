"""The event-source mapping: batches from the job queue to the function, by Lambda's rules.

https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html and
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

import logging
import threading
import time
from collections.abc import Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from infra.local.lambda_environments import FunctionFailed, Lambdas
from infra.local.resources import Data
from infra.local.template import QueueMapping

CONCURRENT_BATCHES = 2  # Lambda's pollers start with five; each is a process here
IDLE_SECONDS = 0.2
_AFTER_AN_ERROR_SECONDS = 1.0

_log = logging.getLogger("infra.local")
Message = dict[str, Any]


class Worker:
    """Takes batches from the queue and gives them to the function, until it is stopped or held."""

    def __init__(self, sqs: Any, data: Data, mapping: QueueMapping, lambdas: Lambdas) -> None:
        self._sqs = sqs
        self._data = data
        self._mapping = mapping
        self._lambdas = lambdas
        self._running = threading.Event()
        self._receiving = threading.Lock()
        self._stopped = threading.Event()
        self._slots = threading.BoundedSemaphore(CONCURRENT_BATCHES)
        self._thread = threading.Thread(target=self._run, name="queue", daemon=True)
        self._running.set()

    @property
    def held(self) -> bool:
        """Whether the queue is held: nothing is taken from it."""
        return not self._running.is_set()

    def hold(self, held: bool) -> None:
        """Hold the queue, or let it go on. A batch that was taken already is finished.

        When this returns, nothing more is taken from a held queue, not even for that batch.
        """
        if held:
            with self._receiving:
                self._running.clear()
        else:
            self._running.set()

    def start(self) -> None:
        """Poll in the background from now on."""
        self._thread.start()

    def stop(self, patience: float = 5.0) -> None:
        """Take nothing more, and wait a moment for the batches that are being worked on."""
        self._stopped.set()
        self._running.set()
        end = time.monotonic() + patience
        if self._thread.is_alive():
            self._thread.join(patience)
        for _ in range(CONCURRENT_BATCHES):
            self._slots.acquire(timeout=max(0.0, end - time.monotonic()))

    def take(self) -> list[Message]:
        """A batch: up to the mapping's size, gathered until its window after the first is over."""
        batch = self._receive(self._mapping.batch_size)
        end = time.monotonic() + self._mapping.window_seconds
        while 0 < len(batch) < self._mapping.batch_size and not self._stopped.is_set():
            if self.held or (left := end - time.monotonic()) <= 0:
                break
            self._stopped.wait(min(IDLE_SECONDS, left))
            batch += self._receive(self._mapping.batch_size - len(batch))
        return batch

    def deliver(self, batch: Sequence[Message]) -> None:
        """Give a batch to the function and delete what it did; the rest comes again by itself."""
        records = [sqs_record(message, self._data) for message in batch]
        try:
            result = self._lambdas.call(self._mapping.function, {"Records": records})
        except (FunctionFailed, TimeoutError) as error:
            why = "it took too long" if isinstance(error, TimeoutError) else error
            _log.error("%s failed on %d records: %s", self._mapping.function.name, len(batch), why)
            return
        ids = {message["MessageId"] for message in batch}
        failed = failures(result, ids) if self._mapping.partial_failures else set()
        if failed:
            _log.warning("%d of %d records failed and will come again", len(failed), len(batch))
        self._delete([message for message in batch if message["MessageId"] not in failed])

    def counts(self) -> dict[str, dict[str, int]]:
        """How many messages wait and are being worked on, in the queue and among the dead."""
        return {
            "queue": self._counts(self._data.queue_url),
            "dead_letter_queue": self._counts(self._data.dead_queue_url),
        }

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._running.wait()
            try:
                self._poll()
            except (BotoCoreError, ClientError, OSError) as error:
                _log.error("can't poll the job queue: %s", error)
                self._stopped.wait(_AFTER_AN_ERROR_SECONDS)

    def _poll(self) -> None:
        if not self._slots.acquire(timeout=IDLE_SECONDS):
            return
        batch: list[Message] = []
        try:
            if not self._stopped.is_set():
                batch = self.take()
        finally:
            if not batch:
                self._slots.release()
        if batch:
            threading.Thread(target=self._work, args=(batch,), name="batch", daemon=True).start()
        else:
            self._stopped.wait(IDLE_SECONDS)

    def _work(self, batch: list[Message]) -> None:
        try:
            self.deliver(batch)
        except (BotoCoreError, ClientError, OSError) as error:
            _log.error("can't delete finished messages, they will come again: %s", error)
        finally:
            self._slots.release()

    def _receive(self, count: int) -> list[Message]:
        with self._receiving:
            if self.held:
                return []
            reply = self._sqs.receive_message(
                QueueUrl=self._data.queue_url,
                MaxNumberOfMessages=min(count, 10),
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
                WaitTimeSeconds=0,
            )
        messages: list[Message] = reply.get("Messages", [])
        return messages

    def _delete(self, messages: Sequence[Message]) -> None:
        if messages:
            entries = [
                {"Id": str(n), "ReceiptHandle": message["ReceiptHandle"]}
                for n, message in enumerate(messages)
            ]
            self._sqs.delete_message_batch(QueueUrl=self._data.queue_url, Entries=entries)

    def _counts(self, url: str) -> dict[str, int]:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        reply = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)
        visible, in_flight = (int(reply["Attributes"][name]) for name in names)
        return {"visible": visible, "in_flight": in_flight}


def failures(result: Any, ids: set[str]) -> set[str]:
    """The message ids that a function's answer leaves undone.

    Nothing, `{}` and an empty or null list mean that all are done. Anything that isn't an
    answer, an empty or missing identifier and one that isn't of the batch fail all of them.
    """
    if result is None or result == {}:
        return set()
    if not isinstance(result, dict) or "batchItemFailures" not in result:
        return ids
    listed = result["batchItemFailures"]
    if listed is None:
        return set()
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        return ids
    named = [entry.get("itemIdentifier") for entry in listed]
    return set(named) if all(isinstance(n, str) and n in ids for n in named) else ids


def sqs_record(message: Message, data: Data) -> dict[str, Any]:
    """A received message as a record of Lambda's SQS event."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": {k: str(v) for k, v in message.get("Attributes", {}).items()},
        "messageAttributes": {
            name: _message_attribute(value)
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": data.queue_arn,
        "awsRegion": data.region,
    }


def _message_attribute(value: dict[str, Any]) -> dict[str, Any]:
    named = {"StringValue": "stringValue", "BinaryValue": "binaryValue"}
    found = {ours: value[theirs] for theirs, ours in named.items() if theirs in value}
    return found | {"stringListValues": [], "binaryListValues": [], "dataType": value["DataType"]}
