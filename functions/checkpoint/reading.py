"""Reading a space's lineage and where a checkpoint came from."""

from functions.checkpoint.responses import Lineage
from strandline.errors import NotFound
from strandline.models.turn import Turn
from strandline.runtime import Runtime
from strandline.store import checkpoints, sessions, spaces, turns
from strandline.store.lists import Slice


def lineage(runtime: Runtime, account: str, space_id: str) -> Lineage:
    """A space's graph. Raises NotFound."""
    space = spaces.get(runtime.table, account, space_id)
    found = tuple(checkpoints.nodes(runtime.table, account, space_id))
    return Lineage(nodes=found, heads=space.heads)


def turns_of(
    runtime: Runtime, account: str, checkpoint_id: str, limit: int, after: str | None
) -> Slice[Turn]:
    """The turns a checkpoint covers, those that are still there. Raises NotFound."""
    source = checkpoints.get(runtime.table, account, checkpoint_id).source
    if source is None:
        return Slice((), None)
    try:
        sessions.get(runtime.table, account, source.session_id)
    except NotFound:
        return Slice((), None)
    numbers = (source.from_sequence, source.to_sequence)
    return turns.page_of_range(
        runtime.table, account, source.session_id, numbers, limit, after, at=runtime.clock()
    )
