"""The one door to SQS. Messages hold ids only."""

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from strandline.errors import StorageBusy
from strandline.keys import account_part


class Queue:
    """The job queue."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, account: str, job_id: str) -> None:
        """Hand a job to the workers. Raises StorageBusy when the queue doesn't take it."""
        body = json.dumps({"account": account, "job_id": job_id})
        try:
            # The group makes a fair queue of a standard one: a busy account doesn't starve others.
            self._client.send_message(
                QueueUrl=self._url, MessageBody=body, MessageGroupId=_group(account)
            )
        except (ClientError, BotoCoreError) as error:
            raise StorageBusy("The queue did not take the job.") from error

    def postpone(self, receipt_handle: str, seconds: int) -> None:
        """Let a received message come back after `seconds` instead of the queue's own time-out."""
        try:
            self._client.change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
            )
        except (ClientError, BotoCoreError) as error:
            raise StorageBusy("The queue did not postpone the message.") from error


def _group(account: str) -> str:
    """A message group id takes 128 characters of ASCII letters, digits and punctuation."""
    return account_part(account)[-128:]
