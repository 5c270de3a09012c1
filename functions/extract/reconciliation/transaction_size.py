"""Which changes of one exchange go into the transaction that ends its job."""

from collections.abc import Collection, Sequence
from datetime import datetime

from strandline.memories.transaction import NewRevision, StatusChange, count_writes
from strandline.writes import MAX_TRANSACTION_ITEMS

NO_ROOM = "too much else of the exchange changes what is known"
_BESIDE = 5
"""The session's being there, the job's end and its mark, and the two turns."""
_FOLLOWING = 2
"""A job, and its mark, for what refers to a memory that changes."""


def changes_that_fit(
    account: str,
    changes: Sequence[NewRevision],
    flagging: Sequence[StatusChange],
    followed: Collection[str],
    at: datetime,
) -> list[NewRevision]:
    """Those of the changes that fit beside each other, the first ones first.

    A challenge comes before the others, for what it challenges is flagged with it. `followed` are
    the memories whose change makes a job necessary.
    """
    kept = [change for change in changes if change.memory.challenges is not None]
    for change in changes:
        if change in kept:
            continue
        several = [*kept, change]
        jobs = sum(each.memory.id in followed for each in several)
        writes = count_writes(account, [*several, *flagging], at) + _FOLLOWING * jobs
        if writes + _BESIDE <= MAX_TRANSACTION_ITEMS:
            kept.append(change)
    return [change for change in changes if change in kept]
