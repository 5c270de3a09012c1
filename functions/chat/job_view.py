"""Jobs as clients read them: their state and result."""

from strandline import ids
from strandline.dependencies import Dependencies
from strandline.memories import visibility
from strandline.models.job import Dropped, Job, JobResult, JobView
from strandline.store import jobs
from strandline.store.conversations import turns


def read_job_view(deps: Dependencies, account: str, job_id: str) -> JobView:
    """Returns a job without quotes of turns that are gone. Raises NotFound."""
    job = jobs.get(deps.table, account, job_id)
    fields = {name: getattr(job, name) for name in JobView.model_fields}
    return JobView(**fields | {"result": _visible_result(deps, account, job)})


def _visible_result(deps: Dependencies, account: str, job: Job) -> JobResult:
    quotes = job.session_id is not None and any(each.text for each in job.result.dropped)
    if not quotes:
        return job.result
    exchange = [
        ids.turn_id(job.session_id or "", number)
        for number in (job.sequence_number, job.sequence_number + 1)
    ]
    there = turns.get_many(deps.table, account, exchange, deps.clock())
    erased = visibility.sessions_being_deleted(deps.table, account)
    if len(there) == len(exchange) and job.session_id not in erased:
        return job.result
    dropped = tuple(Dropped(text="", reason=each.reason) for each in job.result.dropped)
    return job.result.model_copy(update={"dropped": dropped})
