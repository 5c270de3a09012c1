"""Checkpoints, which are stored once and never changed, and the lineage of a space."""

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
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import ConditionFailed, Table
from strandline.writes import Item, Write, check, put_new, update

PREFIX = "CHECKPOINT#"
HEAD_WRITE = 0
"""The position of the branch head among the writes of `commit`, for ConditionFailed.failed."""


def get(table: Table, account: str, checkpoint_id: str) -> Checkpoint:
    """Returns the account's checkpoint.

    Raises NotFound, also when its space was deleted; CheckpointAltered when its content does not
    match its commit hash.
    """
    item = table.get(keys.checkpoint(account, ids.checked_id("chk", checkpoint_id)))
    if item is None:
        raise NotFound
    space = table.get(keys.space(account, item["space_id"]))
    if space is None or "deleted_at" in space:
        raise NotFound
    return checkpoint_from_item(item)


def get_of_space(table: Table, account: str, space_id: str, checkpoint_id: str) -> Checkpoint:
    """Returns a checkpoint of a space.

    Raises NotFound, also for a checkpoint of another space; CheckpointAltered.
    """
    item = table.get(keys.checkpoint(account, ids.checked_id("chk", checkpoint_id)))
    if item is None or item["space_id"] != space_id:
        raise NotFound
    return checkpoint_from_item(item)


def checkpoint_from_item(item: Item) -> Checkpoint:
    """Returns the checkpoint in an item. Raises CheckpointAltered."""
    checkpoint = decode(Checkpoint, item)
    if not is_unaltered(checkpoint):
        raise CheckpointAltered
    return checkpoint


def get_many(table: Table, account: str, checkpoint_ids: Sequence[str]) -> dict[str, Checkpoint]:
    """Returns the checkpoints that exist, by id. Raises CheckpointAltered."""
    found = table.get_many(keys.checkpoint(account, each) for each in checkpoint_ids)
    return {item["id"]: checkpoint_from_item(item) for item in found.values()}


def list_ancestors(table: Table, account: str, newest: Checkpoint, most: int) -> list[Checkpoint]:
    """Returns a checkpoint and its ancestors by first parent, oldest first.

    At most `most` checkpoints. A repeated ancestor ends the walk, so that a manipulated lineage
    can't make an endless loop.
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
    """Stores a sealed checkpoint and makes it the head of its branch, in one transaction.

    Requires that the branch's head is still the checkpoint's parent. Raises TooLarge before
    anything is written. Raises ConditionFailed with HEAD_WRITE among the failed operations when
    the head has changed or the space is gone; the writes of `also` follow the commit's three.
    """
    item = encode(checkpoint)
    if json_size(item) > MAX_ITEM_BYTES:
        raise TooLarge(f"A checkpoint takes at most {MAX_ITEM_BYTES} bytes.")
    writes = [
        _head_write(account, checkpoint),
        put_new(keys.checkpoint(account, checkpoint.id), item),
        put_new(
            keys.lineage_node(account, checkpoint.space_id, checkpoint.id),
            encode(lineage_node(checkpoint)),
        ),
        *also,
    ]
    table.transact(writes)


def create_branch(
    table: Table, account: str, space_id: str, branch: str, checkpoint_id: str
) -> None:
    """Starts a branch at a checkpoint. Raises ConditionFailed when the branch exists."""
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
    """Returns a checkpoint's node in the lineage of its space."""
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


def page(
    table: Table, account: str, space_id: str, request: PageRequest, branch: str | None
) -> ListPage[Node]:
    """Returns a page of a space's lineage nodes, or of one branch's, newest first."""

    def keep(item: Item) -> Node | None:
        found = decode(Node, item)
        return found if branch in (None, found.branch) else None

    pk = keys.lineage_node(account, space_id, "").pk
    query = Query(pk, prefix=PREFIX, newest_first=True)
    return read_page(table, query, request, keep)


def list_nodes(table: Table, account: str, space_id: str) -> Iterator[Node]:
    """Yields every lineage node of a space, oldest first."""
    pk = keys.lineage_node(account, space_id, "").pk
    return (decode(Node, item) for item in table.all(Query(pk, prefix=PREFIX)))


def add_note(
    table: Table, account: str, checkpoint: Checkpoint, content: str, at: datetime
) -> CheckpointNote:
    """Attaches a note to a checkpoint. Raises NotFound when its space is gone."""
    note = CheckpointNote(
        id=ids.new_id("not", at), checkpoint_id=checkpoint.id, content=content, created_at=at
    )
    space_exists = check(keys.space(account, checkpoint.space_id), EXISTS)
    key = keys.checkpoint_note(account, checkpoint.id, note.id)
    try:
        table.transact([put_new(key, encode(note)), space_exists])
    except ConditionFailed:
        raise NotFound from None
    return note


def note_page(
    table: Table, account: str, checkpoint_id: str, request: PageRequest
) -> ListPage[CheckpointNote]:
    """Returns a page of a checkpoint's notes, oldest first."""
    query = Query(keys.checkpoint_note(account, checkpoint_id, "").pk)
    return read_page(table, query, request, lambda item: decode(CheckpointNote, item))


def _head_write(account: str, checkpoint: Checkpoint) -> Write:
    branch, parent = {"#branch": checkpoint.branch}, checkpoint.parent_id
    unchanged = "heads.#branch = :parent" if parent else "attribute_not_exists(heads.#branch)"
    values = {":head": checkpoint.id, ":now": rfc3339(checkpoint.created_at)}
    return update(
        keys.space(account, checkpoint.space_id),
        "SET heads.#branch = :head, updated_at = :now",
        condition=f"{EXISTS} AND {unchanged}",
        names=branch,
        values=values | ({":parent": parent} if parent else {}),
    )
