"""Erasing a deleted turn: its place in memories, its notes, its versions, its jobs' results."""

from strandline import ids, keys
from strandline.deletion.erasure import Erasure, delete_items, remaining_pages
from strandline.deletion.memory_removal import erase_turns
from strandline.queries import Query
from strandline.store import job_transitions
from strandline.store.conversations import turn_versions, turns

CITATIONS_PER_PAGE = 8


def erase_turn(erasure: Erasure, session_id: str, number: int) -> bool:
    """Erases a deleted turn from memories, notes, versions and jobs; whether it finished."""
    partition = keys.session_partition(erasure.account, session_id)
    turn_id = ids.turn_id(session_id, number)
    cited = keys.citation(erasure.account, session_id, number, "").sk
    for items in remaining_pages(erasure, partition, cited, CITATIONS_PER_PAGE):
        if items is None:
            return False
        erase_turns(erasure, {item["memory_id"] for item in items}, lambda each: each == turn_id)
        delete_items(erasure, items)
    remove_turn_attachments(erasure, session_id, number, "a turn of the exchange was deleted")
    return True


def remove_turn_attachments(erasure: Erasure, session_id: str, number: int, reason: str) -> None:
    """Removes a turn's notes and earlier versions, and its words from the results of its jobs.

    Unfinished jobs of the exchange are cancelled with `reason`.
    """
    _cancel_exchange_jobs(erasure, session_id, number, reason)
    partition = keys.session_partition(erasure.account, session_id)
    prefixes = (
        keys.note(erasure.account, session_id, number, "").sk,
        turn_versions.earlier_prefix(number),
    )
    for prefix in prefixes:
        delete_items(erasure, list(erasure.table.all(Query(partition, prefix))))


def _cancel_exchange_jobs(erasure: Erasure, session_id: str, number: int, reason: str) -> None:
    """Cancels the jobs that the exchange's receipt and earlier turn versions name."""
    table, account = erasure.table, erasure.account
    question = turns.question_number(number)
    receipt = table.get(keys.receipt(account, session_id, question + 1))
    items = [] if receipt is None else [receipt]
    partition = keys.session_partition(account, session_id)
    for each in (question, question + 1):
        items += table.all(Query(partition, turn_versions.earlier_prefix(each)))
    job_ids = [item[turns.JOB] for item in items if turns.JOB in item]
    job_transitions.cancel(table, account, job_ids, reason, erasure.clock())
