"""Mounts a checkpoint in a session, and forks a session off a checkpoint."""

from strandline import ids
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, NotFound
from strandline.models.checkpoint import Checkpoint
from strandline.models.session import Mount, Session
from strandline.store.conversations import checkpoints, sessions
from strandline.table import ConditionFailed

_ATTEMPTS = 8


def mount(deps: Dependencies, account: str, session_id: str, checkpoint_id: str) -> Session:
    """Mounts a checkpoint; the boundary is the session's last turn. Returns the session.

    Raises NotFound, also for a checkpoint of another space, and Conflict when the session changes
    too fast. Nothing has changed then.
    """
    for _ in range(_ATTEMPTS):
        session = sessions.get(deps.table, account, session_id)
        if session.space_id is None:
            raise NotFound("The session is in no space.")
        checkpoints.get_of_space(deps.table, account, session.space_id, checkpoint_id)
        try:
            return sessions.mount(deps.table, account, session, checkpoint_id, deps.clock())
        except ConditionFailed:
            # A message came in between: take the boundary again.
            continue
    raise Conflict("The session changes too fast.")


def fork(
    deps: Dependencies, account: str, checkpoint_id: str, title: str | None, branch: str | None
) -> Session:
    """Creates a session without turns that begins at a checkpoint, on a branch of its own.

    The checkpoint is mounted in it, so that later turns of other sessions stay hidden. Raises
    NotFound, Conflict when the branch exists.
    """
    at = deps.clock()
    checkpoint = checkpoints.get(deps.table, account, checkpoint_id)
    session_id = ids.new_id("ses", at)
    session = Session(
        id=session_id,
        title=title,
        space_id=checkpoint.space_id,
        branch=branch or f"fork-{session_id[-8:].lower()}",
        seeded_checkpoint_id=checkpoint.id,
        mount=Mount(checkpoint_id=checkpoint.id, history_base_seq=0),
        created_at=at,
        updated_at=at,
    )
    _create_branch(deps, account, checkpoint, session.branch)
    return sessions.create(deps.table, account, session)


def _create_branch(deps: Dependencies, account: str, checkpoint: Checkpoint, branch: str) -> None:
    try:
        checkpoints.create_branch(deps.table, account, checkpoint.space_id, branch, checkpoint.id)
    except ConditionFailed:
        raise Conflict(f"There is a branch {branch} already.") from None
