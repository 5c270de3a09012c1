"""The primary keys of the table. All keys are made here; the list shows the whole database.

Every partition key begins with its account (`A#{account}`), so that IAM's leading-keys condition
can separate accounts. `#` separates the parts of a key: it never occurs in an id or an encoded
account.

| item | pk | sk | read by |
|---|---|---|---|
| profile, change counter | A#{account} | PROFILE | get |
| space | A#{account} | SPACE#{space} | get; list by prefix |
| session | A#{account} | SESSION#{session} | get; list by prefix |
| deletion mark | A#{account} | DELETING#{session} | list: sessions being removed |
| idempotency record | A#{account} | ONCE#{hash} | get |
| job | A#{account} | JOB#{job} | get |
| open job | A#{account}#OPEN | JOB#{job} | list; index `open_jobs` for re-drive |
| checkpoint | A#{account} | CHECKPOINT#{checkpoint} | get |
| lineage node | A#{account}#SPACE#{space} | CHECKPOINT#{checkpoint} | list |
| checkpoint note | A#{account}#C#{checkpoint} | NOTE#{note} | list |
| membership | A#{account}#SPACE#{space} | SESSION#{session} | list: sessions of a space |
| turn | A#{account}#S#{session} | TURN#{seq} | get; list by range |
| earlier turn version | A#{account}#S#{session} | WAS#{seq}#{version} | get; list by turn |
| expired turn | A#{account}#S#{session} | EXPIRED#{seq} | get |
| receipt | A#{account}#S#{session} | RECEIPT#{seq} | get |
| note | A#{account}#S#{session} | NOTE#{seq}#{note} | list by turn |
| citation | A#{account}#S#{session} | CITED#{seq}#{memory} | list by turn: what cites it |
| memory head | A#{account}#MEMORIES | MEMORY#{memory} | get; list by prefix |
| memory usage | A#{account}#USE | MEMORY#{memory} | get |
| deleted statement | A#{account}#FORGOTTEN | {fingerprint} | get |
| rejected statement | A#{account}#REJECTED | {fingerprint} | get |
| memory revision | A#{account}#M#{memory} | REV#{revision} | get; list by prefix |
| review of a revision | A#{account}#M#{memory} | REVIEW#{revision} | list by prefix |
| parked index entry | A#{account}#M#{memory} | PARKED | get |
| unrecallable statement | A#{account}#UNSHOWN | {fingerprint}#{memory} | list by fingerprint |
| stale memory | A#{account}#STALE | MEMORY#{memory} | list |
| incoming reference | A#{account}#M#{target} | REFBY#{source}#{revision} | list by prefix |
| vector log | A#{account}#VECTORS | {change} | list: change > last seen |
| event | A#{account}#EVENTS | {change} | list: change > cursor |
"""

import hashlib
from typing import NamedTuple
from urllib.parse import quote

OPEN_JOBS_INDEX = "open_jobs"
OPEN_JOBS_SHARDS = 4
MAX_CHANGE = 999_999_999_999
"""The highest change number of an account: twelve digits."""


class Key(NamedTuple):
    """A primary key: partition key and sort key."""

    pk: str
    sk: str


def account_part(account: str) -> str:
    """Returns the account as part of a key: percent-encoded, so reversible and without `#`."""
    return f"A#{quote(account, safe='@')}"


def profile(account: str) -> Key:
    """Returns the key of the account's profile, which also holds its change counter."""
    return Key(account_part(account), "PROFILE")


def space(account: str, space_id: str) -> Key:
    """Returns the key of a space."""
    return Key(account_part(account), f"SPACE#{space_id}")


def session(account: str, session_id: str) -> Key:
    """Returns the key of a session."""
    return Key(account_part(account), f"SESSION#{session_id}")


def deletion_mark(account: str, session_id: str) -> Key:
    """Returns the key of the marker that a session's content is being removed."""
    return Key(account_part(account), f"DELETING#{session_id}")


def idempotency(account: str, idempotency_key: str, request_kind: str = "") -> Key:
    """Returns the key of an idempotency record, with a hash of the client's key.

    Keys of different kinds of requests (`request_kind`) never collide, because a header, from
    which the client's key comes, holds no line break.
    """
    scoped = f"{request_kind}\n{idempotency_key}" if request_kind else idempotency_key
    digest = hashlib.sha256(scoped.encode()).hexdigest()
    return Key(account_part(account), f"ONCE#{digest}")


def job(account: str, job_id: str) -> Key:
    """Returns the key of a job."""
    return Key(account_part(account), f"JOB#{job_id}")


def open_job(account: str, job_id: str) -> Key:
    """Returns the key of the marker of an unfinished job."""
    return Key(f"{account_part(account)}#OPEN", f"JOB#{job_id}")


def open_shard(account: str) -> str:
    """Returns the partition of the index `open_jobs` that holds an account's open jobs."""
    number = hashlib.sha256(account.encode()).digest()[0] % OPEN_JOBS_SHARDS
    return f"OPEN#{number}"


def space_member(account: str, space_id: str, session_id: str) -> Key:
    """Returns the key of the marker that a session belongs to a space."""
    return Key(f"{account_part(account)}#SPACE#{space_id}", f"SESSION#{session_id}")


