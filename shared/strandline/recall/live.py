"""The account's index as this process keeps it."""

from strandline.recall.cache import refresh
from strandline.recall.index import AccountIndex
from strandline.runtime import Runtime
from strandline.store import vectors


def current_index(runtime: Runtime, account: str) -> AccountIndex:
    """The account's index, brought up to date: a warm process reads only what changed."""
    return refresh(
        runtime.indexes,
        account,
        lambda change: vectors.read_after(runtime.table, account, change),
        runtime.clock(),
    )
