"""The account's index as this process keeps it."""

from strandline.recall.cache import refresh
from strandline.recall.index import AccountIndex
from strandline.retention import Retention
from strandline.runtime import Runtime
from strandline.store import profiles, vectors


def current_index(
    runtime: Runtime, account: str, retention: Retention | None = None
) -> AccountIndex:
    """The account's index, brought up to date: a warm process reads only what changed.

    `retention` is how long content is kept, where that was read already.
    """
    kept = retention or profiles.retention(runtime.table, account)
    return refresh(
        runtime.indexes,
        account,
        lambda change: vectors.read_after(runtime.table, account, change),
        runtime.clock(),
        kept.memories.horizon(runtime.clock()),
    )