def checkpoint(account: str, checkpoint_id: str) -> Key:
    """Returns the key of a checkpoint."""
    return Key(account_part(account), f"CHECKPOINT#{checkpoint_id}")


def lineage_node(account: str, space_id: str, checkpoint_id: str) -> Key:
    """Returns the key of a checkpoint's node in the lineage of its space."""
    return Key(f"{account_part(account)}#SPACE#{space_id}", f"CHECKPOINT#{checkpoint_id}")


def checkpoint_note(account: str, checkpoint_id: str, note_id: str) -> Key:
    """Returns the key of a note on a checkpoint."""
    return Key(f"{account_part(account)}#C#{checkpoint_id}", f"NOTE#{note_id}")


def turn(account: str, session_id: str, sequence_number: int) -> Key:
    """Returns the key of a turn."""
    return Key(session_partition(account, session_id), f"TURN#{sequence_number:08d}")


def earlier_turn(account: str, session_id: str, sequence_number: int, version: int) -> Key:
    """Returns the key of an earlier version of a turn that was replaced."""
    return Key(session_partition(account, session_id), f"WAS#{sequence_number:08d}#{version:06d}")


def expired_turn(account: str, session_id: str, sequence_number: int) -> Key:
    """Returns the key of the marker of a turn that the account's retention removed."""
    return Key(session_partition(account, session_id), f"EXPIRED#{sequence_number:08d}")


def receipt(account: str, session_id: str, sequence_number: int) -> Key:
    """Returns the key of the receipt of the assistant turn with that sequence number."""
    return Key(session_partition(account, session_id), f"RECEIPT#{sequence_number:08d}")


def note(account: str, session_id: str, sequence_number: int, note_id: str) -> Key:
    """Returns the key of a note on a turn."""
    return Key(session_partition(account, session_id), f"NOTE#{sequence_number:08d}#{note_id}")


def citation(account: str, session_id: str, sequence_number: int, memory_id: str) -> Key:
    """Returns the key of the marker that a memory cites a turn."""
    return Key(session_partition(account, session_id), f"CITED#{sequence_number:08d}#{memory_id}")


def session_partition(account: str, session_id: str) -> str:
    """Returns the partition key of everything that belongs to a session."""
    return f"{account_part(account)}#S#{session_id}"


def memory(account: str, memory_id: str) -> Key:
    """Returns the key of a memory's head, which holds its whole current revision."""
    return Key(f"{account_part(account)}#MEMORIES", f"MEMORY#{memory_id}")


def memory_usage(account: str, memory_id: str) -> Key:
    """Returns the key of a memory's usage: how often and when it was last in a prompt."""
    return Key(f"{account_part(account)}#USE", f"MEMORY#{memory_id}")


def deleted_statement(account: str, fingerprint: str) -> Key:
    """Returns the key of a statement that the user deleted, by its fingerprint."""
    return Key(f"{account_part(account)}#FORGOTTEN", fingerprint)


def rejected_statement(account: str, fingerprint: str) -> Key:
    """Returns the key of a statement that the user rejected, by its fingerprint."""
    return Key(f"{account_part(account)}#REJECTED", fingerprint)


def memory_partition(account: str, memory_id: str) -> str:
    """Returns the partition key of a memory's revisions and incoming references."""
    return f"{account_part(account)}#M#{memory_id}"


def revision(account: str, memory_id: str, number: int) -> Key:
    """Returns the key of a revision of a memory."""
    return Key(memory_partition(account, memory_id), f"REV#{number:06d}")


def review(account: str, memory_id: str, revision_number: int) -> Key:
    """Returns the key of the user's review of a revision."""
    return Key(memory_partition(account, memory_id), f"REVIEW#{revision_number:06d}")


def parked_entry(account: str, memory_id: str) -> Key:
    """Returns the key of the index entry of a memory that recall may not show now."""
    return Key(memory_partition(account, memory_id), "PARKED")


def unrecallable_statement(account: str, fingerprint: str, memory_id: str) -> Key:
    """Returns the key of the marker that finds an unrecallable memory by its statement."""
    return Key(f"{account_part(account)}#UNSHOWN", f"{fingerprint}#{memory_id}")


def stale_memory(account: str, memory_id: str) -> Key:
    """Returns the key of the marker of a stale memory."""
    return Key(f"{account_part(account)}#STALE", f"MEMORY#{memory_id}")


def incoming_reference(account: str, target: str, source: str, revision_number: int) -> Key:
    """Returns the key of the marker that a revision of `source` refers to `target`."""
    return Key(memory_partition(account, target), f"REFBY#{source}#{revision_number:06d}")


def vector_record(account: str, change: int) -> Key:
    """Returns the key of a record of the vector log."""
    return Key(f"{account_part(account)}#VECTORS", change_part(change))


def event(account: str, change: int) -> Key:
    """Returns the key of an event of the feed."""
    return Key(f"{account_part(account)}#EVENTS", change_part(change))


def change_part(change: int) -> str:
    """Returns a change number as a sort key with leading zeros: text order is number order."""
    return f"{change:012d}"
