"""Whether what a path names is the caller's; asked first when a request is invalid."""

from collections.abc import Mapping

from strandline.memories import visibility
from strandline.runtime import runtime
from strandline.store import jobs
from strandline.store.conversations import sessions, spaces, turns


def owns(account: str, named: Mapping[str, str]) -> None:
    """Raises NotFound when something the path names is missing or foreign."""
    now = runtime()
    if "session_id" in named:
        sessions.get(now.table, account, named["session_id"])
    if "turn_id" in named:
        turns.get(now.table, account, named["turn_id"], now.clock())
    if "space_id" in named:
        spaces.get(now.table, account, named["space_id"])
    if "memory_id" in named:
        visibility.get_visible_head(now.table, account, named["memory_id"], now.clock())
    if "job_id" in named:
        jobs.get(now.table, account, named["job_id"])
