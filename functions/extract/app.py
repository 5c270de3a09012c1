"""The extract function's handler: takes jobs from the queue, each record on its own."""

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
from functions.extract.worker import JobFailed
from strandline.api.body import parse_json
from strandline.clock import Deadline
from strandline.errors import Invalid, StorageBusy
from strandline.observability import logger, metric
from strandline.runtime import runtime

RESERVED_SECONDS = 5.0
"""Kept back from the function's time-out, to store what the last job came to."""


class UnreadableMessage(Exception):
    """The message names no job; it goes to the dead-letter queue unchanged."""


def handler(event: Mapping[str, Any], context: Any) -> Any:
    """Processes a batch of records; returns the failed ones, which the queue delivers again."""
    seconds = context.get_remaining_time_in_millis() / 1000 - RESERVED_SECONDS
    deadline = Deadline.after(seconds)
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    return process_partial_response(
        event=dict(event),
        record_handler=lambda record: _process_record(record, deadline),
        processor=processor,
        context=context,
    )


def _process_record(record: SQSRecord, deadline: Deadline) -> None:
    try:
        account, job_id = _parse_message(record.body)
        worker.process_job(runtime(), account, job_id, deadline)
    except Postponed as postponed:
        _set_visibility_timeout(record, postponed.seconds)
        raise
    except (JobFailed, UnreadableMessage):
        _set_visibility_timeout(record, 1)
        raise


def _parse_message(text: str) -> tuple[str, str]:
    """Returns the account and the job id of a message. Raises UnreadableMessage."""
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
    raise UnreadableMessage


def _set_visibility_timeout(record: SQSRecord, seconds: int) -> None:
    """Brings the message back sooner than the queue's own, much longer, time-out would."""
    try:
        runtime().queue.postpone(record.receipt_handle, seconds)
    except StorageBusy as error:
        logger.warning("message not postponed", extra={"reason": error.message})
