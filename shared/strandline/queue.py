"""Access to SQS. Messages hold ids only."""

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from strandline.errors import StorageBusy
from strandline.keys import account_part


class Queue:
    """The queue of background jobs."""

    def __init__(self, client: Any, url: str) -> None:
        """Wraps the queue at `url`; `client` is a boto3 SQS client."""
        self._client = client
        self._url = url

    def send(self, account: str, job_id: str) -> None:
        """Sends a job to the workers. Raises StorageBusy if the queue doesn't accept it."""
        body = json.dumps({"account": account, "job_id": job_id})
        try:
            # Message groups make a standard queue fair: a busy account doesn't delay the others.
            self._client.send_message(
                QueueUrl=self._url, MessageBody=body, MessageGroupId=_group(account)
            )
        except (ClientError, BotoCoreError) as error:
            raise StorageBusy("The queue did not take the job.") from error

    def postpone(self, receipt_handle: str, seconds: int) -> None:
        """Makes a received message visible again after `seconds` (0 to 43,200).

        Raises StorageBusy if the queue doesn't accept it.
        """
        try:
            self._client.change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
            )
        except (ClientError, BotoCoreError) as error:
            raise StorageBusy("The queue did not postpone the message.") from error


def _group(account: str) -> str:
    """Returns an account's message group id: at most 128 ASCII letters, digits and marks."""
    return account_part(account)[-128:]
