"""The account's recall index, cached in this process."""

from strandline.dependencies import Dependencies
from strandline.models.retention import Retention
from strandline.recall.account_index import AccountIndex
from strandline.recall.index_cache import refresh_index
from strandline.store.accounts import profiles
from strandline.store.memories import vector_log


def current_index(
    deps: Dependencies, account: str, retention: Retention | None = None
) -> AccountIndex:
    """Returns the account's index, up to date; a warm process reads only new log records.

    `retention` is the account's, if the caller has read it already.
    """
    kept = retention or profiles.get_retention(deps.table, account)
    return refresh_index(
        deps.indexes,
        account,
        lambda change: vector_log.read_after(deps.table, account, change),
        deps.clock(),
        kept.memories.horizon(deps.clock()),
    )
