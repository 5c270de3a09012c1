"""What a prompt may see: which turns of the session, and which memories, DESIGN 8.1 and 8.3."""

from collections.abc import Iterable
from dataclasses import dataclass

from strandline import ids
from strandline.clock import microseconds
from strandline.models.checkpoint import Checkpoint
from strandline.models.index_entry import SourceTurn
from strandline.models.turn import TurnWindow


def head_window(session_id: str, head: Checkpoint | None) -> TurnWindow:
    """In HEAD mode: what came after the head. By number where the head covers this session.

    All of a session that was made after the head came after it, whenever it was said: an imported
    conversation is older than its session.
    """
    if head is None or _made_after(session_id, head):
        return TurnWindow()
    if head.source is not None and head.source.session_id == session_id:
        return TurnWindow(after=head.source.to_sequence)
    return TurnWindow(since=head.created_at)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A mounted checkpoint's boundary in a session of its space.

    Hidden are this session's turns up to `base` and the turns of the space's other `sessions`,
    each unless the checkpoint covers it or it was said before the checkpoint was made.
    """

    session_id: str
    base: int
    checkpoint: Checkpoint
    sessions: frozenset[str]

    def hides(self, ground: SourceTurn) -> bool:
        """Whether a turn lies behind the boundary."""
        if ground.session_id == self.session_id:
            return ground.sequence_number <= self.base and self._is_later(ground)
        return ground.session_id in self.sessions and self._is_later(ground)

    def hides_all(self, grounds: Iterable[SourceTurn]) -> bool:
        """Whether nothing a memory rests on can be seen; one visible source is enough for it."""
        found = list(grounds)
        return bool(found) and all(self.hides(ground) for ground in found)

    def _is_later(self, ground: SourceTurn) -> bool:
        """Whether the turn came after the checkpoint: by number where both have one."""
        source = self.checkpoint.source
        if source is not None and source.session_id == ground.session_id:
            return ground.sequence_number > source.to_sequence
        said_later = ground.said_at >= microseconds(self.checkpoint.created_at)
        return said_later or _made_after(ground.session_id, self.checkpoint)


def _made_after(session_id: str, checkpoint: Checkpoint) -> bool:
    return ids.milliseconds_of(session_id) > microseconds(checkpoint.created_at) // 1000
