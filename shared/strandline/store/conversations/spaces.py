"""Spaces: the containers of sessions and checkpoints."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline import ids, keys
from strandline.errors import NotFound
from strandline.item_codec import decode, encode
from strandline.models.base import rfc3339
from strandline.models.space import Space
from strandline.queries import Query
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.store.patch import patch_write
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, put_new

PREFIX = "SPACE#"
EXISTS = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"
"""The condition that a space or a session exists and isn't deleted."""


def create(table: Table, account: str, name: str, description: str, at: datetime) -> Space:
    """Stores a new space and returns it."""
    space = Space(
        id=ids.new_id("spc", at), name=name, description=description, created_at=at, updated_at=at
    )
    table.write(put_new(keys.space(account, space.id), encode(space)))
    return space


def get(table: Table, account: str, space_id: str) -> Space:
    """Returns the account's space.

    Raises NotFound when it is missing, deleted or another account's.
    """
    item = table.get(keys.space(account, ids.checked_id("spc", space_id)))
    if item is None or "deleted_at" in item:
        raise NotFound
    return decode(Space, item)


def page(table: Table, account: str, request: PageRequest) -> ListPage[Space]:
    """Returns a page of the account's spaces, newest first, without deleted ones."""

    def keep(item: Item) -> Space | None:
        return decode(Space, item) if "deleted_at" not in item else None

    query = Query(keys.account_part(account), prefix=PREFIX, newest_first=True)
    return read_page(table, query, request, keep)


def change(
    table: Table, account: str, space_id: str, fields: Mapping[str, Any], at: datetime
) -> Space:
    """Changes a space's name or description; returns the changed space. Raises NotFound."""
    key = keys.space(account, ids.checked_id("spc", space_id))
    operation = patch_write(key, {**fields, "updated_at": rfc3339(at)}, condition=EXISTS)
    try:
        return decode(Space, table.write(operation))
    except ConditionFailed:
        raise NotFound from None
