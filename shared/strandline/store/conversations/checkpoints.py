"""Checkpoints: put once, never changed; and the lineage of a space."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from strandline import ids, keys
from strandline.errors import CheckpointAltered, NotFound, TooLarge
from strandline.item_codec import decode, encode
from strandline.item_size import MAX_ITEM_BYTES, json_size
from strandline.models.base import rfc3339
from strandline.models.checkpoint import Checkpoint, CheckpointNote, Node, is_unaltered
from strandline.queries import Query
from strandline.store.conversations.spaces import EXISTS
from strandline.store.pagination import ListPage, read_page
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, check, put_new, update

PREFIX = "CHECKPOINT#"
HEAD_MOVED = 0
"""Among the writes of a commit: the space's head, before what was given beside."""


def get(table: Table, account: str, checkpoint_id: str) -> Checkpoint:
    """The account's checkpoint.

    Raises NotFound, also for one whose space was deleted; CheckpointAltered when it isn't what
    was committed.
    """
    item = table.get(keys.checkpoint(account, ids.checked_id("chk", checkpoint_id)))
    if item is None:
        raise NotFound
    space = table.get(keys.space(account, item["space_id"]))
    if space is None or "deleted_at" in space:
        raise NotFound
    return checkpoint_from_item(item)


def get_of_space(table: Table, account: str, space_id: str, checkpoint_id: str) -> Checkpoint:
    """A checkpoint of that very space. Raises NotFound for any other."""
    item = table.get(keys.checkpoint(account, ids.checked_id("chk", checkpoint_id)))
    if item is None or item["space_id"] != space_id:
        raise NotFound
    return checkpoint_from_item(item)


def checkpoint_from_item(item: Item) -> Checkpoint:
    """The checkpoint in an item. Raises CheckpointAltered."""
    checkpoint = decode(Checkpoint, item)
    if not is_unaltered(checkpoint):
        raise CheckpointAltered
    return checkpoint


def get_many(table: Table, account: str, checkpoint_ids: Sequence[str]) -> dict[str, Checkpoint]:
    """Those checkpoints that are there, by id. Raises CheckpointAltered."""
    found = table.get_many(keys.checkpoint(account, each) for each in checkpoint_ids)
    return {item["id"]: checkpoint_from_item(item) for item in found.values()}


def list_ancestors(table: Table, account: str, newest: Checkpoint, most: int) -> list[Checkpoint]:
    """A checkpoint and its ancestors by first parent, oldest first, at most so many.

    An ancestor met a second time ends the walk: a lineage that was tampered with has no cycle.
    """
    found = [newest]
    while len(found) < most:
        parent_id = found[-1].parent_id
        if parent_id is None or parent_id in {each.id for each in found}:
            break
        item = table.get(keys.checkpoint(account, parent_id))
        if item is None:
            break
        found.append(checkpoint_from_item(item))
    return found[::-1]


def commit(table: Table, account: str, checkpoint: Checkpoint, also: Sequence[Write] = ()) -> None:
    """Store a sealed checkpoint and make it its branch's head, if that is still its parent.

    Raises TooLarge before anything is written; ConditionFailed with HEAD_MOVED among its
    operations when the head moved or the space is gone, or with the index of one of `also`, which
    come after the three of the commit.
    """
    item = encode(checkpoint)
    if json_size(item) > MAX_ITEM_BYTES:
        raise TooLarge(f"A checkpoint takes at most {MAX_ITEM_BYTES} bytes.")
    writes = [
        _moving_head(account, checkpoint),
        put_new(keys.checkpoint(account, checkpoint.id), item),
        put_new(
            keys.lineage_node(account, checkpoint.space_id, checkpoint.id),
            encode(lineage_node(checkpoint)),
        ),
        *also,
    ]
    table.transact(writes)


def set_head(table: Table, account: str, space_id: str, branch: str, checkpoint_id: str) -> None:
    """Begin a branch at a checkpoint. Raises ConditionFailed when there is such a branch."""
    table.write(
        update(
            keys.space(account, space_id),
            "SET heads.#branch = :head",
            condition=f"{EXISTS} AND attribute_not_exists(heads.#branch)",
            names={"#branch": branch},
            values={":head": checkpoint_id},
        )
    )


def lineage_node(checkpoint: Checkpoint) -> Node:
    """A checkpoint's place in its space's lineage."""
    return Node(
        id=checkpoint.id,
        title=checkpoint.title,
        branch=checkpoint.branch,
        parents=checkpoint.parents,
        commit_hash=checkpoint.commit_hash,
        short_hash=checkpoint.short_hash,
        author=checkpoint.author,
        created_at=checkpoint.created_at,
    )


def list_page(
    table: Table, account: str, space_id: str, limit: int, after: str | None, branch: str | None
) -> ListPage[Node]:
    """A space's checkpoints in short (or those of a branch), newest first."""

    def keep(item: Item) -> Node | None:
        found = decode(Node, item)
        return found if branch in (None, found.branch) else None

    pk = keys.lineage_node(account, space_id, "").pk
    query = Query(pk, prefix=PREFIX, newest_first=True)
    return read_page(table, query, limit=limit, after=after, keep=keep)


def list_nodes(table: Table, account: str, space_id: str) -> Iterator[Node]:
    """Every checkpoint of a space in short, oldest first."""
    pk = keys.lineage_node(account, space_id, "").pk
    return (decode(Node, item) for item in table.all(Query(pk, prefix=PREFIX)))


def add_note(
    table: Table, account: str, checkpoint: Checkpoint, content: str, at: datetime
) -> CheckpointNote:
    """Attach a note; the checkpoint stays as it is. Raises NotFound when its space is gone."""
    note = CheckpointNote(
        id=ids.new_id("not", at), checkpoint_id=checkpoint.id, content=content, created_at=at
    )
    there = check(keys.space(account, checkpoint.space_id), EXISTS)
    key = keys.checkpoint_note(account, checkpoint.id, note.id)
    try:
        table.transact([put_new(key, encode(note)), there])
    except ConditionFailed:
        raise NotFound from None
    return note


def list_notes(
    table: Table, account: str, checkpoint_id: str, limit: int, after: str | None
) -> ListPage[CheckpointNote]:
    """A checkpoint's notes, oldest first."""
    return read_page(
        table,
        Query(keys.checkpoint_note(account, checkpoint_id, "").pk),
        limit=limit,
        after=after,
        keep=lambda item: decode(CheckpointNote, item),
    )


def _moving_head(account: str, checkpoint: Checkpoint) -> Write:
    branch, parent = {"#branch": checkpoint.branch}, checkpoint.parent_id
    unmoved = "heads.#branch = :parent" if parent else "attribute_not_exists(heads.#branch)"
    values = {":head": checkpoint.id, ":now": rfc3339(checkpoint.created_at)}
    return update(
        keys.space(account, checkpoint.space_id),
        "SET heads.#branch = :head, updated_at = :now",
        condition=f"{EXISTS} AND {unmoved}",
        names=branch,
        values=values | ({":parent": parent} if parent else {}),
    )
