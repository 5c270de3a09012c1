"""What recall found for a question, and how it goes into the prompt."""

from dataclasses import dataclass

from strandline.context.prompt import MAX_MEMORY_LINES, memory_line
from strandline.models.memory import Memory
from strandline.models.receipt import LeftOut, Recalled, RecalledLine, RecallState


@dataclass(frozen=True, slots=True)
class RecallResult:
    """What recall found, with the memories as they stood when the prompt was made."""

    state: RecallState
    failure: str | None = None
    found: tuple[tuple[Recalled, Memory], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    needs_embedding: int = 0

    def prompt_order(self) -> list[Memory]:
        """By importance, then creation, newest first, then id; at most eight."""
        chosen = [memory for _, memory in self.found]
        chosen.sort(key=lambda m: (-m.importance, -m.created_at.timestamp(), m.id))
        return chosen[:MAX_MEMORY_LINES]

    def prompt_lines(self) -> list[str]:
        """The lines of the prompt's block."""
        return [memory_line(memory.title, memory.text) for memory in self.prompt_order()]

    def lines(self) -> tuple[RecalledLine, ...]:
        """What was recalled, in the order it was selected, each with its line."""
        return tuple(
            RecalledLine(**recalled.model_dump(), line=memory_line(memory.title, memory.text))
            for recalled, memory in self.found
        )


RECALL_OFF = RecallResult(RecallState.OFF)
