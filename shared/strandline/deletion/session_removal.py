"""Erasing deleted sessions and spaces: memories first, then turns, then deletion marks."""

from collections.abc import Sequence

from strandline import keys
from strandline.deletion.erasure import Erasure, delete_items, remaining_pages
from strandline.deletion.memory_removal import erase_turns
from strandline.errors import NotFound, StorageBusy
from strandline.memories.visibility import hide_sessions, turns_of_sessions
from strandline.models.job import JobKind
from strandline.queries import Query
from strandline.store import job_transitions, jobs
from strandline.store.conversations import sessions, turns
from strandline.writes import delete

SESSIONS_PER_TRANSACTION = 24
"""Hiding a session takes four writes, and a transaction holds a hundred with the counter's."""
CITATIONS_PER_PAGE = 8
ITEMS_PER_PAGE = 25
_ATTEMPTS = 10
_REASON = "the session was deleted"


def erase_space(erasure: Erasure, space_id: str) -> bool:
    """Erases a space with its sessions and checkpoints; whether it finished."""
    members = sorted(sessions.session_ids_of_space(erasure.table, erasure.account, space_id))
    _hide_members(erasure, members)
    if not all(erase_session(erasure, session_id, space_id) for session_id in members):
        return False
    if not _remove_checkpoints(erasure, space_id):
        return False
    erasure.table.write(delete(keys.space(erasure.account, space_id)))
    return True


def erase_session(erasure: Erasure, session_id: str, space_id: str | None = None) -> bool:
    """Erases a session and what only it supports; whether it finished.

    `space_id` names the space it belonged to, where the session's own item is gone already.
    """
    table, account = erasure.table, erasure.account
    session = table.get(keys.session(account, session_id))
    space_id = space_id or (session or {}).get("space_id")
    _cancel_open_jobs(erasure, session_id)
    if not _remove_contents(erasure, session_id):
        return False
    last = [keys.session(account, session_id), keys.deletion_mark(account, session_id)]
    if space_id:
        last.insert(0, keys.space_member(account, space_id, session_id))
    # One by one and in this order: the deletion mark hides what is left, so it goes last.
    for key in last:
        table.write(delete(key))
    return True


def _hide_members(erasure: Erasure, members: Sequence[str]) -> None:
    """Hides every session of a space before any is erased, without regard to the deadline.

    Once the deletion is answered, all of it must be hidden; only erasing may wait.
    """
    for start in range(0, len(members), SESSIONS_PER_TRANSACTION):
        _hide_live_sessions(erasure, members[start : start + SESSIONS_PER_TRANSACTION])


def _hide_live_sessions(erasure: Erasure, session_ids: Sequence[str]) -> None:
    """Hides those sessions that aren't hidden yet; retries when one is deleted concurrently."""
    table, account, at = erasure.table, erasure.account, erasure.clock()
    wanted = [keys.session(account, session_id) for session_id in session_ids]
    for _ in range(_ATTEMPTS):
        found = table.get_many(wanted).items()
        live = [key.sk.removeprefix("SESSION#") for key, i in found if "deleted_at" not in i]
        try:
            if live:
                hide_sessions(table, account, live, at, ())
            return
        except NotFound:
            continue
    raise StorageBusy


def _cancel_open_jobs(erasure: Erasure, session_id: str) -> None:
    table, account = erasure.table, erasure.account
    waiting = [
        job.job_id
        for job in jobs.open_jobs(table, account)
        if job.session_id == session_id and job.kind is not JobKind.DELETION
    ]
    job_transitions.cancel(table, account, waiting, _REASON, erasure.clock())


def _remove_contents(erasure: Erasure, session_id: str) -> bool:
    """Removes what is in a session's partition; whether it finished.

    One read shows whether the partition is empty, as it is for many sessions of a big space.
    """
    partition = keys.session_partition(erasure.account, session_id)
    if not erasure.table.page(Query(partition), limit=1).items:
        return True
    return _erase_from_memories(erasure, session_id) and _remove_turns(erasure, session_id)


def _erase_from_memories(erasure: Erasure, session_id: str) -> bool:
    """Takes the session's turns out of every memory that cites them; whether it finished."""
    partition = keys.session_partition(erasure.account, session_id)
    for items in remaining_pages(erasure, partition, "CITED#", CITATIONS_PER_PAGE):
        if items is None:
            return False
        memory_ids = {item["memory_id"] for item in items}
        erase_turns(erasure, memory_ids, turns_of_sessions({session_id}))
        delete_items(erasure, items)
    return True


def _remove_turns(erasure: Erasure, session_id: str) -> bool:
    """Removes receipts, notes, versions and turns; whether it finished.

    Receipts and earlier versions name the jobs whose results hold words of the session.
    """
    account = erasure.account
    partition = keys.session_partition(account, session_id)
    for prefix in ("RECEIPT#", "NOTE#", "WAS#", "EXPIRED#", "TURN#"):
        for items in remaining_pages(erasure, partition, prefix, ITEMS_PER_PAGE):
            if items is None:
                return False
            job_ids = [item[turns.JOB] for item in items if turns.JOB in item]
            job_transitions.cancel(erasure.table, account, job_ids, _REASON, erasure.clock())
            delete_items(erasure, items)
    return True


def _remove_checkpoints(erasure: Erasure, space_id: str) -> bool:
    """Removes a space's checkpoints with their notes; whether it finished.

    The lineage node goes last: a checkpoint is found by it.
    """
    account = erasure.account
    partition = keys.lineage_node(account, space_id, "").pk
    for items in remaining_pages(erasure, partition, "CHECKPOINT#", ITEMS_PER_PAGE):
        if items is None:
            return False
        for item in items:
            notes = erasure.table.all(Query(keys.checkpoint_note(account, item["id"], "").pk))
            delete_items(erasure, list(notes))
        erasure.table.delete_many(keys.checkpoint(account, item["id"]) for item in items)
        delete_items(erasure, items)
    return True
