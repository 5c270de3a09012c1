"""Spaces."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import NotFound
from strandline.item_codec import decode, encode
from strandline.models.base import rfc3339
from strandline.models.space import Space
from strandline.queries import Query
from strandline.store.pagination import ListPage, read_page
from strandline.store.patch import patch_write
from strandline.table import ConditionFailed, Table
from strandline.writes import put_new

PREFIX = "SPACE#"
EXISTS = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"
"""The condition of everything that rests on a space or session: it is there and stays."""


def create(table: Table, account: str, name: str, description: str, at: datetime) -> Space:
    """A new space."""
    space = Space(
        id=ids.new_id("spc", at), name=name, description=description, created_at=at, updated_at=at
    )
    table.write(put_new(keys.space(account, space.id), encode(space)))
    return space


def get(table: Table, account: str, space_id: str) -> Space:
    """The account's space. Raises NotFound for a missing, foreign or deleted one."""
    item = table.get(keys.space(account, ids.checked_id("spc", space_id)))
    if item is None or "deleted_at" in item:
        raise NotFound
    return decode(Space, item)


def page(table: Table, account: str, limit: int, after: str | None) -> ListPage[Space]:
    """The account's spaces, newest first."""
    return read_page(
        table,
        Query(keys.account_part(account), prefix=PREFIX, newest_first=True),
        limit=limit,
        after=after,
        keep=lambda item: decode(Space, item) if "deleted_at" not in item else None,
    )


def change(
    table: Table, account: str, space_id: str, fields: Mapping[str, Any], at: datetime
) -> Space:
    """Change name or description. Raises NotFound."""
    key = keys.space(account, ids.checked_id("spc", space_id))
    operation = patch_write(key, {**fields, "updated_at": rfc3339(at)}, condition=EXISTS)
    try:
        return decode(Space, table.write(operation))
    except ConditionFailed:
        raise NotFound from None
