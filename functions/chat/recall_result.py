"""What recall found for a question, and its lines in the prompt.

Apart from `recall`, because prompts without recall are built without loading numpy.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from strandline.context.prompt import MAX_MEMORY_LINES, memory_line
from strandline.models.memory import Memory
from strandline.models.receipt import (
    MOST_EQUIVALENTS,
    LeftOut,
    Recalled,
    RecalledLine,
    RecallState,
)

if TYPE_CHECKING:
    from strandline.recall.ranking import RankedMemory, RecallSelection


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The state of a recall and what it found, with each memory as it was for this prompt.

    `failure` is an error code. `needs_embedding` counts the memories without a vector.
    """

    state: RecallState
    failure: str | None = None
    found: tuple[tuple[Recalled, Memory], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    needs_embedding: int = 0

    def prompt_order(self) -> list[Memory]:
        """Returns at most eight memories by importance, then creation, newest first, then id."""
        chosen = [memory for _, memory in self.found]
        chosen.sort(key=lambda m: (-m.importance, -m.created_at.timestamp(), m.id))
        return chosen[:MAX_MEMORY_LINES]

    def prompt_lines(self) -> list[str]:
        """Returns the lines of the prompt's memory block."""
        return [memory_line(memory.title, memory.text) for memory in self.prompt_order()]

    def lines(self) -> tuple[RecalledLine, ...]:
        """Returns the memories in the order of their selection, each with its line."""
        return tuple(
            RecalledLine(**recalled.model_dump(), line=memory_line(memory.title, memory.text))
            for recalled, memory in self.found
        )


RECALL_OFF = RecallResult(RecallState.OFF)


def recall_state(selection: "RecallSelection", failure: str | None) -> RecallState:
    """Returns the state of a recall; `failure` is the code of a failed embedding."""
    if failure is not None:
        return RecallState.DEGRADED if selection.relevant else RecallState.FAILED
    return RecallState.OK if selection.relevant else RecallState.NO_MATCH


def recalled_memory(hit: "RankedMemory", memory: Memory) -> Recalled:
    """Returns a hit's scores with the memory's current revision."""
    return Recalled(
        memory_id=hit.memory_id,
        revision=memory.revision,
        selected_by=hit.selected_by,
        similarity=hit.similarity,
        lexical=hit.lexical,
        relevance=hit.relevance,
        importance=hit.importance,
        recency=hit.recency,
        score=hit.score,
        equivalents=hit.equivalents[:MOST_EQUIVALENTS],
    )
