"""Boundaries of a prompt's context: HEAD's turn window and a mount's boundary."""

from collections.abc import Iterable
from dataclasses import dataclass

from strandline import ids
from strandline.clock import microseconds
from strandline.models.checkpoint import Checkpoint
from strandline.models.index_entry import SourceTurn
from strandline.models.turn import TurnWindow


def head_window(session_id: str, head: Checkpoint | None) -> TurnWindow:
    """Returns the window of turns that HEAD mode shows: those recorded after the head checkpoint.

    The window is by sequence number if the head covers this session, else by time. A session that
    was created after the head is shown whole, even if its turns are older: an imported
    conversation is older than its session. Without a head, all turns are shown.
    """
    if head is None or _created_after(session_id, head):
        return TurnWindow()
    if head.source is not None and head.source.session_id == session_id:
        return TurnWindow(after=head.source.to_sequence)
    return TurnWindow(since=head.created_at)


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundary of a mounted checkpoint in a session of its space.

    It hides two kinds of turns: this session's up to sequence number `base`, and those of the
    space's other `sessions`. Turns that the checkpoint covers, or that were said before it was
    created, stay visible.
    """

    session_id: str
    base: int
    checkpoint: Checkpoint
    sessions: frozenset[str]

    def hides(self, turn: SourceTurn) -> bool:
        """Whether a turn is hidden."""
        if turn.session_id == self.session_id:
            return turn.sequence_number <= self.base and self._is_later(turn)
        return turn.session_id in self.sessions and self._is_later(turn)

    def hides_all(self, turns: Iterable[SourceTurn]) -> bool:
        """Whether all of a memory's source turns are hidden; not if it has none.

        One visible turn is enough to keep the memory.
        """
        sources = list(turns)
        return bool(sources) and all(self.hides(turn) for turn in sources)

    def _is_later(self, turn: SourceTurn) -> bool:
        """Whether a turn came after the checkpoint, by sequence number if it covers the session."""
        source = self.checkpoint.source
        if source is not None and source.session_id == turn.session_id:
            return turn.sequence_number > source.to_sequence
        said_later = turn.said_at >= microseconds(self.checkpoint.created_at)
        return said_later or _created_after(turn.session_id, self.checkpoint)


def _created_after(session_id: str, checkpoint: Checkpoint) -> bool:
    return ids.milliseconds_of(session_id) > microseconds(checkpoint.created_at) // 1000
