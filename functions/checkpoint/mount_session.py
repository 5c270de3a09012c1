"""Mounting and forking: where a session takes its context from."""

from strandline import ids
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, NotFound
from strandline.models.checkpoint import Checkpoint
from strandline.models.session import Mount, Session
from strandline.store.conversations import checkpoints, sessions
from strandline.table import ConditionFailed

_ATTEMPTS = 8


def mount(deps: Dependencies, account: str, session_id: str, checkpoint_id: str) -> Session:
    """Mount a checkpoint of the session's space; the server sets the boundary.

    Raises NotFound for a checkpoint of another space too; then nothing has changed.
    """
    for _ in range(_ATTEMPTS):
        session = sessions.get(deps.table, account, session_id)
        if session.space_id is None:
            raise NotFound("The session is in no space.")
        checkpoints.get_of_space(deps.table, account, session.space_id, checkpoint_id)
        try:
            return sessions.mount(deps.table, account, session, checkpoint_id, deps.clock())
        except ConditionFailed:
            # A message came in between: the boundary is where it is now.
            continue
    raise Conflict("The session changes too fast.")


def fork(
    deps: Dependencies, account: str, checkpoint_id: str, title: str | None, branch: str | None
) -> Session:
    """A new session that begins at a checkpoint, on a branch of its own, with no turns.

    The checkpoint is mounted in it, so that what came after it elsewhere stays hidden. Raises
    NotFound, Conflict when there is such a branch.
    """
    at = deps.clock()
    checkpoint = checkpoints.get(deps.table, account, checkpoint_id)
    made_id = ids.new_id("ses", at)
    session = Session(
        id=made_id,
        title=title,
        space_id=checkpoint.space_id,
        branch=branch or f"fork-{made_id[-8:].lower()}",
        seeded_checkpoint_id=checkpoint.id,
        mount=Mount(checkpoint_id=checkpoint.id, history_base_seq=0),
        created_at=at,
        updated_at=at,
    )
    _begin(deps, account, checkpoint, session.branch)
    return sessions.create(deps.table, account, session)


def _begin(deps: Dependencies, account: str, checkpoint: Checkpoint, branch: str) -> None:
    try:
        checkpoints.set_head(deps.table, account, checkpoint.space_id, branch, checkpoint.id)
    except ConditionFailed:
        raise Conflict(f"There is a branch {branch} already.") from None
