"""What a session shows a prompt: its mode, its checkpoints, its window of turns and its boundary.

Chat, drafts and recall ask here, so that what one hides none of them shows.
"""

from dataclasses import dataclass, field

from strandline.context.boundary import Boundary, Window, head_window
from strandline.errors import Invalid, NotFound
from strandline.models.checkpoint import Checkpoint
from strandline.models.receipt import Mode
from strandline.models.session import Mount, Session
from strandline.store import checkpoints, sessions, spaces
from strandline.table import Table


@dataclass(frozen=True, slots=True)
class View:
    """What a session shows. Checkpoints oldest first; `mount` is what all of it rests on."""

    mode: Mode
    window: Window = field(default_factory=Window)
    checkpoints: tuple[Checkpoint, ...] = ()
    boundary: Boundary | None = None
    mount: Mount | None = None


def wanted_mount(
    table: Table, account: str, session: Session, checkpoint_id: str | None, base: int | None
) -> Mount | None:
    """What a request mounts itself, or, where it names neither, what its session has mounted.

    Raises Invalid for a boundary beyond the session's last turn, NotFound for a checkpoint that
    isn't of the session's space.
    """
    if checkpoint_id is None or base is None:
        return session.mount
    if base > session.last_sequence_number:
        raise Invalid("history_base_seq is beyond the session's last turn.")
    if session.space_id is None:
        raise NotFound
    checkpoints.get_of_space(table, account, session.space_id, checkpoint_id)
    return Mount(checkpoint_id=checkpoint_id, history_base_seq=base)


def of_session(
    table: Table, account: str, session: Session, mount: Mount | None, most: int = 1
) -> View:
    """The view with that checkpoint mounted, or none, and at most so many checkpoints.

    Raises NotFound when the space or the mounted checkpoint is gone, CheckpointAltered.
    """
    if mount is not None:
        return _mounted(table, account, session, mount, most)
    if session.space_id is None:
        return View(Mode.FRESH)
    head_id = spaces.get(table, account, session.space_id).heads.get(session.branch)
    if head_id is None:
        return View(Mode.HEAD)
    head = checkpoints.get_of_space(table, account, session.space_id, head_id)
    line = checkpoints.line(table, account, head, most)
    return View(Mode.HEAD, head_window(session.id, head), tuple(line))


def _mounted(table: Table, account: str, session: Session, mount: Mount, most: int) -> View:
    if session.space_id is None:
        raise NotFound
    checkpoint = checkpoints.get_of_space(table, account, session.space_id, mount.checkpoint_id)
    others = sessions.ids_of_space(table, account, session.space_id) - {session.id}
    return View(
        mode=Mode.MOUNTED,
        window=Window(after=mount.history_base_seq),
        checkpoints=tuple(checkpoints.line(table, account, checkpoint, most)),
        boundary=Boundary(session.id, mount.history_base_seq, checkpoint, others),
        mount=mount,
    )
