"""The response of a draft, which is not stored."""

from strandline.models.base import Value
from strandline.models.checkpoint import Cited
from strandline.models.job import Dropped
from strandline.models.receipt import Usage


class LeftOut(Value):
    """Turns of the window that the model didn't see, or not whole, and why.

    `from_sequence` is null where the beginning of the window is unknown.
    """

    reason: str
    from_sequence: int | None
    to_sequence: int


class Draft(Value):
    """A proposal for a checkpoint, and the range of turns it was made from.

    Every decision and task cites its sources; lines that failed verification are in `dropped`. A
    document has no sequence numbers. For an empty window everything is empty and no model is asked.
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
