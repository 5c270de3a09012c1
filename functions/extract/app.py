"""The extract function's handler: jobs from the queue, each record on its own."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from functions.extract import worker
from functions.extract.outcome import Postponed
from functions.extract.worker import GivenUp
from strandline.api.body import parse_json
from strandline.clock import Deadline
from strandline.errors import Invalid, StorageBusy
from strandline.observability import logger, metric
from strandline.runtime import runtime

SECONDS_TO_STORE = 5.0


class NotAJob(Exception):
    """A message that names no job; it goes to the dead-letter queue as it is."""


def handler(event: Mapping[str, Any], context: Any) -> Any:
    """Work on a batch; what failed is reported record by record and comes back later."""
    left = context.get_remaining_time_in_millis() / 1000 - SECONDS_TO_STORE
    until = Deadline.after(left)
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    return process_partial_response(
        event=dict(event),
        record_handler=lambda record: _one(record, until),
        processor=processor,
        context=context,
    )


def _one(record: SQSRecord, until: Deadline) -> None:
    try:
        account, job_id = _named(record.body)
        worker.work(runtime(), account, job_id, until)
    except Postponed as later:
        _postpone(record, later.seconds)
        raise
    except (GivenUp, NotAJob):
        _postpone(record, 1)
        raise


def _named(text: str) -> tuple[str, str]:
    try:
        body = parse_json(text)
    except Invalid as error:
        body = error
    if isinstance(body, dict):
        account, job_id = body.get("account"), body.get("job_id")
        if isinstance(account, str) and account and isinstance(job_id, str) and job_id:
            return account, job_id
    logger.error("message names no job")
    metric("MessageUnreadable")
    raise NotAJob


def _postpone(record: SQSRecord, seconds: int) -> None:
    """Without this the message comes back after the queue's own, much longer, time-out."""
    try:
        runtime().queue.postpone(record.receipt_handle, seconds)
    except StorageBusy as error:
        logger.warning("message not postponed", extra={"reason": error.message})
