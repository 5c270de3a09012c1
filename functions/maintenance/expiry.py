"""Retention jobs: they remove an account's expired turns and memories from storage.

Reads leave expired items out already. A turn's attachments are removed before its content, and a
memory's oldest revisions before its head, so that the next run finds an interrupted removal.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from strandline import ids, keys
from strandline.clock import Deadline
from strandline.deletion.erasure import Erasure
from strandline.deletion.turn_removal import remove_turn_attachments
from strandline.dependencies import Dependencies
from strandline.memories import contradictions, memory_deletion
from strandline.memories.tombstones import Expiry
from strandline.memories.transaction import apply_changes
from strandline.models.job import Job, JobState
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.retention import RetentionRule
from strandline.queries import Query
from strandline.store import job_transitions, jobs
from strandline.store.accounts import profiles
from strandline.store.conversations import sessions, turn_versions, turns
from strandline.store.job_transitions import JobEnd, JobRetry
from strandline.store.memories import memory_heads, memory_revisions
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, delete

RUN_INTERVAL = timedelta(days=1)
SECONDS_PER_RUN = 20.0
"""One account's share of a run of the maintenance function, in seconds."""
ITEMS_PER_READ = 100
TURNS_PER_READ = 25
REVISIONS_PER_TRANSACTION = 30
"""A transaction takes 100 writes, and a revision needs two."""
_REASON = "the exchange has expired"


def run_retention_job(deps: Dependencies, account: str, job: Job, deadline: Deadline) -> bool:
    """Works on a retention job and returns whether it is done. Skips a job leased by another.

    A job that is done creates the next one, due a day later, if the account still has a retention.
    """
    table, at = deps.table, deps.clock()
    seconds = min(SECONDS_PER_RUN, deadline.remaining())
    lease = ids.new_id("lea", at)
    until = at + timedelta(seconds=seconds + 5)
    try:
        table.write(job_transitions.claim_write(account, job, lease, at, until))
    except ConditionFailed:
        return False
    job = job.model_copy(update={"lease": lease})
    erasure = Erasure(table, account, deps.clock, Deadline.after(seconds))
    remaining = _remove_expired(erasure, job.place or sessions.PREFIX)
    try:
        if remaining is None:
            _end_job(table, account, job, deps.clock())
        else:
            table.write(job_transitions.progress_write(account, job, remaining))
            now = deps.clock()
            retry = JobRetry("not finished yet", now)
            job_transitions.release(table, account, job, retry, now)
    except ConditionFailed:
        # The lease ran out and someone else has taken over.
        return False
    return remaining is None


def _end_job(table: Table, account: str, job: Job, at: datetime) -> None:
    """Ends the job and creates the next. Raises ConditionFailed when the lease was lost."""
    retention = profiles.get_retention(table, account)
    ending = job_transitions.end_writes(account, job, JobEnd(JobState.DONE, None, job.result), at)
    if not retention.expires_anything or retention.job_id != job.id:
        table.transact(ending)
        return
    next_job = profiles.new_retention_job(at)
    after = retention.model_copy(update={"job_id": next_job.id})
    following = [
        profiles.retention_write(account, retention, after),
        *jobs.creation_writes(account, next_job, at + RUN_INTERVAL),
    ]
    try:
        table.transact([*ending, *following])
    except ConditionFailed as failure:
        if 0 in failure.failed:
            raise
        # The retention was changed meanwhile, which created a job of its own.
        table.transact(ending)


def _remove_expired(erasure: Erasure, position: str) -> str | None:
    """Removes what has expired from a sort key on; returns where to continue, None at the end."""
    retention = profiles.get_retention(erasure.table, erasure.account)
    if position.startswith(sessions.PREFIX):
        remaining = _remove_turns(erasure, retention.turns, position)
        if remaining is not None:
            return remaining
        position = memory_heads.PREFIX
    return _remove_memories(erasure, retention.memories, position)


