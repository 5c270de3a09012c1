"""The account's profile, change counter and retention, which share one item."""

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
    """Returns the account's profile; the defaults if none was ever stored."""
    return profile_from_item(table.get(keys.profile(account)))


def profile_from_item(item: Item | None) -> Profile:
    """Returns the profile in an item, which may lack it or hold the change counter too."""
    own = {k: v for k, v in (item or {}).items() if k not in (COUNTER, RETENTION)}
    return decode(Profile, own | dict(retention_from_item(item).days))


def get_retention(table: Table, account: str) -> Retention:
    """Returns how long the account's content is kept."""
    return retention_from_item(table.get(keys.profile(account)))


def retention_from_item(item: Item | None) -> Retention:
    """Returns the retention in a profile's item."""
    return decode(Retention, item[RETENTION]) if item and RETENTION in item else KEEP_ALL


def change_counter(table: Table, account: str) -> int:
    """Returns the number of the account's newest change, 0 before the first."""
    return int((table.get(keys.profile(account)) or {}).get(COUNTER, 0))


def counter_write(account: str, before: int, after: int) -> Write:
    """Returns the write that advances the change counter, if it still has the value `before`."""
    unchanged = "changes = :before" if before else "attribute_not_exists(changes)"
    values = {":after": after} | ({":before": before} if before else {})
    return update(keys.profile(account), "SET changes = :after", condition=unchanged, values=values)


def change(table: Table, account: str, fields: Mapping[str, Any], at: datetime) -> Profile:
    """Sets fields of the profile, or removes those that are None; returns the new profile.

    A new retention is in force at once. A job that is stored with it removes what has expired.
    """
    days = {name: value for name, value in fields.items() if name in RULE_BY_PROFILE_FIELD}
    others = {name: value for name, value in fields.items() if name not in RULE_BY_PROFILE_FIELD}
    for _ in range(_ATTEMPTS):
        before = get_retention(table, account) if days else KEEP_ALL
        after = before.changed(days, at)
        if after == before:
            return profile_from_item(table.write(_profile_write(account, others, at)))
        try:
            table.transact(_retention_change_writes(account, others, before, after, at))
        except ConditionFailed:
            continue
        return get(table, account)
    raise StorageBusy


def retention_write(account: str, before: Retention, after: Retention) -> Write:
    """Returns the write that replaces a retention, if the stored one is still `before`."""
    return update(
        keys.profile(account),
        "SET #retention = :after",
        condition="#retention = :before",
        names={"#retention": RETENTION},
        values={":after": encode(after), ":before": encode(before)},
    )


def new_retention_job(at: datetime) -> Job:
    """Returns a new job that removes expired content."""
    return Job(
        id=ids.new_id("job", at),
        kind=JobKind.RETENTION,
        state=JobState.QUEUED,
        created_at=at,
        updated_at=at,
    )


def _retention_change_writes(
    account: str, others: Mapping[str, Any], before: Retention, after: Retention, at: datetime
) -> list[Write]:
    """Returns the writes that change the retention, if it is still `before`, with their job."""
    job = new_retention_job(at)
    fields = {**others, RETENTION: encode(after.model_copy(update={"job_id": job.id}))}
    write = _profile_write(
        account,
        fields,
        at,
        condition=f"attribute_not_exists(#{RETENTION})"
        if before == KEEP_ALL
        else f"#{RETENTION} = :before",
        values={} if before == KEEP_ALL else {":before": encode(before)},
    )
    return [write, *jobs.creation_writes(account, job, at)]


def _profile_write(
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
