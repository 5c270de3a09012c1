"""Whether what a path names is the caller's; asked first when a request is invalid."""

from collections.abc import Mapping

from strandline.runtime import runtime
from strandline.store.conversations import checkpoints, sessions, spaces


def owns(account: str, named: Mapping[str, str]) -> None:
    """Raises NotFound when something the path names is missing or foreign."""
    table = runtime().table
    if "session_id" in named:
        sessions.get(table, account, named["session_id"])
    if "space_id" in named:
        spaces.get(table, account, named["space_id"])
    if "checkpoint_id" in named:
        checkpoints.get(table, account, named["checkpoint_id"])