def _remove_turns(erasure: Erasure, rule: RetentionRule, position: str) -> str | None:
    if rule.horizon(erasure.clock()) is None:
        return None
    first = keys.session(erasure.account, "")
    for item in _items_after(erasure.table, first.pk, (first.sk, f"{first.sk}~"), position):
        if not erasure.has_time():
            return position
        if "deleted_at" not in item and not _remove_session_turns(erasure, item["id"], rule):
            return position
        position = item["sk"]
    return None


def _remove_session_turns(erasure: Erasure, session_id: str, rule: RetentionRule) -> bool:
    """Removes a session's expired turns, oldest first; returns whether there was time for all."""
    partition, at = keys.session_partition(erasure.account, session_id), erasure.clock()
    turns_of_session = Query(partition, prefix="TURN#")
    after: str | None = None
    while True:
        page = erasure.table.page(turns_of_session, after=after, limit=TURNS_PER_READ)
        gone = [item for item in page.items if turns.is_gone(item, rule, at)]
        for item in gone:
            expired = turns.expired_at(item, rule, at)
            if expired is None or turns.is_deleted(item):
                continue
            if not erasure.has_time():
                return False
            _remove_turn(erasure, item, expired)
        after = page.last
        if after is None or not gone:
            return True


def _remove_turn(erasure: Erasure, item: Item, expired: datetime) -> None:
    account, session_id = erasure.account, item["session_id"]
    number = int(item["sequence_number"])
    remove_turn_attachments(erasure, session_id, number, _REASON)
    erasure.table.write(delete(keys.receipt(account, session_id, number)))
    session_exists = sessions.exists_check(account, session_id)
    try:
        erasure.table.transact(
            [*turn_versions.expiry_writes(account, item, expired), session_exists]
        )
    except ConditionFailed:
        # The turn or its session was deleted meanwhile.
        return


def _remove_memories(erasure: Erasure, rule: RetentionRule, position: str) -> str | None:
    at = erasure.clock()
    horizon = rule.horizon(at)
    if horizon is None:
        return None
    # No memory was updated before it was created, so later ids can't have expired.
    last = keys.memory(erasure.account, ids.last_id("mem", horizon))
    for item in _items_after(erasure.table, last.pk, (memory_heads.PREFIX, last.sk), position):
        if not erasure.has_time():
            return position
        found = memory_heads.head_from_item(item)
        if isinstance(found, Head) and found.status.withheld_since is None:
            expired = memory_heads.expired_at(found, rule, at)
            if expired is not None:
                _remove_memory(erasure, found, expired)
        position = item["sk"]
    return None


def _remove_memory(erasure: Erasure, head: Head, expired: datetime) -> None:
    """Removes a memory's content; references to it stay, and so does the index of them."""
    table, account, memory_id = erasure.table, erasure.account, head.memory.id
    revisions = memory_revisions.list_all(table, account, memory_id)
    memory_deletion.remove_revision_content(table, account, revisions[:-REVISIONS_PER_TRANSACTION])
    last_keys = [
        key
        for each in revisions[-REVISIONS_PER_TRANSACTION:]
        for key in memory_deletion.content_keys(account, each)
    ]
    end = Expiry(head, expired, memory_deletion.all_citations([*revisions, head.memory]))
    try:
        others, checks = contradictions.changes_on_expiry(table, account, head)
        other_writes = [*checks, *(delete(key) for key in last_keys)]
        apply_changes(table, account, [end, *others], erasure.clock(), other_writes)
    except (HeadChanged, ConditionFailed):
        # The memory was changed meanwhile; the next run looks at it again.
        return


def _items_after(table: Table, pk: str, between: tuple[str, str], position: str) -> Iterator[Item]:
    """Yields the items of a range of sort keys that come after one of them."""
    after: str | None = position if position != between[0] else None
    while True:
        page = table.page(Query(pk, between=between), after=after, limit=ITEMS_PER_READ)
        yield from page.items
        after = page.last
        if after is None:
            return
