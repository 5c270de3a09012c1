"""Whether what a path names is the caller's; asked first when a request is invalid."""

from collections.abc import Mapping

from strandline.runtime import runtime
from strandline.store import hiding


def owns(account: str, named: Mapping[str, str]) -> None:
    """Raises NotFound when the memory is missing or foreign, ContentDeleted when it's gone."""
    if "memory_id" in named:
        now = runtime()
        hiding.readable(now.table, account, named["memory_id"], now.clock())
