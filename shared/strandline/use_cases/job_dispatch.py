"""Handing stored jobs to the queue: a job that isn't taken now, the maintenance function sends."""

from collections.abc import Iterable

from strandline.dependencies import Dependencies
from strandline.errors import StorageBusy
from strandline.observability import logger, metric


def send_jobs(deps: Dependencies, account: str, job_ids: Iterable[str]) -> None:
    """Send those jobs side by side; what made them is stored, so that a failure is only told."""

    def one(job_id: str) -> None:
        try:
            deps.queue.send(account, job_id)
        except StorageBusy as error:
            logger.error("job not sent", extra={"job_id": job_id, "reason": error.message})
            metric("JobNotSent")

    for _ in deps.threads.map(one, job_ids):
        pass
