"""Sending stored jobs to the queue; the maintenance function resends what fails here."""

from collections.abc import Iterable

from strandline.dependencies import Dependencies
from strandline.errors import StorageBusy
from strandline.observability import logger, metric


def send_jobs(deps: Dependencies, account: str, job_ids: Iterable[str]) -> None:
    """Sends jobs concurrently. A failure is only logged, because the jobs are stored already."""

    def send(job_id: str) -> None:
        try:
            deps.queue.send(account, job_id)
        except StorageBusy as error:
            logger.error("job not sent", extra={"job_id": job_id, "reason": error.message})
            metric("JobNotSent")

    for _ in deps.threads.map(send, job_ids):
        pass
