"""What clients get of a draft. It is stored nowhere."""

from strandline.models.base import Value
from strandline.models.checkpoint import Cited
from strandline.models.job import Dropped
from strandline.models.receipt import Usage


class LeftOut(Value):
    """Turns of the window that the model didn't see, or not whole, and why.

    `from_sequence` is null where the window's beginning was not looked for.
    """

    reason: str
    from_sequence: int | None
    to_sequence: int


class Draft(Value):
    """A proposal for a checkpoint, and from which turn to which it was drawn.

    Every decision and task cites what it rests on; what didn't hold up is in `dropped`. For a
    document there are no sequence numbers; for an empty window there is nothing, and no model.
    """

    session_id: str | None = None
    from_sequence: int | None = None
    to_sequence: int | None = None
    left_out: tuple[LeftOut, ...] = ()
    title: str = ""
    objective: str = ""
    summary: str = ""
    decisions: tuple[Cited, ...] = ()
    tasks: tuple[Cited, ...] = ()
    open_questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    model: str | None = None
    usage: Usage = Usage()
