"""Ownership check: whether what a path names exists and belongs to the caller."""

from collections.abc import Mapping

from strandline.memories import visibility
from strandline.runtime import runtime


def check_ownership(account: str, path_parameters: Mapping[str, str]) -> None:
    """Raises NotFound for a missing or foreign memory, ContentDeleted for a deleted one."""
    if "memory_id" in path_parameters:
        deps = runtime()
        memory_id = path_parameters["memory_id"]
        visibility.get_visible_head(deps.table, account, memory_id, deps.clock())
