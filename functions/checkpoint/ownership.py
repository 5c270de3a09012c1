"""Checks that the ids in a path are the caller's; runs first when a request is invalid."""

from collections.abc import Mapping

from strandline.runtime import runtime
from strandline.store.conversations import checkpoints, sessions, spaces


def check_ownership(account: str, ids: Mapping[str, str]) -> None:
    """Raises NotFound when something the path names is missing or foreign.

    `ids` are the path's parameters by name.
    """
    table = runtime().table
    if "session_id" in ids:
        sessions.get(table, account, ids["session_id"])
    if "space_id" in ids:
        spaces.get(table, account, ids["space_id"])
    if "checkpoint_id" in ids:
        checkpoints.get(table, account, ids["checkpoint_id"])
