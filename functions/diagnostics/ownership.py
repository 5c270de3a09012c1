"""Whether what a path names is the caller's; asked first when a request is invalid."""

from collections.abc import Mapping

from strandline.memories import visibility
from strandline.runtime import runtime


def owns(account: str, named: Mapping[str, str]) -> None:
    """Raises NotFound when the memory is missing or foreign, ContentDeleted when it's gone."""
    if "memory_id" in named:
        now = runtime()
        visibility.get_visible_head(now.table, account, named["memory_id"], now.clock())
