"""What a session shows a prompt: its mode, checkpoints, window of turns and recall boundary.

Chat, drafts and recall share it, so that all of them hide the same content.
"""

from dataclasses import dataclass, field

from strandline.context.boundary import Boundary, head_window
from strandline.errors import Invalid, NotFound
from strandline.models.checkpoint import Checkpoint
from strandline.models.receipt import Mode
from strandline.models.session import Mount, Session
from strandline.models.turn import TurnWindow
from strandline.store.conversations import checkpoints, sessions, spaces
from strandline.table import Table


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What a session shows, given its `mount`. Checkpoints are oldest first."""

    mode: Mode
    window: TurnWindow = field(default_factory=TurnWindow)
    checkpoints: tuple[Checkpoint, ...] = ()
    boundary: Boundary | None = None
    mount: Mount | None = None


def resolve_mount(
    table: Table, account: str, session: Session, checkpoint_id: str | None, base: int | None
) -> Mount | None:
    """Returns the mount that a request names, or its session's mount if it names none.

    `base` is the history boundary, a sequence number. Raises Invalid for a boundary beyond the
    session's last turn, NotFound for a checkpoint of another space.
    """
    if checkpoint_id is None or base is None:
        return session.mount
    if base > session.last_sequence_number:
        raise Invalid("history_base_seq is beyond the session's last turn.")
    if session.space_id is None:
        raise NotFound
    checkpoints.get_of_space(table, account, session.space_id, checkpoint_id)
    return Mount(checkpoint_id=checkpoint_id, history_base_seq=base)


def session_context(
    table: Table, account: str, session: Session, mount: Mount | None, most: int = 1
) -> SessionContext:
    """Returns what a session shows with a mount, or without one, with at most `most` checkpoints.

    Raises NotFound when the space or the mounted checkpoint is gone; CheckpointAltered.
    """
    if mount is not None:
        return _mounted(table, account, session, mount, most)
    if session.space_id is None:
        return SessionContext(Mode.FRESH)
    head_id = spaces.get(table, account, session.space_id).heads.get(session.branch)
    if head_id is None:
        return SessionContext(Mode.HEAD)
    head = checkpoints.get_of_space(table, account, session.space_id, head_id)
    line = checkpoints.list_ancestors(table, account, head, most)
    return SessionContext(Mode.HEAD, head_window(session.id, head), tuple(line))


def _mounted(
    table: Table, account: str, session: Session, mount: Mount, most: int
) -> SessionContext:
    if session.space_id is None:
        raise NotFound
    checkpoint = checkpoints.get_of_space(table, account, session.space_id, mount.checkpoint_id)
    others = sessions.session_ids_of_space(table, account, session.space_id) - {session.id}
    return SessionContext(
        mode=Mode.MOUNTED,
        window=TurnWindow(after=mount.history_base_seq),
        checkpoints=tuple(checkpoints.list_ancestors(table, account, checkpoint, most)),
        boundary=Boundary(session.id, mount.history_base_seq, checkpoint, others),
        mount=mount,
    )
