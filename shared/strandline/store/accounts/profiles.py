"""Profiles, the account's change counter and its retention, which share an item."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import StorageBusy
from strandline.item_codec import decode, encode
from strandline.models.base import rfc3339
from strandline.models.job import Job, JobKind, JobState
from strandline.models.profile import Profile
from strandline.models.retention import KEEP_ALL, RULE_BY_PROFILE_FIELD, Retention
from strandline.store import jobs
from strandline.store.patch import patch_write
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, update

COUNTER = "changes"
RETENTION = "retention"
_ATTEMPTS = 10


def get(table: Table, account: str) -> Profile:
    """The account's profile; the defaults when none was ever written."""
    return profile_from_item(table.get(keys.profile(account)))


def profile_from_item(item: Item | None) -> Profile:
    """The profile in an item that may also hold the counter, or none."""
    own = {k: v for k, v in (item or {}).items() if k not in (COUNTER, RETENTION)}
    return decode(Profile, own | dict(retention_from_item(item).days))


def get_retention(table: Table, account: str) -> Retention:
    """How long the account's content is kept."""
    return retention_from_item(table.get(keys.profile(account)))


def retention_from_item(item: Item | None) -> Retention:
    """How long content is kept, in a profile's item."""
    return decode(Retention, item[RETENTION]) if item and RETENTION in item else KEEP_ALL


def change_counter(table: Table, account: str) -> int:
    """The number of the account's newest change, 0 before the first."""
    return int((table.get(keys.profile(account)) or {}).get(COUNTER, 0))


def counter_write(account: str, before: int, after: int) -> Write:
    """Move the change counter, if it still stands where it was read."""
    unmoved = "changes = :before" if before else "attribute_not_exists(changes)"
    values = {":after": after} | ({":before": before} if before else {})
    return update(keys.profile(account), "SET changes = :after", condition=unmoved, values=values)


def change(table: Table, account: str, fields: Mapping[str, Any], at: datetime) -> Profile:
    """Set or (with None) remove those fields.

    Another retention is in force at once; the job made with it removes what has expired.
    """
    days = {name: value for name, value in fields.items() if name in RULE_BY_PROFILE_FIELD}
    others = {name: value for name, value in fields.items() if name not in RULE_BY_PROFILE_FIELD}
    for _ in range(_ATTEMPTS):
        before = get_retention(table, account) if days else KEEP_ALL
        after = before.changed(days, at)
        if after == before:
            return profile_from_item(table.write(_patching(account, others, at)))
        try:
            table.transact(_keeping(account, others, before, after, at))
        except ConditionFailed:
            continue
        return get(table, account)
    raise StorageBusy


def retention_write(account: str, before: Retention, after: Retention) -> Write:
    """The write that puts one retention in another's place."""
    return update(
        keys.profile(account),
        "SET #retention = :after",
        condition="#retention = :before",
        names={"#retention": RETENTION},
        values={":after": encode(after), ":before": encode(before)},
    )


def new_retention_job(at: datetime) -> Job:
    """A new job that removes what has expired."""
    return Job(
        id=ids.new_id("job", at),
        kind=JobKind.RETENTION,
        state=JobState.QUEUED,
        created_at=at,
        updated_at=at,
    )


def _keeping(
    account: str, others: Mapping[str, Any], before: Retention, after: Retention, at: datetime
) -> list[Write]:
    """The change with another retention, if that is as it was read, and the job it takes."""
    job = new_retention_job(at)
    fields = {**others, RETENTION: encode(after.model_copy(update={"job_id": job.id}))}
    write = _patching(
        account,
        fields,
        at,
        condition=f"attribute_not_exists(#{RETENTION})"
        if before == KEEP_ALL
        else f"#{RETENTION} = :before",
        values={} if before == KEEP_ALL else {":before": encode(before)},
    )
    return [write, *jobs.creation_writes(account, job, at)]


def _patching(
    account: str,
    fields: Mapping[str, Any],
    at: datetime,
    condition: str = "",
    values: Mapping[str, Any] | None = None,
) -> Write:
    now = rfc3339(at)
    return patch_write(
        keys.profile(account),
        {**fields, "updated_at": now},
        condition=condition,
        keep={"created_at": now},
        values=values,
    )
