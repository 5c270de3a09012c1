"""Claims a job: takes its lease, and counts the memories its answer used."""

from collections.abc import Sequence
from datetime import timedelta

from functions.extract.outcome import Postponed
from strandline import ids, keys
from strandline.dependencies import Dependencies
from strandline.models.base import rfc3339
from strandline.models.job import Job, JobState
from strandline.models.receipt import Receipt
from strandline.store import job_transitions
from strandline.table import ConditionFailed
from strandline.writes import Write, update


def claim_job(deps: Dependencies, account: str, job: Job, uses: Sequence[Write]) -> Job:
    """Takes the lease of a job, in one transaction with `uses`; returns the running job.

    Raises Postponed when another worker has it.
    """
    at = deps.clock()
    lease = ids.new_id("lea", at)
    lease_until = at + timedelta(seconds=deps.settings.job_lease_seconds)
    while True:
        try:
            claim = job_transitions.claim_write(account, job, lease, at, lease_until)
            deps.table.transact([claim, *uses])
            break
        except ConditionFailed as failure:
            if 0 in failure.failed:
                raise Postponed(2, "another worker has the job") from None
            # A memory deleted since then is not counted; counting must not create it anew.
            uses = [use for n, use in enumerate(uses, start=1) if n not in failure.failed]
    changed = {"state": JobState.RUNNING, "lease": lease, "attempts": job.attempts + 1}
    return job.model_copy(update=changed)


def usage_writes(account: str, receipt: Receipt) -> list[Write]:
    """Returns the writes that count one use of each memory of a prompt.

    They go with the first claim of a job, and only with that.
    """
    return [
        update(
            keys.memory_usage(account, memory_id),
            "SET last_accessed_at = :at ADD access_count :one",
            values={":at": rfc3339(receipt.created_at), ":one": 1},
        )
        for memory_id in receipt.prompt_order
    ]
