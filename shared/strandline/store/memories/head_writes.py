"""Writing a memory's head: only over the one that was read."""

from strandline import keys
from strandline.models.memory_head import Head
from strandline.writes import Item, Write, put, put_new


def put_head(account: str, before: Head | None, memory_id: str, item: Item) -> Write:
    """The write that puts an item in a head's place, or where there is none yet."""
    key = keys.memory(account, memory_id)
    if before is None:
        return put_new(key, item)
    return put(
        key,
        item,
        # The number moves with every change, so it names exactly what was read.
        condition="#change = :seen",
        names={"#change": "change"},
        values={":seen": before.change},
    )
