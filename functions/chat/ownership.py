"""Ownership check: whether what a path names exists and belongs to the caller."""

from collections.abc import Mapping

from strandline.memories import visibility
from strandline.runtime import runtime
from strandline.store import jobs
from strandline.store.conversations import sessions, spaces, turns


def check_ownership(account: str, path_parameters: Mapping[str, str]) -> None:
    """Raises NotFound for anything missing or foreign, ContentDeleted for anything deleted."""
    deps = runtime()
    if "session_id" in path_parameters:
        sessions.get(deps.table, account, path_parameters["session_id"])
    if "turn_id" in path_parameters:
        turns.get(deps.table, account, path_parameters["turn_id"], deps.clock())
    if "space_id" in path_parameters:
        spaces.get(deps.table, account, path_parameters["space_id"])
    if "memory_id" in path_parameters:
        visibility.get_visible_head(deps.table, account, path_parameters["memory_id"], deps.clock())
    if "job_id" in path_parameters:
        jobs.get(deps.table, account, path_parameters["job_id"])
