"""Reading a space's lineage and where a checkpoint came from."""

from functions.checkpoint.responses import Lineage
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.models.turn import Turn
from strandline.store.conversations import checkpoints, sessions, spaces, turns
from strandline.store.pagination import ListPage


def lineage(deps: Dependencies, account: str, space_id: str) -> Lineage:
    """A space's graph. Raises NotFound."""
    space = spaces.get(deps.table, account, space_id)
    found = tuple(checkpoints.list_nodes(deps.table, account, space_id))
    return Lineage(nodes=found, heads=space.heads)


def turns_of(
    deps: Dependencies, account: str, checkpoint_id: str, limit: int, after: str | None
) -> ListPage[Turn]:
    """The turns a checkpoint covers, those that are still there. Raises NotFound."""
    source = checkpoints.get(deps.table, account, checkpoint_id).source
    if source is None:
        return ListPage((), None)
    try:
        sessions.get(deps.table, account, source.session_id)
    except NotFound:
        return ListPage((), None)
    numbers = (source.from_sequence, source.to_sequence)
    return turns.page_of_range(
        deps.table, account, source.session_id, numbers, limit, after, at=deps.clock()
    )
