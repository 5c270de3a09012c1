"""Profiles and the account's change counter, which share an item."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline import keys
from strandline.models.base import rfc3339
from strandline.models.profile import Profile
from strandline.store.changes import patch
from strandline.table import Item, Table, Write, decode, update

COUNTER = "changes"


def get(table: Table, account: str) -> Profile:
    """The account's profile; the defaults when none was ever written."""
    return of_item(table.get(keys.profile(account)))


def of_item(item: Item | None) -> Profile:
    """The profile in an item that may also hold the counter, or none."""
    return decode(Profile, {k: v for k, v in (item or {}).items() if k != COUNTER})


def change_counter(table: Table, account: str) -> int:
    """The number of the account's newest change, 0 before the first."""
    return int((table.get(keys.profile(account)) or {}).get(COUNTER, 0))


def count_to(account: str, before: int, after: int) -> Write:
    """Move the change counter, if it still stands where it was read."""
    unmoved = "changes = :before" if before else "attribute_not_exists(changes)"
    values = {":after": after} | ({":before": before} if before else {})
    return update(keys.profile(account), "SET changes = :after", condition=unmoved, values=values)


def change(table: Table, account: str, fields: Mapping[str, Any], at: datetime) -> Profile:
    """Set or (with None) remove those fields."""
    now = rfc3339(at)
    operation = patch(
        keys.profile(account),
        {**fields, "updated_at": now},
        condition="",
        keep={"created_at": now},
    )
    return of_item(table.write(operation))
